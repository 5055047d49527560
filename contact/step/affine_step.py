"""The time step of soles whose touching nodes all stick: twelve numbers per plane and O(m) work.

A run begins when the same nodes have stuck for some steps, and ends with the first step that the
affine form (`contact.solvers.affine`) does not solve: a force that leaves its cone, an open node
that closes, a plane that a node leaves. That step, and all until a new run, take the general way.

The base of a run is part of the state (`SoleState.run`); fields that belong to it are only kept.
So the same state gives the same bits, restored or not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from contact.solvers import SoleFactor, StickBase, StickRun, forget_parts
from contact.step.affine_step_kernels import (
    find_planes,
    find_stuck_nodes,
    group_by_plane,
    step_stuck_soles,
)
from contact.step.bodies import Bodies
from contact.step.energy import StepEnergy
from contact.step.options import StepOptions
from contact.step.several_grounds import SeveralGrounds
from contact.step.sole_state import SoleState, StickMemory
from contact.step.step_arrays import NearArrays, StepMotion
from contact.step.step_frame import look_near
from contact.step.stuck_arrays import FINE, NUMBERS, GroundAhead, StepLimits, StuckArrays
from contact.step.stuck_result import StuckDetails, StuckStart, StuckStepResult
from sole.base.arrays import FloatArray, IntArray, sealed, trusted
from sole.base.compiled import packed

FIRST, AGAIN = 2, 8  # steady steps before a run begins; if it fails, it is tried again after these
PAYS = 0.1  # further steps per node, for a part of a sole: its factor must pay
MOST = 4  # planes under one sole
SAME = 1e-12  # normals, and offsets [m], of one plane
KEPT = 4  # runs whose fields are kept


class AffineStep:
    """The affine form for one `CompliantStep`.

    Parameters
    ----------
    bodies, surfaces, options : of that step. known : factors of soles, shared with its solver.
    """

    def __init__(
        self,
        bodies: Bodies,
        surfaces: SeveralGrounds,
        options: StepOptions,
        known: dict[bytes, SoleFactor],
    ) -> None:
        o = self.options = options
        self.bodies, self.surfaces, self.known = bodies, surfaces, known
        single = o.substeps == 1 and o.error == 0.0 and o.solver is None and o.record is None
        self.allowed = o.sticking and single and not bodies.some_rigid
        self.flat = surfaces.planes  # (B, 4); (0, 4) if any ground is no plane
        nothing = np.empty((0, 4)), np.empty((0, 0)), np.empty((0, 0, 3))
        self.level = packed(GroundAhead(self.flat, *nothing))
        self.packed_bodies = packed(bodies.arrays)
        self.limits = packed(StepLimits(o.theta, o.push_out, o.gains))
        self.steepest = float(bodies.friction.max(initial=0.0))
        self.runs: list[StickRun] = []

    def run_of(
        self, state: SoleState, look: Callable[[], tuple[FloatArray, NearArrays]]
    ) -> tuple[StickRun, FloatArray] | None:
        """Return the run that `state` is part of, or that begins here, and its maps (L, 3, 4).

        `look` as `look_near`; it is called only where some ground is no plane.
        """
        memory = state.run
        if memory is not None:
            for run in self.runs:
                if run.base.displacement is memory.base.displacement:
                    return run, memory.maps
            return self._restored(state, memory)
        steady = state.steady
        if steady < FIRST or (steady - FIRST) % AGAIN:
            return None
        group, slot = np.empty((2, self.bodies.nodes), np.int64)
        first = self.bodies.compliances.first
        count, whole, some = find_stuck_nodes(state.status, first, group, slot)
        if not some or not (whole or steady > PAYS * count):
            return None
        if not len(self.flat):
            world, near = look()
            if not group_by_plane(first, slot, world, near.gaps, near.normals, MOST, SAME, group):
                return None
        base = StickBase(state.displacement, state.elastic, sealed(group), sealed(slot))
        run = self._known(base)
        return run, run.identity()

    def flat_run_of(self, state: SoleState) -> tuple[StickRun, FloatArray] | None:
        """Return `run_of` on planes; None where some ground is no plane or `state` does not fit."""
        if not self.allowed or not len(self.flat) or not (state.run or state.steady >= FIRST):
            return None
        if state.status.shape != (self.bodies.nodes, self.surfaces.slots):
            return None  # of other soles; the general way refuses it
        return self.run_of(state, _never)

    def _restored(
        self, state: SoleState, memory: StickMemory
    ) -> tuple[StickRun, FloatArray] | None:
        """Return the run of a state from a file; None if its nodes are not those that stick."""
        group, slot = np.empty((2, self.bodies.nodes), np.int64)
        _, _, some = find_stuck_nodes(state.status, self.bodies.compliances.first, group, slot)
        base = memory.base
        same = np.array_equal(slot, base.slot) and np.array_equal(group >= 0, base.group >= 0)
        if not some or not same:
            return None
        return self._known(base), memory.maps

    def _known(self, base: StickBase) -> StickRun:
        """Return the run of a base, with fields at hand if its arrays are the same."""
        for run in self.runs:
            if all(map(np.array_equal, run.base, base)):
                return run
        b = self.bodies
        run = StickRun.of(b.compliances, b.points, b.geometry, base, self.known)
        self.runs = [run, *self.runs[: KEPT - 1]]
        forget_parts(self.known)
        return run

    def step(
        self, state: SoleState, R: FloatArray, p: FloatArray, motion: StepMotion
    ) -> StuckStepResult | None:
        """Step by `motion.dt` from R (B, 3, 3), p (B, 3); None: take the general way."""
        if not self.allowed or not (state.run or state.steady >= FIRST):
            return None
        seen: list[tuple[FloatArray, NearArrays]] = []

        def look() -> tuple[FloatArray, NearArrays]:
            if not seen:
                seen.append(look_near(self.bodies, self.surfaces, state, R, p))
            return seen[0]

        chosen = self.run_of(state, look)
        if chosen is None:
            return None
        run, maps = chosen
        ground, near, solid = self.level, None, state.solid
        if not len(self.flat):
            (world, near), planes = look(), np.empty((run.planes, 4))
            solid = near.solid
            if not find_planes(
                run.bundle, world, near.gaps, near.normals, solid, state.solid, SAME, planes
            ):
                return None
            ground = packed(GroundAhead(self.flat, planes, near.gaps, near.normals))
        into = self.space(run, state)
        constants, bodies, memory, _, e, _, limits, written = self.bundles(run, state, maps, into)
        answer = step_stuck_soles(
            constants, bodies, memory, maps, e, R, p, ground, packed(motion), limits, written
        )
        if answer != FINE:
            return None
        return self.result(run, state, StuckStart(R, p, motion, near), into, solid)

    def bundles(
        self, run: StickRun, state: SoleState, maps: FloatArray, into: StuckArrays
    ) -> tuple[Any, ...]:
        """Return arguments of `step_stuck_soles` on planes, but the motion of the bodies."""
        return (
            run.bundle, self.packed_bodies, packed(state.memory), maps, state.elastic,
            self.level, self.limits, packed(into),
        )  # fmt: skip

    def space(self, run: StickRun, state: SoleState) -> StuckArrays:
        """Return arrays for a step."""
        M, B = self.bodies.nodes, self.bodies.count
        U, e, outside = np.empty((3, M, 3))
        return StuckArrays(
            maps=np.empty((run.planes, 3, 4)),
            U=U,
            e=e,
            outside=outside,
            forces=np.empty(state.forces.shape),
            twists=np.empty((3, 6 * B)),
            gap=np.empty(B),
            numbers=np.empty(NUMBERS),
        )

    def result(
        self, run: StickRun, state: SoleState, start: StuckStart, into: StuckArrays, solid: IntArray
    ) -> StuckStepResult | None:
        """Return the step from `state` that is written in `into`; None if it is not certified."""
        friction, push, wrench, elastic, viscous, numerical, *sizes = into.numbers.tolist()
        residual = self.residual(run, *sizes)
        if not residual <= self.options.tolerance:
            return None
        w, twist, mean = into.twists
        after = trusted(
            SoleState,
            displacement=sealed(into.U),
            elastic=sealed(into.e),
            forces=sealed(into.forces),
            earlier=state.forces,
            outside=sealed(into.outside),
            status=state.status,
            solid=sealed(solid),
            substeps=1,
            steady=state.steady + 1,
            run=StickMemory(run.base, sealed(into.maps)),
        )
        energy = trusted(
            StepEnergy,
            friction=friction,
            push=push,
            wrench=wrench,
            elastic=elastic,
            viscous=viscous,
            numerical=numerical,
        )
        return trusted(
            StuckStepResult,
            state=after,
            wrenches=w.reshape(-1, 6),
            twists=twist,
            mean_twists=mean,
            energy=energy,
            residual=residual,
            contacts=run.contacts,
            lowest=into.gap if start.near is None else None,
            maker=StuckDetails(self.bodies, self.surfaces, self.options, run, state, start),
        )

    def residual(self, run: StickRun, offset: float, length: float, left: float) -> float:
        """Return the bound of natural map and Signorini's law, relative: |q|, |s|, |u| [m/s]."""
        unseen = (1.0 + self.steepest) * (2.0 * run.error * length + left)
        return unseen / offset if offset > 0.0 else math.inf


def _never() -> tuple[FloatArray, NearArrays]:
    raise AssertionError("the ground is a plane: nobody asks it")
