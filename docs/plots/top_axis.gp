# The top: the way of its axis during one turn, and the nutation against the closed form.
load style
set terminal pngcairo size 1100,400
trace = dir."/top.csv"
set multiplot layout 1,2 margins 0.06,0.985,0.13,0.91 spacing 0.08
set title "End of the axis, seen from above, 16 s"
set size ratio -1
set xlabel "x"
set ylabel "y" offset 1.5
plot trace using "x":"y" with lines lt 1 lw 1.2 notitle
set size noratio
set title "Nutation [rad]"
set xlabel "t [s]"
unset ylabel
set xrange [0:4]
set yrange [0.295:0.335]
set key top right horizontal samplen 2
plot trace using "t":"nutation" with lines lt 1 title "staggered, h = 0.001", \
     "" every 5 using "t":"closed_form" with points lt 2 pt 7 ps 0.5 title "closed form"
unset multiplot
