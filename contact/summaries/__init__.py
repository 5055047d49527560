"""Reports on the files of this package, for `sole info` and the commands."""
