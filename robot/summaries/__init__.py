"""Reports on robots and runs, for `sole info` and other commands."""
