"""What a press reads of a sole: u = C f of the tread nodes, and where they are.

A `sole.condense.CondensedSole` is one. So is the tangent of a hyperelastic sole at some state
(`contact.finite_press`), whose points are moved and whose forces turn at deformed arms.
"""

from __future__ import annotations

from typing import Protocol

from sole.base.arrays import FloatArray


class LinearSole(Protocol):
    """A sole of m tread nodes, in the sole frame [m, N]."""

    @property
    def points(self) -> FloatArray:
        """(m, 3) nodes under no force."""

    @property
    def origin(self) -> FloatArray:
        """(3,) the point of wrenches."""

    @property
    def thickness(self) -> float:
        """Thickness [m]."""

    @property
    def areas(self) -> FloatArray:
        """(m,) area of the tread that belongs to every node [m^2]."""

    @property
    def compliance(self) -> FloatArray:
        """C (3m, 3m) [m/N]."""

    @property
    def stiffness(self) -> FloatArray:
        """C^-1 [N/m]."""

    @property
    def geometry(self) -> FloatArray:
        """G (3m, 6): G' f is the wrench of nodal forces f about `origin`."""

    @property
    def foot_stiffness(self) -> FloatArray:
        """G' K G (6, 6)."""
