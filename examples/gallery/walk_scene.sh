# A humanoid of 58 kg steps onto a plate of 5 mm that its plan does not know.
sole walk examples/studies/first_walk.toml --young 2.5MPa -o walk_scene.nc
sole view walk_scene.nc --time 1.3 -o walk_scene.png
