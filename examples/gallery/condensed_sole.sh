# What a condensed sole does when it is sheared, turned and rocked.
sole mesh --preset hrp2kai --size-tread 0.014 --size-bond 0.02 -o condensed_sole.msh
sole condense condensed_sole.msh -o condensed_sole.npz
sole view condensed_sole.npz -o condensed_sole.png
