"""From outlines, CAD, robots and foreign meshes to the sole frame; quality of a mesh."""
