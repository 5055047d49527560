"""Sub-commands of `sole`, one file each; heavy imports stay inside the functions."""
