# Range of the nutation in every second of a long run of the top, one panel for each of the named schemes.
load style
set terminal pngcairo size 1100,300
panels = words(names)
title_of(s) = s eq "lm" ? "kick-drift-kick, LM" : s eq "split" ? "kick-drift-kick, SPLIT" : \
  (s[1:2] eq "sw" ? "Simo-Wong" : s[1:3] eq "pcd" ? "Park-Chiou-Downer" : s[1:3] eq "stg" ? "staggered" : "predictor-corrector"). \
  (strstrt(s, "trap") ? ", trapezoidal" : strstrt(s, "sym") ? ", sym. midpoint" : ", midpoint")
set multiplot layout 1,panels margins 0.045,0.975,0.17,0.89 spacing 0.06
set xlabel "t [s]"
set xrange [0:1000]
set yrange [0.24:0.36]
set style fill solid 0.5 noborder
unset key
do for [s in names] {
  set title title_of(s)
  plot dir."/top_".s."_1000.csv" using "t":"least":"largest" with filledcurves lt 1 lw 1, \
       "" using "t":"least" with lines lt 1 lw 1, "" using "t":"largest" with lines lt 1 lw 1, \
       0.3 with lines lc rgb "#333333" lw 1 dt 2, 0.32673371 with lines lc rgb "#333333" lw 1 dt 2
}
unset multiplot
