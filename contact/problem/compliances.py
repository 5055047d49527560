"""The compliances of all bodies that may touch, in one buffer made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from contact.problem.compliance_kernels import ComplianceArrays, displace_nodes
from contact.problem.delassus import check_finite
from sole.base.arrays import FloatArray, IntArray, asymmetry, frozen, sealed
from sole.base.compiled import packed
from sole.base.errors import SoleError


@dataclass(frozen=True, eq=False)
class Compliances:
    """The compliances of all bodies that may touch, in one buffer made once.

    Parameters
    ----------
    flat : the matrices one behind the other [m/N]; the same matrix is stored once.
    first : (bodies + 1,) number of the first node of every body.
    position : (bodies,) where the matrix of a body begins in `flat`; -1 for a rigid one.
    """

    flat: FloatArray
    first: IntArray
    position: IntArray

    @classmethod
    def of(cls, bodies: Sequence[FloatArray | int]) -> Compliances:
        """Return those of bodies: (3m, 3m) in the body's axes, or the node count if rigid."""
        first, position, kept, known, size = [0], [], [], {}, 0
        for body in bodies:
            if isinstance(body, int | np.integer):
                first.append(first[-1] + int(body))
                position.append(-1)
                continue
            C = np.asarray(body, dtype=float)
            if C.ndim != 2 or C.shape[0] != C.shape[1] or len(C) % 3:
                raise SoleError(f"a compliance is (3m, 3m), got {C.shape}")
            check_finite(C)
            if id(body) not in known:
                _check_symmetric(C)
                known[id(body)] = size
                kept.append(C.reshape(-1))
                size += C.size
            first.append(first[-1] + len(C) // 3)
            position.append(known[id(body)])
        if len(kept) == 1:
            flat = kept[0]
        else:
            flat = np.concatenate(kept) if kept else np.zeros(0)
        return cls(frozen(flat), frozen(first, np.int64), frozen(position, np.int64))

    @property
    def bodies(self) -> int:
        """Number of bodies."""
        return len(self.position)

    @property
    def nodes(self) -> int:
        """Number of nodes of all bodies."""
        return int(self.first[-1])

    def matrix(self, body: int) -> FloatArray | None:
        """Compliance (3m, 3m) of a body [m/N], a view; None if it is rigid."""
        begin = int(self.position[body])
        if begin < 0:
            return None
        n = 3 * int(self.first[body + 1] - self.first[body])
        return self.flat[begin : begin + n * n].reshape(n, n)

    def apply(self, f: FloatArray, scale: FloatArray | None = None) -> FloatArray:
        """(scale) C f (3M,) of nodal forces f (3M,), every body in its own axes."""
        factor = np.ones(self.bodies) if scale is None else scale
        return displace_nodes(packed(self.arrays), factor, f)

    @cached_property
    def arrays(self) -> ComplianceArrays:
        """The same for compiled loops."""
        return ComplianceArrays(self.flat, self.first, self.position)

    @cached_property
    def diagonal(self) -> FloatArray:
        """(M, 3, 3) C_ii [m/N], zero where rigid."""
        out = np.zeros((self.nodes, 3, 3))
        for s in range(self.bodies):
            C = self.matrix(s)
            if C is not None:
                i = np.arange(len(C) // 3)
                out[self.first[s] : self.first[s + 1]] = C.reshape(len(i), 3, -1, 3)[i, :, i]
        return sealed(out)

    @cached_property
    def body(self) -> IntArray:
        """(M,) body of every node."""
        return frozen(np.repeat(np.arange(self.bodies), np.diff(self.first)), np.int64)


def _check_symmetric(C: FloatArray) -> None:
    """Refuse an asymmetric compliance: loops read its rows for its columns."""
    largest = float(np.abs(C).max(initial=0.0))
    if asymmetry(C) > 1e-8 * largest:
        raise SoleError("the compliance is asymmetric by more than 1e-8 of its largest entry")
