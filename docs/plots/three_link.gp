# The three links of springs: centre of the last link against the independent solution, energies, strain energy.
load style
set terminal pngcairo size 1100,720
history = dir."/history.csv"
reference = "verification/cases/three_link/reference.csv"
set multiplot layout 2,2 margins 0.07,0.985,0.08,0.94 spacing 0.075,0.13
set xlabel "t [s]"
set title "Centre of link 3 [m]: springs (lines), rigid links (points)"
set key at graph 0.98,0.98
plot history using "t":"link3.x" with lines lt 1 title "x", "" using "t":"link3.y" with lines lt 2 title "y", \
     "" using "t":"link3.z" with lines lt 3 title "z", \
     reference using "t":"x3" with points lt 1 pt 7 ps 0.8 notitle, "" using "t":"y3" with points lt 2 pt 7 ps 0.8 notitle, \
     "" using "t":"z3" with points lt 3 pt 7 ps 0.8 notitle
set title "Energies [J]"
set key at graph 0.98,0.47
plot history using "t":"kinetic" with lines lt 1 title "kinetic", "" using "t":"potential" with lines lt 2 title "potential", \
     "" using "t":(column("kinetic")+column("potential")) with lines lt 3 title "total"
set title "Energy in the springs [J]"
unset key
plot history using "t":"strain" with lines lt 4 notitle
set title "Energy imbalance [J]"
set format y "%.1e"
plot history using "t":"energy_imbalance" with lines lt 4 notitle
unset multiplot
