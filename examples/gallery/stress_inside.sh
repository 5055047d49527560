# The stress inside of a sole on the edge of a step.
sole mesh --box 0.24 0.14 0.02 --size-tread 0.012 --size-bond 0.015 -o stress_inside.msh
sole condense stress_inside.msh --young 1MPa --poisson 0.4 -o stress_inside_pad.npz
sole press stress_inside_pad.npz --force 570 --ground step:0.005 -o stress_inside.npz
sole view stress_inside.npz --field von_mises -o stress_inside.png
