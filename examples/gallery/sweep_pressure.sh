# Pressure, contact area and tilt on a step, over E and nu.
sole mesh --box 0.24 0.14 0.02 --size-tread 0.03 --size-bond 0.04 -o sweep_pressure.msh
sole sweep sweep_pressure.msh --young 3e5:1e8:7 --poisson 0.2,0.3,0.4,0.45 --rows press \
    --force 570 --ground step:0.005 -o sweep_pressure.nc
sole view sweep_pressure.nc -o sweep_pressure.png
