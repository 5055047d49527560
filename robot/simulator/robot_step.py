"""The state of a simulated robot and a step of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from contact.step import SoleState, StepResult
from robot.simulator.dynamics import Snapshot
from robot.simulator.joint_space_kernels import double_energy
from sole.base.arrays import BoolArray, FloatArray, IntArray, sealed
from sole.base.errors import SoleError


@dataclass(frozen=True, eq=False, kw_only=True)
class RobotState:
    """The complete state of the simulation.

    Parameters
    ----------
    q : (nq,) configuration, quaternion (x, y, z, w). v : (nv,) velocity.
    soles : memory of all contact bodies.
    time : [s].
    """

    q: FloatArray
    v: FloatArray
    soles: SoleState
    time: float = 0.0

    def arrays(self) -> dict[str, FloatArray | IntArray]:
        """Return the state as arrays, for `np.savez`."""
        soles = {f"soles.{name}": a for name, a in self.soles.arrays().items()}
        return {"q": self.q, "v": self.v, "time": np.array(self.time), **soles}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, FloatArray | IntArray]) -> RobotState:
        """Rebuild a state from `arrays()`, bit for bit.

        Raises
        ------
        SoleError
            An array is missing or mis-shaped.
        """
        missing = [name for name in ("q", "v", "time") if name not in arrays]
        if missing:
            raise SoleError(f"state of a robot: {', '.join(missing)} missing")
        soles = {name[6:]: a for name, a in arrays.items() if name.startswith("soles.")}
        return cls(
            q=np.array(arrays["q"]),
            v=sealed(np.array(arrays["v"])),
            soles=SoleState.from_arrays(soles),
            time=float(arrays["time"]),
        )


class Work(NamedTuple):
    """Work in a step at the velocity that moved the robot [J]: of stops, pushes and couplings."""

    stops: float
    pushes: float
    couplings: float


NO_WORK = Work(0.0, 0.0, 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class SimStep:
    """A step of the simulator.

    Parameters
    ----------
    state : state at its end.
    start : dynamics at its start, which define the axes of the wrenches.
    contact : result of the contact step.
    torques : (n,) mean torques of the drives [N m].
    saturated : (n,) whether a drive is at its limit.
    stops : (n,) torques of the joint stops [N m].
    couplings : (m, 6) mean wrenches of the springs on their lower frames, in the frames' axes.
    acceleration : (nv,) (v+ - v)/dt.
    work : work of stops, pushes and couplings.
    parts : the shorter steps that make it up, empty if it is one: `join_steps`.
    """

    state: RobotState
    start: Snapshot
    contact: StepResult
    torques: FloatArray
    saturated: BoolArray
    stops: FloatArray
    couplings: FloatArray
    acceleration: FloatArray
    work: Work
    parts: tuple[SimStep, ...] = ()

    @property
    def time(self) -> float:
        """Time at its end [s]."""
        return self.state.time

    @property
    def last(self) -> SimStep:
        """The last of `parts`, or the step itself."""
        return self.parts[-1] if self.parts else self

    @property
    def poses(self) -> tuple[FloatArray, FloatArray]:
        """Rotations R (B, 3, 3) and places p (B, 3) of `start`."""
        return self.start.rotations, self.start.places

    @property
    def square(self) -> float:
        """a'M a of the acceleration a [J/s^2]."""
        return double_energy(self.start.M, self.acceleration)

    @property
    def contacts(self) -> int:
        """How many nodes touch, or may."""
        return self.contact.contacts

    @property
    def slips(self) -> bool:
        """Whether any node may have slipped."""
        return self.contact.slips

    @property
    def block(self) -> Any:
        """The `StepBlock` that it is a step of; None: it was made alone."""
        return None

    @property
    def index(self) -> int:
        """Which step of its `block` it is."""
        return 0

    @property
    def buffers(self) -> tuple[FloatArray, FloatArray] | None:
        """What compiled code wrote of robot and soles, as in `FusedDetails`; None: it did not."""
        return None

    def least_gaps(self, first: IntArray) -> FloatArray:
        """Return the least gap (B,) [m] at its start of every body, with nodes from `first` on."""
        return self.contact.least_gaps(first)

    @property
    def wrenches(self) -> FloatArray:
        """Wrenches (B, 6) of the ground on the robot about the contact frames, world axes."""
        w = self.contact.wrenches.reshape(-1, 2, 3)
        turned = w @ self.start.turns.transpose(0, 2, 1)
        return np.asarray(turned.reshape(-1, 6))
