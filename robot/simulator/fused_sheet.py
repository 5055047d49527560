"""What the fused step writes besides the soles, in one sheet, and the step made of it."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from contact.step import NearArrays, SheetStepResult, StepMotion, StuckStart
from robot.simulator.joint_forces_kernels import STOPPING, TORQUES
from robot.simulator.robot_step import NO_WORK, RobotState, SimStep, Work
from sole.base.arrays import BoolArray, FloatArray, sealed
from sole.base.compiled import inner_kernel
from sole.base.made_later import MadeLater
from sole.base.sheet import Sheet

if TYPE_CHECKING:
    from contact.step import AffineStep, SoleState, StuckBegin, StuckSoleState
    from robot.simulator.dynamics import Dynamics, Snapshot

NO_SPRINGS = sealed(np.zeros((0, 6)))


class FusedParts(NamedTuple):
    """The arrays of the sheet, for B bodies, n joints and nv velocities.

    Attributes
    ----------
    joints : (6, n) as in `joint_forces_kernels`.
    R, p : rotations and places as in `Snapshot`.
    motion : (3, nv) v+, dt v_bar and (v+ - v)/dt.
    S6, twists : (6B, 6B) and (2, 6B): J v and J v_free.
    work : (2,) of pushes [J], and a'M a of the acceleration a = (v+ - v)/dt.
    """

    joints: FloatArray
    R: FloatArray
    p: FloatArray
    motion: FloatArray
    S6: FloatArray
    twists: FloatArray
    work: FloatArray


@cache
def fused_sheet(bodies: int, joints: int, nv: int) -> Sheet:
    """Return where the arrays of `FusedParts` are in their sheet."""
    B = bodies
    return Sheet(
        {
            "joints": (6, joints),
            "R": (B, 3, 3),
            "p": (B, 3),
            "motion": (3, nv),
            "S6": (6 * B, 6 * B),
            "twists": (2, 6 * B),
            "work": (2,),
        }
    )


@inner_kernel
def open_fused(sheet: FloatArray, bodies: int, joints: int) -> FusedParts:
    """Return the arrays of a sheet, in the order of `fused_sheet`."""
    B, n = bodies, joints
    nv = (len(sheet) - 2 - 6 * n - 24 * B - 36 * B * B) // 3
    a = 6 * n
    b = a + 9 * B
    c = b + 3 * B
    d = c + 3 * nv
    e = d + 36 * B * B
    f = e + 12 * B
    return FusedParts(
        sheet[:a].reshape(6, n),
        sheet[a:b].reshape(B, 3, 3),
        sheet[b:c].reshape(B, 3),
        sheet[c:d].reshape(3, nv),
        sheet[d:e].reshape(6 * B, 6 * B),
        sheet[e:f].reshape(2, 6 * B),
        sheet[f:],
    )


class FusedStart:
    """The start of a fused step, made of its sheet when asked for."""

    def __init__(
        self, places: Sheet, sheet: FloatArray, dt: float, near: NearArrays | None
    ) -> None:
        self.places, self.sheet, self.dt, self.near = places, sheet, dt, near

    def part(self, name: str) -> FloatArray:
        """Return a part of the sheet."""
        return self.places.part(self.sheet, name)

    def __call__(self) -> StuckStart:
        """Return what the contact step began with."""
        twists, free = self.part("twists")
        motion = StepMotion(twists, free, self.part("S6"), self.dt)
        return StuckStart(self.part("R"), self.part("p"), motion, self.near)


class FusedSimStep(MadeLater, SimStep):
    """A step of the simulator whose arrays are made when asked for.

    Attributes
    ----------
    before : the state at its start. dynamics : of its simulator.
    begun : its sheet. maker : what the contact step follows from; None: that is known.
    sheets : its own sheet and that of the soles.
    pushes : whether there were pushes.
    """

    ordinary = SimStep
    before: RobotState
    dynamics: Dynamics
    begun: FusedStart
    maker: tuple[AffineStep, StuckBegin, SoleState, StuckSoleState] | None = None
    sheets: tuple[FloatArray, FloatArray]
    pushes: bool
    couplings = NO_SPRINGS

    @cached_property
    def contact(self) -> SheetStepResult:
        """See `SimStep`, as for the others."""
        assert self.maker is not None
        affine, contact, before, after = self.maker
        return affine.result(contact, before, after, self.begun)

    @property
    def bodies(self) -> int:
        """B, the number of contact bodies."""
        return self.begun.places.places["p"][1][0]

    @property
    def contacts(self) -> int:
        """How many nodes touch, or may."""
        return self.contact.contacts if self.maker is None else self.maker[1].run.contacts

    @property
    def slips(self) -> bool:
        """Whether any node may have slipped."""
        return self.maker is None

    @cached_property
    def start(self) -> Snapshot:
        """See `SimStep`."""
        return self.dynamics.at(self.before.q, self.before.v)

    @property
    def poses(self) -> tuple[FloatArray, FloatArray]:  # noqa: D102
        return self.begun.part("R"), self.begun.part("p")

    @cached_property
    def torques(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.begun.part("joints")[TORQUES])

    @cached_property
    def stops(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.begun.part("joints")[STOPPING])

    @cached_property
    def saturated(self) -> BoolArray:  # noqa: D102
        return np.zeros(self.begun.places.places["joints"][1][1], np.bool_)

    @cached_property
    def acceleration(self) -> FloatArray:  # noqa: D102
        return np.asarray(self.begun.part("motion")[2])

    @property
    def square(self) -> float:  # noqa: D102
        return float(self.begun.part("work")[1])

    @property
    def work(self) -> Work:  # noqa: D102
        return Work(0.0, float(self.begun.part("work")[0]), 0.0) if self.pushes else NO_WORK
