"""Sub-commands of `sole` for robots, one file each; heavy imports live inside the bodies."""
