# Restitution of a particle by the place of the wall in the step: exact enforcement, and springs with z = 1.
load style
set terminal pngcairo size 1100,330
set linetype 5 lc rgb "#e08e2b" lw 2
places = dir."/restitution.csv"
set multiplot layout 1,2 margins 0.05,0.985,0.15,0.89 spacing 0.08
set xlabel "s"
set xrange [0:1]
set yrange [0:7.5]
set key top right samplen 2
set title "Exact enforcement: e(s)"
plot places using "s":"la_kept" with points lt 1 pt 7 ps 0.2 title "LA, kept", "" using "s":"la_reset" with points lt 2 pt 7 ps 0.2 title "LA, reset", \
     "" using "s":"ho_kept" with points lt 3 pt 7 ps 0.2 title "HO, kept", "" using "s":"ho_reset" with points lt 4 pt 7 ps 0.2 title "HO, reset", \
     "" using "s":"midpoint" with points lt 5 pt 7 ps 0.2 title "midpoint", \
     "" using "s":"rate" with lines lc rgb "#333333" lw 1.2 title "rate contact, e = 1", "" using "s":"half" with lines lc rgb "#333333" lw 1.2 dt 2 title "e = ½"
set title "Penalty, z = 1: e(s)"
set yrange [0.85:1.2]
plot places using "s":"la_penalty" with lines lt 1 title "LA", "" using "s":"ho_penalty" with lines lt 3 title "HO", \
     "" using "s":"midpoint_penalty" with lines lt 5 title "midpoint", "" using "s":"em_penalty" with lines lc rgb "#333333" lw 1.2 title "energy-momentum"
unset multiplot
