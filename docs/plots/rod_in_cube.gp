# The rod in the cube over 10 s: what is left of energy and momenta, beside the largest errors of the paper.
load style
set terminal pngcairo size 1100,440
series = dir."/rod_in_cube.csv"
floor = 1e-17
size(x) = abs(x) < floor ? floor : abs(x)
set multiplot layout 1,2 margins 0.07,0.985,0.13,0.92 spacing 0.075,0.1
set xlabel "t [s]"
set xrange [0:10]
set logscale y
set format y "10^{%T}"
set key at graph 0.98,0.72
set yrange [floor:1e-8]
set title "Energy and linear momentum, relative errors"
plot 9.46e-11 with lines lc rgb "#999999" dt 2 lw 2 title "energy, the paper", \
     series using "t":(size(column("energy"))) with dots lt 1 title "", \
     "" using "t":(size(column("linear"))) with dots lt 2 title "", \
     NaN with lines lt 1 title "energy", NaN with lines lt 2 title "linear momentum"
set yrange [floor:1e-3]
set title "Angular momentum, errors relative to its magnitude"
plot 2.86e-5 with lines lc rgb "#999999" dt 2 lw 2 title "y, the paper", \
     series using "t":(size(column("hx"))) with dots lt 1 title "", \
     "" using "t":(size(column("hy"))) with dots lt 2 title "", \
     "" using "t":(size(column("hz"))) with dots lt 3 title "", \
     NaN with lines lt 1 title "x", NaN with lines lt 2 title "y", NaN with lines lt 3 title "z"
unset multiplot
