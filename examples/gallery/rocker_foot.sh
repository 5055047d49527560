# A rocker: the tread rises towards heel and toe.
sole mesh meshes/rocker_foot.toml --size-tread 0.01 -o rocker_foot.msh
sole view rocker_foot.msh -o rocker_foot.png
