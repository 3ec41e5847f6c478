# The top in its first seconds: angular velocity, momentum, energies.
load style
set terminal pngcairo size 1100,330
trace = dir."/top.csv"
stats trace using "T" every ::0::0 nooutput
T_0 = STATS_min
stats trace using "E" every ::0::0 nooutput
E_0 = STATS_min
set multiplot layout 1,3 margins 0.04,0.98,0.15,0.89 spacing 0.05
set xlabel "t [s]"
set xrange [0:2]
set key top right horizontal samplen 2
set title "Convected angular velocity [rad/s]"
set yrange [-0.35:0.45]
plot trace using "t":"Omega1" with lines lt 1 title "Ω_1", "" using "t":"Omega2" with lines lt 2 title "Ω_2", \
     "" using "t":(column("Omega3")-50) with lines lt 3 title "Ω_3 − 50"
set title "Spatial angular momentum [N m s]"
set yrange [-25:65]
plot for [i=1:3] trace using "t":sprintf("pi%d", i) with lines lt i title sprintf("π_%d", i)
set title "Change of energies [J]"
set yrange [-0.2:0.25]
plot trace using "t":(column("T")-T_0) with lines lt 1 title "kinetic", \
     "" using "t":(column("E")-E_0-column("T")+T_0) with lines lt 2 title "potential", \
     "" using "t":(column("E")-E_0) with lines lt 3 title "total"
unset multiplot
