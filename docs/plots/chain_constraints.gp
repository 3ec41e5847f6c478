# What is left of constraints of a chain, internal and external. Zeros have no logarithm and are left out.
load style
set terminal pngcairo size 1100,330
trace = dir."/".names.".csv"
shown(x) = x > 0 ? x : NaN
set multiplot layout 1,2 margins 0.07,0.985,0.15,0.89 spacing 0.08
set xlabel "t [s]"
set xrange [0:10]
set logscale y
set format y "10^{%T}"
set yrange [1e-17:1e-10]
set key top right horizontal
set title "Internal constraints: e(q) [1], C(q)p [N m s]"
plot trace using "t":(shown(column("e"))) with points lt 1 pt 7 ps 0.4 title "e(q)", \
     "" using "t":(shown(column("Cp"))) with points lt 2 pt 2 ps 0.5 title "C(q)p"
set title "Joints [m], [1]"
unset key
plot trace using "t":(shown(column("joints"))) with points lt 3 pt 7 ps 0.4
unset multiplot
