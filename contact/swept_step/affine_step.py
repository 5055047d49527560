"""The time step of soles whose touching nodes all stick: twelve numbers per plane and O(m) work.

A run begins when the same nodes have stuck for some steps, and ends with the first step that the
affine form (`contact.solvers.affine`) does not solve: a force that leaves its cone, an open node
that closes, a plane that a node leaves. That step, and all until a new run, take the general way.

Case and factor: a walk on a plane without blocks, 2.4 times as fast as by the general way at 50
and 104 nodes a foot, 4 at 300; on a step of 5 mm 1.7, 1.9 and 3.7
(`python benchmarks/fast_forms.py`).

The base of a run is part of the state (`SoleState.run`); fields that belong to it are only kept.
So the same state gives the same bits, restored or not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from contact.solvers import StickBase, StickRun, forget_parts
from contact.step import (
    CompliantStep,
    NearArrays,
    SoleState,
    StepMotion,
    look_near,
)
from contact.swept_step.affine_step_kernels import (
    SAME_PLANE,
    LookArrays,
    find_planes,
    find_stuck_nodes,
    group_by_plane,
    is_due,
    step_stuck_soles,
)
from contact.swept_step.buffer_arrays import FINE, LOST, GroundAhead, StepLimits, stuck_sheet
from contact.swept_step.buffer_result import BufferSoleState, BufferStepResult
from contact.swept_step.stuck_details import StuckDetails, StuckOrigin, StuckStart, stuck_origin
from sole.base.arrays import Bundle, FloatArray, IntArray, sealed, trusted
from sole.base.compiled import packed
from sole.base.sheet import Sheet

PAYS = 0.1  # further steps per node, for a part of a sole: its factor must pay
MOST = 4  # planes under one sole
KEPT = 4  # runs whose fields are kept


class StuckBegin(NamedTuple):
    """How a step of a run begins.

    run : the run. ground : `GroundAhead`, packed. near : the surfaces near the nodes; None on
    planes. solid : (M, S) their pieces. constants : the first argument of `step_stuck_soles`.
    places : of its sheet.
    """

    run: StickRun
    ground: Bundle
    near: NearArrays | None
    solid: IntArray
    constants: Bundle
    places: Sheet


class AffineStep:
    """The affine form for the steps of `stepper`.

    Attributes
    ----------
    allowed : whether it may be tried at all.
    """

    def __init__(self, stepper: CompliantStep) -> None:
        o = self.options = stepper.options
        bodies, surfaces = self.bodies, self.surfaces = stepper.bodies, stepper.surfaces
        self.known = stepper.solver.soles  # factors of soles, which both may make
        self.allowed = o.single and not bodies.some_rigid
        self.flat = surfaces.planes  # (B, 4); (0, 4) if any ground is no plane
        nothing = np.empty((0, 4)), np.empty((0, 0)), np.empty((0, 0, 3))
        self.level = packed(GroundAhead(self.flat, *nothing))
        steepest = float(bodies.friction.max(initial=0.0))
        limits = StepLimits(o.theta, o.push_out, o.gains, steepest, o.tolerance, surfaces.slots)
        self.limits = packed(limits)
        self.nodes = sealed(np.concatenate([bodies.points.ravel(), bodies.friction, bodies.eta]))
        self.shape = bodies.nodes, surfaces.slots, bodies.count
        self.runs: list[StickRun] = []
        self._last: StuckBegin | None = None  # of a step on planes

    def may_begin(self, state: SoleState) -> bool:
        """Return whether a state may be part of a run, or one may begin; a quick look."""
        if not self.allowed or state.status.shape != self.shape[:2]:
            return False  # of other soles: the general way refuses it
        if stuck_origin(state) is not None or state.run is not None:
            return True
        return is_due(state.steady)

    def resumed(self, state: SoleState) -> StuckBegin | None:
        """Return the run that wrote a state, also in a second walk; None: there is none."""
        origin = stuck_origin(state)
        if origin is None:
            return None
        if len(self.flat):
            return self.begin(state, None)
        begun, run = StuckBegin(*origin.begun), self._run_of(state, None)
        if run is None:
            return None
        return begun if run is begun.run else self._begun(run, begun.ground, None, state.solid)

    def begin(
        self, state: SoleState, poses: tuple[FloatArray, FloatArray] | None
    ) -> StuckBegin | None:
        """Return the run that a state is part of, or that begins here, and the ground of the step.

        `state` : one that `may_begin`. `poses` : R (B, 3, 3) and p (B, 3), None if all grounds are
        planes.
        """
        if len(self.flat):
            origin = stuck_origin(state)
            if origin is not None and origin.begun is self._last:
                return self._last  # as in most steps
            run = self._run_of(state, None)
            if run is None:
                return None
            self._last = self._begun(run, self.level, None, state.solid)
            return self._last
        assert poses is not None
        world, near = seen = look_near(self.bodies, self.surfaces, state, *poses)
        run = self._run_of(state, seen)
        if run is None:
            return None
        planes = np.empty((run.planes, 4))
        if not find_planes(
            run.constants,
            world,
            near.gaps,
            near.normals,
            near.solid,
            state.solid,
            SAME_PLANE,
            planes,
        ):
            return None
        ground = self.flat, planes, near.gaps, near.normals  # `GroundAhead`
        return self._begun(run, ground, near, near.solid)

    def _begun(
        self, run: StickRun, ground: Bundle, near: NearArrays | None, solid: IntArray
    ) -> StuckBegin:
        constants = (*run.constants, self.nodes)
        return StuckBegin(run, ground, near, solid, constants, stuck_sheet(*self.shape, run.planes))

    def _run_of(
        self, state: SoleState, seen: tuple[FloatArray, NearArrays] | None
    ) -> StickRun | None:
        """Return the run of `begin`; `seen` as `look_near`, None on planes."""
        memory = stuck_origin(state) or state.run
        if memory is not None:
            for run in self.runs:
                if run.base.displacement is memory.base.displacement:
                    return run
            return self._restored(state, memory.base)
        group, slot = np.empty((2, self.bodies.nodes), np.int64)
        first = self.bodies.compliances.first
        count, whole, some = find_stuck_nodes(state.status, first, group, slot)
        if not some or not (whole or state.steady > PAYS * count):
            return None
        if seen is not None:
            world, near = seen
            if not group_by_plane(
                first, slot, world, near.gaps, near.normals, MOST, SAME_PLANE, group
            ):
                return None
        base = StickBase(state.displacement, state.elastic, sealed(group), sealed(slot))
        return self._known(base)

    def _restored(self, state: SoleState, base: StickBase) -> StickRun | None:
        """Return the run of a state from a file; None if its nodes are not those that stick."""
        group, slot = np.empty((2, self.bodies.nodes), np.int64)
        _, _, some = find_stuck_nodes(state.status, self.bodies.compliances.first, group, slot)
        same = np.array_equal(slot, base.slot) and np.array_equal(group >= 0, base.group >= 0)
        if not some or not same:
            return None
        return self._known(base)

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
    ) -> BufferStepResult | None:
        """Step by `motion.dt` from R (B, 3, 3), p (B, 3); None: take the general way."""
        if not self.may_begin(state):
            return None
        begun = self.begin(state, (R, p))
        if begun is None:
            return None
        sheets = before, after = self.sheets(begun, state)
        answer = step_stuck_soles(
            begun.constants, before, R, p, begun.ground, packed(motion), self.limits, after
        )
        if answer != FINE:
            return None
        start = partial(StuckStart, R, p, motion, begun.near)
        return self.result(begun, state, self.state(begun, state, sheets), start)

    def sheets(self, begun: StuckBegin, state: SoleState) -> tuple[FloatArray, FloatArray]:
        """Return the sheet of the step before, and an empty one."""
        run, places = begun.run, begun.places
        after = np.empty(places.size)
        if isinstance(state, BufferSoleState) and isinstance(state.origin, StuckOrigin):
            if state.layout is places:
                return state.buffer, after
        before, s = np.zeros(places.size), state
        maps = run.identity() if s.run is None else s.run.maps
        given = {"maps": maps, "U": s.displacement, "e": s.elastic, "outside": s.outside}
        for name, array in (given | {"forces": s.forces}).items():
            places.part(before, name)[:] = array
        places.part(before, "numbers")[LOST] = s.lost
        return sealed(before), after

    def state(
        self,
        begun: StuckBegin,
        state: SoleState,
        sheets: tuple[FloatArray, FloatArray],
        steps: int = 1,
    ) -> BufferSoleState:
        """Return the state `steps` after `state`; the last two steps are written in the sheets."""
        before, sheet = sheets
        return trusted(
            BufferSoleState,
            layout=begun.places,
            buffer=sealed(sheet),
            origin=StuckOrigin(before, begun.run.base, begun),
            status=state.status,
            solid=sealed(begun.solid),
            substeps=1,
            steady=state.steady + steps,
        )

    def result(
        self,
        begun: StuckBegin,
        state: SoleState,
        after: BufferSoleState,
        start: Callable[[], StuckStart],
    ) -> BufferStepResult:
        """Return the step from `state` to `after`."""
        details = trusted(
            StuckDetails,
            before=state,
            after=after,
            bodies=self.bodies,
            surfaces=self.surfaces,
            options=self.options,
            run=begun.run,
            start=start,
        )
        return trusted(BufferStepResult, state=after, details=details)

    def look(self, planes: int) -> LookArrays | None:
        """Return what `look_below` and `look_ahead` take for one ground; None: there are several.

        planes : of a run.
        """
        parts, b = self.surfaces.parts, self.bodies
        if len(parts) > 1:
            return None
        (M, S), o, ground = self.shape[:2], np.empty, parts[0][1]
        plane = o((0, 3)) if ground.plane is None else np.array(ground.plane)
        room = o((M, 3)), o((M, 3)), o((M, S)), o((M, S, 3)), o((planes, 4))
        return LookArrays(b.points, b.body, ground.arrays, plane, ground.reach, SAME_PLANE, *room)
