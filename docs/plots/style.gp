# The look that all figures share.
set terminal pngcairo size 1100,440 font "DejaVu Sans,11" background rgb "white"
set output figure
set datafile separator ","
set datafile missing "nan"
set key autotitle columnhead
set border 3 lc rgb "#555555"
set tics nomirror textcolor rgb "#333333"
set grid lc rgb "#dddddd" lt 1
set linetype 1 lc rgb "#1f6fb4" lw 2
set linetype 2 lc rgb "#d1495b" lw 2
set linetype 3 lc rgb "#3a9d5d" lw 2
set linetype 4 lc rgb "#8a6fb0" lw 2
