"""What the state and result of a step by sweeps have besides their buffer."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from contact.problem import Outcome, Problem, SoleDelassus, Solution, make_certificate
from contact.step import (
    HELD,
    Bodies,
    ContactArrays,
    ContactLaws,
    NearArrays,
    SeveralGrounds,
    StepFrame,
    StepMotion,
    StepOptions,
    look_at_ground,
    look_near,
)
from contact.swept_step.buffer_arrays import counts_sheet, details_sheet
from contact.swept_step.buffer_result import BufferDetails, BufferSoleState
from sole.base.arrays import FloatArray, IntArray, trusted

METHOD = "gauss-seidel"


class SweptOrigin(NamedTuple):
    """What a step by sweeps wrote besides `StuckArrays`.

    Attributes
    ----------
    details : (D,) of `SweptParts`. counts : (C,) of `SweptCounts`.
    """

    details: FloatArray
    counts: IntArray

    def earlier(self, state: BufferSoleState) -> FloatArray:
        """Return `SoleState.earlier`."""
        return details_sheet(0, *state.solid.shape).part(self.details, "last")

    def run(self, state: BufferSoleState) -> None:
        """Return `SoleState.run`: none."""

    def counted(self, name: str, shape: tuple[int, ...]) -> IntArray:
        """Return one of the `SweptCounts` by its name; shape : (M, S)."""
        place, own = counts_sheet(*shape).places[name]
        return self.counts[place].reshape(own)


@dataclass(frozen=True, eq=False, kw_only=True)
class SweptDetails(BufferDetails):
    """The details of a step by sweeps; it met the tolerance.

    Parameters
    ----------
    bodies, surfaces, options : of the `CompliantStep`.
    rotations, places : R (B, 3, 3), p (B, 3) [m] at the start: foot to world.
    motion : of the feet, in their axes.
    found : the surfaces near every node at the start; None if unknown.
    origin : that of `after`.
    """

    bodies: Bodies
    surfaces: SeveralGrounds
    options: StepOptions
    rotations: FloatArray
    places: FloatArray
    motion: StepMotion
    found: NearArrays | None
    origin: SweptOrigin

    @property
    def slips(self) -> bool:
        """See `StepResult`, as for the others."""
        return self.contacts > 0

    @property
    def contacts(self) -> int:  # noqa: D102
        return int(self.origin.counts[0])

    @property
    def iterations(self) -> int:  # noqa: D102
        return int(self.origin.counts[1])

    @cached_property
    def near(self) -> NearArrays:
        """The surfaces near every node at the start, looked at again where they are not known."""
        if self.found is not None:
            return self.found
        return look_near(self.bodies, self.surfaces, self.before, self.rotations, self.places)[1]

    @property
    def positions(self) -> FloatArray:  # noqa: D102
        return self.near.local

    @property
    def gaps(self) -> FloatArray:  # noqa: D102
        return self.near.gaps

    @cached_property
    def nodes(self) -> IntArray:  # noqa: D102
        return self._counted("node")

    @cached_property
    def slots(self) -> IntArray:  # noqa: D102
        return self._counted("slot")

    def _counted(self, name: str) -> IntArray:
        return self.origin.counted(name, self.after.solid.shape)[: self.contacts]

    @cached_property
    def frame(self) -> StepFrame:  # noqa: D102
        v, _, _, dt = self.motion
        listed = np.zeros(self.after.solid.shape, np.bool_)
        listed[self.nodes, self.slots] = True
        return look_at_ground(
            self.bodies, self.surfaces, self.before, self.rotations, self.places, v, dt, listed,
            HELD,
        )  # fmt: skip

    @cached_property
    def _parts(self) -> dict[str, FloatArray]:
        """The arrays of `contact.swept_step.buffer_arrays.SweptParts`."""
        layout = details_sheet(self.contacts, *self.after.solid.shape)
        return {name: layout.part(self.origin.details, name) for name in layout.places}

    @property
    def laws(self) -> tuple[ContactLaws, ...]:  # noqa: D102
        if not self.contacts:
            return ()
        return (ContactLaws(self._parts["u"], self._parts["r"], self._counted("found")),)

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        """The one solution, with its problem and certificate; none if nothing was near."""
        if not self.contacts:
            return ()
        o, dt, part = self.options, self.motion.dt, self._parts
        *sums, unseen, rho, size, unsure = part["numbers"].tolist()
        rate = 1.0 / (o.theta * dt + self.bodies.eta)
        node, _, body, P, A = ContactArrays(
            self.nodes, self.slots, self._counted("owner"), part["P"], part["A"]
        )
        support = o.theta * dt * self.motion.inverse_inertia
        operator = SoleDelassus.unchecked(
            self.bodies.compliances, rate, node, P, self.frame.geometry, support, body, A
        )
        problem = Problem.unchecked(operator, part["q"], part["mu"], (rho, size))
        r, u = part["r"], part["u"]
        solution = trusted(
            Solution,
            problem=problem,
            reactions=r,
            velocity=u,
            status=self._counted("found"),
            outcome=Outcome.SOLVED,
            certificate=make_certificate(problem, sums, r, u, unseen),
            method=METHOD,
            sweeps=self.iterations,
            generator=int(self.origin.counts[2]),
            displacements=part["d"],
            unsure=unsure,
        )
        return (solution,)
