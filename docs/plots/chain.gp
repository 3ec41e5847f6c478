# A chain run: the path of its end, the exchange of energies, and what the ledger could not explain.
load style
history = dir."/history.csv"
set multiplot layout 1,3 margins 0.06,0.985,0.13,0.9 spacing 0.075
set title "Path of the chain's end, seen along x"
set xlabel "y [m]"
set ylabel "z [m]" offset 1.5
set size ratio -1
plot history using "link4.bottom.y":"link4.bottom.z" with lines lt 1 notitle
set size noratio
set title "Energies [J]"
set xlabel "t [s]"
unset ylabel
set key at graph 0.98,0.62
plot history using "t":"kinetic" with lines lt 1 title "kinetic", \
     "" using "t":"potential" with lines lt 2 title "potential", \
     "" using "t":(column("kinetic")+column("potential")) with lines lt 3 title "total"
set title "Energy imbalance [J]"
set format y "%.1e"
unset key
plot history using "t":"energy_imbalance" with lines lt 4 notitle
unset multiplot
