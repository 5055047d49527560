# E, nu and eta of a rubber from a kitchen scale and calipers: residuals and intervals.
sole mesh --box 0.03 0.02 0.01 --size-tread 0.005 --size-bond 0.005 -o drawer.msh
sole identify drawer.msh examples/bench/drawer.csv --plot identify.png
