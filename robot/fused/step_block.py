"""Steps in a row that one compiled call made, without Python between them.

Their arrays lie one step behind the other. A step of it is a `BufferSimStep`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from contact.swept_step import BufferSoleState, LookArrays, StuckBegin
from robot.fused.fused_details import FusedDetails
from robot.fused.fused_sheet import FusedStart
from robot.simulator import TORQUES, BufferSimStep, Command, RobotState
from sole.base.arrays import BoolArray, Bundle, FloatArray, IntArray, sealed, trusted
from sole.base.compiled import packed

if TYPE_CHECKING:
    from robot.fused.block_parts import BlockParts

FEW, ROOM = 32, 2**22  # swept steps of a block; numbers that their details may take in all
EMPTY = tuple(sealed(np.empty(0, kind)) for kind in (float, np.int64, float))  # of no run


class BlockArrays(NamedTuple):
    """The arrays of a block of N steps; those that are `seen` are read-only views.

    Attributes
    ----------
    motion : (N, F) sheets of `open_fused`. sticking : (N, S) buffers of
        `contact.swept_step.open_sheet`.
    details, counts : of `contact.swept_step.open_details` and `open_counts` for steps by sweeps;
        (0, D), (0, C) where all nodes stick.
    solids : (N + 1, M, S) pieces of the ground, the first ones at the start; (0, M, S) for runs on
        planes, where they stay.
    q : (N + 1, nq) configurations, the first one at the start. times : (N,) at the ends [s].
    commands : (N, 3, n) as `Command.of_rows`.
    wrenches : (N, 2, 6), switches : (N, P) as in `robot.control.Sensed`; postures : (N, 2) height
        and tilt of the waist.
    """

    motion: FloatArray
    motion_seen: FloatArray
    sticking: FloatArray
    sticking_seen: FloatArray
    details: FloatArray
    details_seen: FloatArray
    counts: IntArray
    counts_seen: IntArray
    solids: IntArray
    solids_seen: IntArray
    q: FloatArray
    times: FloatArray
    commands: FloatArray
    wrenches: FloatArray
    switches: BoolArray
    postures: FloatArray


class SolesAhead(NamedTuple):
    """The soles at the start of a block.

    `constants` to `limits` are those of `step_stuck_soles`, the others of `step_swept_soles`.
    """

    constants: Bundle
    sheet: FloatArray
    ground: Bundle
    limits: Bundle
    bodies: Bundle
    matrices: Bundle
    memory: Bundle
    elastic: FloatArray
    status: IntArray
    rules: Bundle
    past: tuple[int, float]


@dataclass(eq=False, kw_only=True)
class StepBlock:
    """N steps of a controller and a robot, or room for them.

    Its soles stick in one run, or all steps are solved by sweeps.

    Attributes
    ----------
    parts : of the simulator. start : the state before the first step.
    contact : the run; None: steps by sweeps. dt : time step [s]. look : `LookArrays`.
    arrays : what is filled. count : how many steps were made.
    """

    parts: BlockParts
    start: RobotState
    contact: StuckBegin | None
    dt: float
    look: LookArrays
    arrays: BlockArrays
    count: int = 0

    @staticmethod
    def of(
        parts: BlockParts, start: RobotState, dt: float, size: int, pads: int
    ) -> StepBlock | None:
        """Return room for at most `size` steps of a robot with so many pads; None: not from here.

        A block begins in a run, or behind a step by sweeps after which no run may begin.
        """
        soles, affine, swept = start.soles, parts.affine, parts.swept
        details = counts = 0
        if (contact := affine.resumed(soles)) is not None:
            places, planes = contact.places, contact.run.planes
        elif swept.goes_on(soles):
            places, planes, (details, counts) = swept.places, 0, swept.rooms
            size = max(1, min(size, FEW, ROOM // details))
        else:
            return None
        look = affine.look(planes)
        if look is None:
            return None
        N, n, made = size, len(parts.laws.servo.kp), 0 if contact else size
        stays = contact is not None and len(affine.flat) > 0
        solids = np.empty((0 if stays else N + 1, *soles.solid.shape), np.int64)
        solids[:1] = soles.solid
        q = np.empty((N + 1, len(start.q)))
        q[0] = start.q
        o = np.empty
        arrays = BlockArrays(
            *_twice(o((N, parts.places.size))), *_twice(o((N, places.size))),
            *_twice(o((made, details))), *_twice(o((made, counts), np.int64)), *_twice(solids),
            q, o(N), o((N, 3, n)), o((N, 2, 6)), o((N, pads), np.bool_), o((N, 2)),
        )  # fmt: skip
        return StepBlock(parts=parts, start=start, contact=contact, dt=dt, look=look, arrays=arrays)

    @property
    def arguments(self) -> tuple[Bundle, ...]:
        """Factors, robot, laws of the joints with their first place in v, `SolesAhead`, look."""
        parts, contact, soles = self.parts, self.contact, self.start.soles
        affine = parts.affine
        laws = *parts.laws.numbers, parts.first
        ahead = SolesAhead(
            constants=EMPTY if contact is None else contact.constants,
            sheet=soles.buffer,  # type: ignore[attr-defined]
            ground=affine.level,
            limits=affine.limits,
            bodies=parts.swept.arrays,
            matrices=parts.swept.matrices,
            memory=packed(soles.memory),
            elastic=soles.elastic,
            status=soles.status,
            rules=parts.swept.rules,
            past=(soles.steady, soles.lost),
        )
        return parts.space.factors, parts.robot, laws, packed(ahead), packed(self.look)

    def contacts(self, k: int) -> int:
        """How many nodes touch, or may, in step k."""
        return int(self.arrays.counts[k, 0]) if self.contact is None else self.contact.run.contacts

    def state(self, k: int) -> RobotState:
        """Return the state after step k; -1: the start."""
        if k < 0:
            return self.start
        a, swept, affine = self.arrays, self.parts.swept, self.parts.affine
        sheet, soles = a.sticking_seen[k], self.start.soles
        after: BufferSoleState
        if self.contact is None:
            after = swept.state(sheet, a.details_seen[k], a.counts_seen[k], a.solids_seen[k + 1])
        else:
            before = a.sticking_seen[k - 1] if k else soles.buffer  # type: ignore[attr-defined]
            run = self.contact
            run = run._replace(solid=a.solids_seen[k + 1]) if len(a.solids) else run
            after = affine.state(run, soles, (before, sheet), k + 1)
        v = a.motion_seen[k][self.parts.new]
        return trusted(RobotState, q=a.q[k + 1], v=v, soles=after, time=float(a.times[k]))

    def drives(self, k: int) -> tuple[FloatArray, FloatArray]:
        """Return torques [N m] and speeds [rad/s] of the joints in step k, (n,) each."""
        row, parts = self.arrays.motion_seen[k], self.parts
        torques = parts.places.part(row, "joints")[TORQUES]
        return torques, row[parts.new][parts.first :]

    def step(self, k: int) -> BufferSimStep:
        """Return step k."""
        return trusted(BufferSimStep, block=self, index=k)

    def details(self, k: int, after: RobotState) -> FusedDetails:
        """Return the details of step k, and of the state `after` it."""
        buffers = self.arrays.motion_seen[k], self.arrays.sticking_seen[k]
        return trusted(
            FusedDetails,
            stepper=self.parts.stepper,
            dynamics=self.parts.dynamics,
            state=after,
            before=lambda: self.state(k - 1),
            begun=FusedStart(self.parts.places, buffers[0], self.dt),
            run=self.contact,
            buffers=buffers,
        )

    def command(self, k: int) -> Command:
        """Return the command of step k."""
        return Command.of_rows(self.arrays.commands[k])

    def asks(self, command: Command | None) -> bool:
        """Return whether this is a command that a step of the block followed."""
        rows = None if command is None else command.rows
        return rows is not None and rows.base is self.arrays.commands


def _twice(array: Any) -> tuple[Any, Any]:
    """Return an array and a read-only view of it: kernels tell these apart."""
    seen = array.view()
    seen.setflags(write=False)
    return array, seen
