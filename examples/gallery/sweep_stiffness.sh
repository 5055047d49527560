# Stiffness over E and nu: 775 soles from a few condensations.
sole mesh --box 0.24 0.14 0.02 --size-tread 0.03 --size-bond 0.04 -o sweep_stiffness.msh
sole sweep sweep_stiffness.msh --young 1e5:1e8:31 --poisson 0:0.48:25 \
    --mass 58 --com-height 0.8 -o sweep_stiffness.nc
sole view sweep_stiffness.nc -o sweep_stiffness.png
