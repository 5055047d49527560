# A ball on penalty contact by feedback linearisation, with the axes of the paper.
sole reproduce rengifo fig4 --quick -o ball
mv "$(find ball -name '*fig4*.png' | head -n 1)" bouncing_ball.png
