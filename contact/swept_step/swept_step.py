"""The time step of soles whose nodes slide, land or leave: one compiled call.

It is what the general way of `contact.step.compliant_step` does where one step is one solve by
sweeps, with a certificate that holds. Most steps in which anything but sticking happens are such.
The numbers are those of the general way, which also takes every other step.

Case and factor: a walk on gravel without blocks, 1.5 times as fast as without this form at 104
nodes a foot, 1.8 at 300 (`python benchmarks/fast_forms.py --ground gravel --plan online`); a block
that slides on a pad, 2.4, 1.5 and 1.4 times at 50, 104 and 300 nodes. On planes and single steps,
where few nodes slide, 1. Blocks of ticks call its kernel.
"""

from __future__ import annotations

import numpy as np

from contact.solvers import NEGLECTED, SHARED
from contact.step import (
    AGAIN,
    CLOSED,
    HELD,
    PATIENCE,
    SHALLOW,
    SPEED_SLACK,
    CompliantStep,
    NearArrays,
    SoleState,
    StepMotion,
    look_near,
)
from contact.sweeps import StiffnessArrays, generator_state
from contact.swept_step.affine_step_kernels import is_due
from contact.swept_step.buffer_arrays import counts_sheet, details_sheet, stuck_sheet
from contact.swept_step.buffer_result import BufferSoleState, BufferStepResult
from contact.swept_step.swept_details import SweptDetails, SweptOrigin
from contact.swept_step.swept_solve_kernels import DONE, STIFFNESS, SweptMatrices, SweptRules
from contact.swept_step.swept_step_kernels import step_swept_soles
from sole.base.arrays import Bundle, FloatArray, IntArray, sealed, trusted
from sole.base.compiled import packed


class SweptStep:
    """One compiled call for the steps of `stepper`.

    Attributes
    ----------
    allowed : whether it may be tried at all.
    """

    def __init__(self, stepper: CompliantStep) -> None:
        o = self.options = stepper.options
        bodies, surfaces = self.bodies, self.surfaces = stepper.bodies, stepper.surfaces
        solver = self.solver = stepper.solver
        M, S = bodies.nodes, surfaces.slots
        self.allowed = o.single and not bodies.some_rigid
        self.shape, self.places = (M, S), stuck_sheet(M, S, bodies.count, 0)
        self.rooms = details_sheet(M * S, M, S).size, counts_sheet(M, S).size
        self.arrays = packed(bodies.arrays)
        sweeps = solver.sweeps
        rules = SweptRules(
            theta=o.theta,
            push_out=o.push_out,
            gains=o.gains,
            closed=CLOSED,
            slack=SPEED_SLACK,
            shallow=SHALLOW,
            share=HELD,
            tolerance=o.tolerance,
            swept=SHARED,
            neglected=NEGLECTED,
            relaxation=sweeps.relaxation,
            wait=sweeps.wait,
            most=AGAIN,
            patience=PATIENCE,
            generator=generator_state(o.seed),
        )
        self.rules = packed(rules)
        nothing = solver.unknown.arrays
        self.matrices = self._with(nothing, -1.0)  # K is made when it is first needed

    def _with(self, stiffness: StiffnessArrays, error: float) -> Bundle:
        C = self.bodies.compliances
        K, pack = packed(stiffness), packed(self.solver.pack)
        return packed(SweptMatrices(packed(C.arrays), C.diagonal, K, error, pack))

    def step(
        self, state: SoleState, R: FloatArray, p: FloatArray, motion: StepMotion
    ) -> BufferStepResult | None:
        """Step by `motion.dt` from R (B, 3, 3), p (B, 3); None: take the general way."""
        if not self.allowed or state.status.shape != self.shape:
            return None  # of other soles: the general way refuses it
        world, near = look_near(self.bodies, self.surfaces, state, R, p)
        before = state.displacement, state.elastic, state.status, near.gaps
        sheet, details = np.empty(self.places.size), np.empty(self.rooms[0])
        counts = np.empty(self.rooms[1], np.int64)
        answer = STIFFNESS
        while answer == STIFFNESS:
            answer = step_swept_soles(
                self.arrays, self.matrices, packed(state.memory), before, world, packed(near),
                packed(motion), self.rules, (state.steady, state.lost), sheet, details, counts,
            )  # fmt: skip
            if answer == STIFFNESS:
                K = self.solver.stiffness
                self.matrices = self._with(K.arrays, K.error)
        if answer != DONE:
            return None
        after = self.state(sheet, details, counts, near.solid)
        return self.result(after, state, R, p, motion, near)

    def goes_on(self, state: SoleState) -> bool:
        """Return whether a step by sweeps may follow: no run is due, K is known if it is needed."""
        fits = self.allowed and state.status.shape == self.shape
        swept = isinstance(state, BufferSoleState) and isinstance(state.origin, SweptOrigin)
        if not (fits and swept) or is_due(state.steady):
            return False
        if self.matrices[3] < 0.0:  # the same answer in the first walk and in the second
            K = self.solver.stiffness
            self.matrices = self._with(K.arrays, K.error)
        return True

    def state(
        self, sheet: FloatArray, details: FloatArray, counts: IntArray, solid: IntArray
    ) -> BufferSoleState:
        """Return the state that a step has written; `solid` (M, S) are its pieces of the ground."""
        origin = SweptOrigin(sealed(details), sealed(counts))
        return trusted(
            BufferSoleState,
            layout=self.places,
            buffer=sealed(sheet),
            origin=origin,
            status=origin.counted("status", solid.shape),
            solid=sealed(solid),
            substeps=1,
            steady=int(counts[3]),
        )

    def result(
        self,
        after: BufferSoleState,
        before: SoleState,
        R: FloatArray,
        p: FloatArray,
        motion: StepMotion,
        near: NearArrays | None = None,
    ) -> BufferStepResult:
        """Return the step between two states; near : its ground, None: it is looked at again."""
        details = trusted(
            SweptDetails,
            before=before,
            after=after,
            bodies=self.bodies,
            surfaces=self.surfaces,
            options=self.options,
            rotations=R,
            places=p,
            motion=motion,
            found=near,
            origin=after.origin,
        )
        return trusted(BufferStepResult, state=after, details=details)
