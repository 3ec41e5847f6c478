# A chain at some times: names are the run, the times, and how many views; along x_1, and along x_2 as well.
load style
views = int(word(names, words(names)))
set terminal pngcairo size 1100,(views == 2 ? 590 : 310)
times = words(names) - 2
file(i) = dir."/".word(names, 1)."_".word(names, 1 + i).".csv"
set multiplot layout views,times margins 0.05,0.985,(views == 2 ? 0.09 : 0.17),(views == 2 ? 0.95 : 0.92) spacing 0.05,0.13
set size ratio -1
set xrange [-9.5:9.5]
set yrange [-12.5:3]
unset key
do for [v=1:views] {
  do for [i=1:times] {
    set title "t = ".word(names, 1 + i)." s"
    set xlabel (v == 1 ? "x_2 [m]" : "x_1 [m]") offset 0,0.5
    if (i == 1) { set ylabel "x_3 [m]" offset 2 } else { unset ylabel }
    plot file(i) using (column(v == 1 ? "y" : "x")):"z" with linespoints lt 1 lw 4 pt 7 ps 0.8
  }
}
unset multiplot
