# A soft sole on gravel: stones of up to 15 mm radius.
sole mesh --box 0.24 0.14 0.02 --size-tread 0.01 --size-bond 0.03 -o press_gravel.msh
sole condense press_gravel.msh --young 0.5MPa --poisson 0.4 -o press_gravel_pad.npz
sole press press_gravel_pad.npz --force 570 \
    --ground gravel:count=100,rise=0.004,radius=0.015,length=0.28,width=0.18,seed=3 -o press_gravel.npz
sole view press_gravel.npz --field pressure -o press_gravel.png
