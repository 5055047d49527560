"""State and result of a step by sweeps: arrays are made of its sheets when they are asked for."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from contact.problem import Outcome, Problem, SoleDelassus, Solution, make_certificate
from contact.step.bodies import Bodies
from contact.step.options import StepOptions
from contact.step.several_grounds import SeveralGrounds
from contact.step.sheet_result import SheetSoleState, SheetStepResult
from contact.step.sole_state import SoleState
from contact.step.step_arrays import ContactArrays, NearArrays, StepMotion
from contact.step.step_frame import StepFrame, look_at_ground, look_near
from contact.step.step_results import ContactLaws
from contact.step.step_solver import HELD
from contact.step.swept_arrays import counts_sheet, details_sheet
from sole.base.arrays import FloatArray, IntArray, trusted

METHOD = "gauss-seidel"


class SweptSoleState(SheetSoleState):
    """The state after a step by sweeps.

    Attributes
    ----------
    details, counts : what the step wrote besides: `contact.step.swept_arrays`.
    """

    details: FloatArray
    counts: IntArray
    run = None

    @cached_property
    def earlier(self) -> FloatArray:  # noqa: D102
        M, S = self.solid.shape
        return details_sheet(0, M, S).part(self.details, "last")

    @cached_property
    def status(self) -> IntArray:  # noqa: D102
        return np.asarray(_counted(self, "status"))


def _counted(state: SweptSoleState, name: str) -> IntArray:
    """Return a part of the integers of a step."""
    places, shape = counts_sheet(*state.solid.shape).places[name]
    return state.counts[places].reshape(shape)


class SweptDetails(NamedTuple):
    """All that the details of a step follow from, besides what it wrote; near: None if unknown."""

    bodies: Bodies
    surfaces: SeveralGrounds
    options: StepOptions
    state: SoleState
    rotations: FloatArray
    places: FloatArray
    near: NearArrays | None
    motion: StepMotion


class SweptStepResult(SheetStepResult):
    """The end of a step by sweeps; it met the tolerance."""

    state: SweptSoleState
    maker: SweptDetails
    solved = True

    @property
    def slips(self) -> bool:  # noqa: D102
        return self.contacts > 0

    @property
    def contacts(self) -> int:
        """See `StepResult`, as for the others."""
        return int(self.state.counts[0])

    @property
    def iterations(self) -> int:  # noqa: D102
        return int(self.state.counts[1])

    @cached_property
    def near(self) -> NearArrays:
        """The surfaces near every node at the start, looked at again where nobody kept them."""
        d = self.maker
        if d.near is not None:
            return d.near
        return look_near(d.bodies, d.surfaces, d.state, d.rotations, d.places)[1]

    @property
    def positions(self) -> FloatArray:  # noqa: D102
        return self.near.local

    @property
    def gaps(self) -> FloatArray:  # noqa: D102
        return self.near.gaps

    @cached_property
    def nodes(self) -> IntArray:  # noqa: D102
        return _counted(self.state, "node")[: self.contacts]

    @cached_property
    def slots(self) -> IntArray:  # noqa: D102
        return _counted(self.state, "slot")[: self.contacts]

    @cached_property
    def _rate(self) -> FloatArray:
        d = self.maker
        return 1.0 / (d.options.theta * d.motion.dt + d.bodies.eta)

    @cached_property
    def frame(self) -> StepFrame:  # noqa: D102
        d = self.maker
        v, _, _, dt = d.motion
        listed = np.zeros(self.state.solid.shape, np.bool_)
        listed[self.nodes, self.slots] = True
        return look_at_ground(
            d.bodies, d.surfaces, d.state, d.rotations, d.places, v, dt, listed, HELD,
        )  # fmt: skip

    @cached_property
    def _details(self) -> dict[str, FloatArray]:
        """The arrays of `contact.step.swept_arrays.SweptParts`."""
        places = details_sheet(self.contacts, *self.state.solid.shape)
        return {name: places.part(self.state.details, name) for name in places.places}

    @property
    def laws(self) -> tuple[ContactLaws, ...]:  # noqa: D102
        if not self.contacts:
            return ()
        status = _counted(self.state, "found")[: self.contacts]
        return (ContactLaws(self._details["u"], self._details["r"], status),)

    @cached_property
    def solutions(self) -> tuple[Solution, ...]:
        """The one solution, with its problem and certificate; none if nothing was near."""
        if not self.contacts:
            return ()
        d, f, K, part = self.maker, self.frame, self.contacts, self._details
        *sums, unseen, rho, size, unsure = part["numbers"].tolist()
        node, _, body, P, A = ContactArrays(
            self.nodes, self.slots, _counted(self.state, "owner")[:K], part["P"], part["A"]
        )
        support = d.options.theta * d.motion.dt * d.motion.inverse_inertia
        operator = SoleDelassus.unchecked(
            d.bodies.compliances, self._rate, node, P, f.geometry, support, body, A
        )
        problem = Problem.unchecked(operator, part["q"], part["mu"], (rho, size))
        r, u = part["r"], part["u"]
        solution = trusted(
            Solution,
            problem=problem,
            reactions=r,
            velocity=u,
            status=self.laws[0].status,
            outcome=Outcome.SOLVED,
            certificate=make_certificate(problem, sums, r, u, unseen),
            method=METHOD,
            sweeps=self.iterations,
            generator=int(self.state.counts[2]),
            displacements=part["d"],
            unsure=unsure,
        )
        return (solution,)
