"""Sub-commands of `sole`, one file each; heavy imports live inside the command bodies."""
