"""Contact problems and solutions as files, and the benchmark over a folder of them."""
