"""Multifrontal Cholesky elimination: blocks, ordering, memory plan, kernels."""
