# A sole with tread blocks, from a TOML file of 20 lines.
sole mesh meshes/tread_blocks.toml --size-tread 0.008 -o tread_blocks.msh
sole view tread_blocks.msh -o tread_blocks.png
