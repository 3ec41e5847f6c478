# Two links and a wall by the named combinations: energy, and force of the wall on knee and tip.
load style
set terminal pngcairo size 1100,330
set linetype 5 lc rgb "#e08e2b" lw 2
after(s, mark) = s[strstrt(s, mark)+strlen(mark):*]
title_of(s) = strstrt(s, "rods_") ? "rate contact, e = ".(s eq "rods_half" ? "½" : s eq "rods_plastic" ? "0" : "1") : \
  (s[1:2] eq "ho" ? "HO" : s[1:2] eq "la" ? "LA" : s[1:2] eq "em" ? "energy-momentum" : s[1:5] eq "euler" ? "Euler" : "midpoint"). \
  (strstrt(s, "kept") ? ", kept" : strstrt(s, "reset") ? ", reset" : "").(strstrt(s, "1e") ? ", r = 10^".after(s, "1e")[1:1] : ""). \
  (strstrt(s, "fine") ? ", h = 10^{-4}" : "")
file(s) = dir."/wall_".s.".csv"
set multiplot layout 1,2 margins 0.06,0.985,0.15,0.89 spacing 0.08
set xlabel "t [s]"
set xrange [0:3]
set title "Energy [J]"
wide = names[1:1] eq "+" # energies that differ by orders of magnitude
if (wide) { names = names[2:*] }
if (wide) { set logscale y; set format y "10^{%T}"; set yrange [5:1e6]; set key top left samplen 2 }
if (!wide) { set yrange [0:*]; if (words(names) > 3) { set key center right samplen 2 } else { set key bottom right samplen 2 } }
plot for [i=1:words(names)] file(word(names, i)) using "t":"E" with lines lt i title title_of(word(names, i))
if (wide) { set yrange [100:1e6] }
set title "Force of the wall, knee and tip together [N]"
unset key
set style data lines
if (wide) { set style data impulses } # of single steps, between zeros that have no logarithm
plot for [i=1:words(names)] file(word(names, i)) using "t":(column("knee")+column("tip")) lt i lw 1.2
unset multiplot
