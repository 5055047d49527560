# The sole stands on the edge of a step of 5 mm.
sole mesh --preset hrp2kai --size-tread 0.012 --size-bond 0.02 -o press_step.msh
sole condense press_step.msh -o press_step_pad.npz
sole press press_step_pad.npz --force 570 --ground step:0.005 -o press_step.npz
sole view press_step.npz -o press_step.png
