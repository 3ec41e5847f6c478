# Rotation about the intermediate axis by one scheme: angular velocity, momentum and kinetic energy.
load style
set terminal pngcairo size 1100,330
trace = dir."/unstable_".names.".csv"
set multiplot layout 1,3 margins 0.04,0.98,0.15,0.89 spacing 0.05
set xlabel "t [s]"
set xrange [0:20]
set title "Convected angular velocity [rad/s]"
set yrange [-17:22]
set key top right horizontal samplen 2
plot for [i=1:3] trace using "t":sprintf("Omega%d", i) with lines lt i lw 1.2 title sprintf("Ω_%d", i)
set title "Spatial angular momentum [N m s]"
set yrange [-25:65]
plot for [i=1:3] trace using "t":sprintf("pi%d", i) with lines lt i title sprintf("π_%d", i)
set title "Kinetic energy [J]"
set yrange [0:180]
unset key
plot trace using "t":"T" with lines lt 4 notitle
unset multiplot
