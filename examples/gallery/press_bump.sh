# The sole lies on a round stone of 4 mm.
sole mesh --box 0.24 0.14 0.02 --size-tread 0.012 --size-bond 0.03 -o press_bump.msh
sole condense press_bump.msh --young 1MPa --poisson 0.4 -o press_bump_pad.npz
sole press press_bump_pad.npz --force 570 --ground bump:0.004,radius=0.06 -o press_bump.npz
sole view press_bump.npz -o press_bump.png
