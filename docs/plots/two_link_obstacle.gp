# Two links and a wall: angles against the event-driven reference, forces of the wall, energy with and without loss.
load style
set terminal pngcairo size 1100,720
elastic = dir."/elastic/history.csv"
plastic = dir."/plastic/history.csv"
reference = "verification/cases/two_link_obstacle/two_link_obstacle.csv"
upper(x) = atan2(column("middle.x"), -column("middle.y"))
lower(x) = atan2(column("tip.x") - column("middle.x"), column("middle.y") - column("tip.y"))
set multiplot layout 2,2 margins 0.06,0.985,0.08,0.94 spacing 0.075,0.13
set xlabel "t [s]"
set xrange [0:3]
set key at graph 0.98,0.98
set title "Angles [rad], elastic: emmy (lines), event-driven reference (points)"
plot elastic using "t":(upper(0)) with lines lt 1 title "upper link", "" using "t":(lower(0)) with lines lt 2 title "lower link", \
     reference using "t":"th1_e1" every 5 with points lt 1 pt 7 ps 0.6 notitle, "" using "t":"th2_e1" every 5 with points lt 2 pt 7 ps 0.6 notitle
set title "Angles [rad], plastic"
plot plastic using "t":(upper(0)) with lines lt 1 title "upper link", "" using "t":(lower(0)) with lines lt 2 title "lower link", \
     reference using "t":"th1_e0" every 5 with points lt 1 pt 7 ps 0.6 notitle, "" using "t":"th2_e0" every 5 with points lt 2 pt 7 ps 0.6 notitle
set title "Force of the wall [N]: elastic (lines), plastic (points)"
set key at graph 0.62,0.98
set logscale y
set yrange [0.1:2e4]
plot elastic using "t":"knee_wall.force" with impulses lt 1 title "on the knee", "" using "t":"tip_wall.force" with impulses lt 2 title "on the tip", \
     plastic using "t":"knee_wall.force" with points lt 1 pt 7 ps 0.5 notitle, "" using "t":"tip_wall.force" with points lt 2 pt 7 ps 0.5 notitle
unset logscale y
set yrange [0:14]
set title "Energy above rest [J]"
set key at graph 0.98,0.7
plot elastic using "t":(column("kinetic")+column("potential")+19.62) with lines lt 3 title "elastic", \
     plastic using "t":(column("kinetic")+column("potential")+19.62) with lines lt 4 title "plastic"
unset multiplot
