# A load of 570 N ahead of the middle and to the left, with shear, on flat ground.
sole mesh --preset hrp2kai --size-tread 0.012 --size-bond 0.02 -o press_flat.msh
sole condense press_flat.msh -o press_flat_pad.npz
sole press press_flat_pad.npz --force 570 --cop 0.03 0.01 --shear 50 0 -o press_flat.npz
sole view press_flat.npz -o press_flat.png
