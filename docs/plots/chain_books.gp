# Energies and angular momentum of a chain.
load style
set terminal pngcairo size 1100,330
trace = dir."/".names.".csv"
set multiplot layout 1,2 margins 0.07,0.985,0.15,0.89 spacing 0.08
set xlabel "t [s]"
set xrange [0:10]
set key top right horizontal samplen 2
set title "Energies [J]"
set yrange [*:*<3200]
plot trace using "t":"E" with lines lt 3 title "E", "" using "t":"T" with lines lt 1 title "T", "" using "t":"V" with lines lt 2 title "V"
set title "Angular momentum about the origin [N m s]"
set yrange [*:*]
plot for [i=1:3] trace using "t":sprintf("l%d", i) with lines lt i title sprintf("l_%d", i)
unset multiplot
