"""Sparse Cholesky elimination of the nodes inside a sole: ordering, plan, kernels."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from sole.elimination.dense_inverse import symmetric_inverse
    from sole.elimination.dissection import nested_dissection
    from sole.elimination.multifrontal import (
        CondensationError,
        Factor,
        check_memory,
        factorise,
        schur_complement,
    )
    from sole.elimination.symmetric_blocks import SymmetricBlocks
else:
    # Later: at once, `sole view PRESS -o FILE.vtu` would import 191 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "CondensationError",
    "Factor",
    "SymmetricBlocks",
    "check_memory",
    "factorise",
    "nested_dissection",
    "schur_complement",
    "symmetric_inverse",
]
