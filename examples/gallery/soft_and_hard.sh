# The same step on a soft sole and on a hard one.
sole walk examples/studies/first_walk.toml --young 1MPa -o soft.nc
sole walk examples/studies/first_walk.toml --young 100MPa -o hard.nc
sole view soft.nc --beside hard.nc --time 1.3 -o soft_and_hard.png
