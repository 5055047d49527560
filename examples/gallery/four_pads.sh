# Four pads under one foot, of the published size of LOLA's.
sole mesh meshes/lola.toml --size-tread 0.008 -o four_pads.msh
sole view four_pads.msh -o four_pads.png
