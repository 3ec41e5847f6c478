# Largest error of the energy in every second, all schemes, both problems.
load style
set terminal pngcairo size 1100,440
set linetype 5 lc rgb "#e08e2b" lw 2
set linetype 6 lc rgb "#333333" lw 2
set linetype 7 lc rgb "#7fb8d6" lw 2
set multiplot layout 1,2 margins 0.06,0.975,0.12,0.92 spacing 0.08
set xlabel "t [s]"
set logscale xy
set format y "10^{%T}"
set key top left horizontal maxrows 4 samplen 2
file(problem, s) = dir."/".problem."_".s."_1000.csv"
set title "Unstable rotation, h = 0.001: |ΔT/T| in every second"
set xrange [2.5:1000]
set yrange [1e-6:1e6]
plot file("unstable", "sw_mid") using "t":"error" with lines lt 1 title "SW", \
     file("unstable", "pc_mid") using "t":"error" with lines lt 2 title "PC", \
     file("unstable", "stg_mid") using "t":"error" with lines lt 3 title "STG", \
     file("unstable", "pcd_points") using "t":"error" with lines lt 4 title "PCD, points", \
     file("unstable", "pcd_mid") using "t":"error" with lines lt 5 title "PCD, exact", \
     file("unstable", "lm") using "t":"error" with lines lt 6 dt 2 title "LM", \
     file("unstable", "split") using "t":"error" with lines lt 7 title "SPLIT"
set title "Top, h = 0.01: |ΔE/E| in every second"
set xrange [0.5:1000]
set yrange [1e-7:10]
plot file("top", "sw_mid") using "t":"error" with lines lt 1 dt 2 title "SW mid", \
     file("top", "sw_trap") using "t":"error" with lines lt 1 title "SW trap", \
     file("top", "pc_mid") using "t":"error" with lines lt 2 dt 2 title "PC mid", \
     file("top", "pc_trap") using "t":"error" with lines lt 2 title "PC trap", \
     file("top", "stg_mid") using "t":"error" with lines lt 3 dt 2 title "STG mid", \
     file("top", "stg_trap") using "t":"error" with lines lt 3 title "STG trap", \
     file("top", "pcd_mid") using "t":"error" with lines lt 4 title "PCD", \
     file("top", "lm") using "t":"error" with lines lt 6 title "LM", \
     file("top", "split") using "t":"error" with lines lt 7 title "SPLIT"
unset multiplot
