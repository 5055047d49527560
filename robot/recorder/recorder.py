"""Record a simulation step by step into preallocated arrays.

    recorder = Recorder(simulator, state, dt)
    for ...:
        step = simulator.step(state, command, dt)
        recorder.record(step, command)
        state = step.state
    run = recorder.run()

or `with recording(path, recorder): ...` of `robot.recorder.recording`, which writes the file in any
case: after Ctrl-C or an error in the loop it writes the run so far and lets the error pass.

Expensive quantities (centre of mass, feet, energies of the robot) are evaluated once, in `run()`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from contact.step import ExactStepResult
from robot.recorder.contact_mode_kernels import find_corners
from robot.recorder.growing_rows import GrowingRows
from robot.recorder.recorded import NodalSnapshot, derive_run
from robot.recorder.recording_kernels import (
    Energies,
    Nodes,
    add_block,
    add_slip,
    add_step,
    fill_row,
    record_block,
    record_fused,
    record_step,
)
from robot.recorder.recording_layout import Layout
from robot.run import CHANNELS, FINISHED, Channel, LinkShape, Run, Skeleton, TreadNodes, tread_of
from robot.simulator import (
    BlockStep,
    Command,
    FusedSimStep,
    RobotState,
    SimStep,
    Simulator,
    StepBlock,
)
from sole.base.arrays import Bundle, FloatArray
from sole.base.compiled import packed
from sole.base.errors import ConfigError, SoleError
from sole.base.memory import require_memory
from sole.condense import CondensedSole

if TYPE_CHECKING:
    from robot.model import RobotModel
    from robot.soles import FeetOnSoles

SLENDER = 0.1  # of the shorter side of a tread: narrower loaded parts are edges and points
FIRST = 4096  # rows before the arrays are doubled
# Peak memory, while the file is written: bytes per node of a snapshot, multiples of a row.
PER_NODE, ROWS = 250, 5  # measured: 211, 4.2


class Recorder:
    """Records every step or every nth step.

    Parameters
    ----------
    simulator : the simulator. state : the initial state. dt : time step [s].
    robot : gives joint names and shapes; without it the model's names and no shapes.
    feet : robot and soles: triangles and areas of the soles, and the foot of each body.
    soles : the soles, instead of `feet`. sides : (B,) instead of `feet`: the foot of each body, -1
        for other bodies; by default each of the first two bodies is a foot.
    every : record every nth step; sums (work, losses, slip) and residuals cover all steps.
    nodes : take a snapshot of all nodal forces and displacements every nth step; 0: never.
    steps : expected number of steps; None lets the arrays grow. More steps are refused.
    extras : further series: name -> Channel; pass values by `record(..., name=value)`.
    scenario : JSON-serialisable, kept in the header.
    """

    def __init__(
        self,
        simulator: Simulator,
        state: RobotState,
        dt: float,
        *,
        robot: RobotModel | None = None,
        feet: FeetOnSoles | None = None,
        soles: Sequence[CondensedSole] = (),
        sides: Sequence[int] | None = None,
        every: int = 1,
        nodes: int = 0,
        steps: int | None = None,
        extras: Mapping[str, Channel] | None = None,
        scenario: Mapping[str, Any] | None = None,
    ) -> None:
        if not (math.isfinite(dt) and dt > 0):
            raise ConfigError(f"dt must be positive, got {dt:g} s")
        if every < 1 or nodes < 0 or (steps is not None and steps < 1):
            raise ConfigError(f"every and steps must be >= 1, nodes >= 0, got {every}, {nodes}")
        self.simulator, self.dt, self.every, self.nodes = simulator, dt, every, nodes
        self.robot = feet.robot if robot is None and feet is not None else robot
        self.extras, self.scenario = dict(extras or {}), dict(scenario or {})
        clash = sorted(set(self.extras) & set(CHANNELS))
        if clash:
            raise ConfigError(f"extras {', '.join(clash)} are recorded anyway: use other names")
        bodies = [t.body for t in simulator.touching]
        if sides is None:
            sides = feet.sides.tolist() if feet is not None else [0, 1][: len(bodies)]
        sides = [*sides, *[-1] * (len(bodies) - len(sides))]
        soles = feet.soles if feet is not None else soles
        self.treads: tuple[TreadNodes, ...] = tuple(
            tread_of(t.name, t.body, side, soles)
            for t, side in zip(simulator.touching, sides, strict=True)
        )
        known = simulator.stepper.bodies
        first = np.array([known.nodes_of(b).start for b in range(len(bodies))] + [known.nodes])
        areas = np.concatenate([t.areas for t in self.treads])
        places = [b.points[:, :2] for b in bodies]
        slender = np.array([SLENDER * np.ptp(xy, axis=0).min() for xy in places])
        fits = np.concatenate([t.fit() for t in self.treads], axis=1)
        corners = np.array([find_corners(np.array(xy), len(xy)) for xy in places]).reshape(-1, 8)
        self._nodes = packed(Nodes(first, fits, areas, np.concatenate(places), corners, slender))
        self._first, self._slots = first[:-1], state.soles.status.shape[1]
        self._body = np.ascontiguousarray(known.body)
        self._half = simulator.options.theta - 0.5
        self._limit, size = steps, FIRST if steps is None else -(-steps // every)
        self._frames: list[NodalSnapshot] = []
        self._layout = Layout(state, len(simulator.servo.kp), len(bodies))
        if steps is not None:
            snapshots = steps // nodes if nodes else 0
            require_memory(
                8.0 * ROWS * self._layout.width * size + PER_NODE * snapshots * known.nodes,
                f"a run of {size} rows and {snapshots} snapshots of {known.nodes} nodes",
                "record fewer steps (every=, --every) or fewer snapshots (nodes=, --nodes)",
            )
        self._rows = GrowingRows(self._layout.width, size, self.extras)
        self._steps, self._q = 0, state.q
        # Worst residual since the last row, iterations of this step, whether all was solved.
        self._since = 0.0, 0, True
        self._own = self._layout.scratch()
        self._slip = self._body, self._own.slip, self._own.sliding
        self._waiting: tuple[StepBlock, int, int] | None = None  # steps of a block without rows
        self.check: Callable[[], None] = lambda: None  # raises to stop the run

    def __len__(self) -> int:
        """Return the number of rows so far."""
        self._catch_up()
        return self._rows.count

    def record(self, step: SimStep, command: Command | None = None, **extra: ArrayLike) -> None:
        """Record a step with the `command` that led to it and the declared extras.

        Raises
        ------
        SoleError
            There are more steps than `steps`, or an extra is not declared or has a wrong shape.
        """
        self.check()
        if self._steps == self._limit:
            raise SoleError(f"the recorder is limited to {self._limit} steps: increase `steps`")
        self._steps += 1
        if isinstance(step, BlockStep) and step.asks(command) and self.every == 1 and not extra:
            self._wait_for(step.block, step.index)
            return
        self._catch_up()
        self._since = self._since[0], 0, self._since[2]
        if self.nodes and self._steps % self.nodes == 0:
            self._frames.append(_snapshot(step))
        due = self._steps % self.every == 0
        if step.parts or not due:
            parts, h = step.parts or (step,), self.dt / (len(step.parts) or 1)
            for part in parts[self._add_block(parts, h) :]:
                self._add(part, h)
        elif not isinstance(step, FusedSimStep) or step.slips:
            self._count_contact(step, self.dt)
        if not due:
            return
        if command is None:
            asked = self._own.nothing, self._own.nothing
        elif (rows := command.rows) is not None:
            asked = rows[0], rows[1]
        else:
            asked = command.positions, command.velocities
        row = self._rows.next()
        if isinstance(step, FusedSimStep):
            self._write_fused(step, asked, row)
        else:
            self._write(step, asked, row)
        self._since = 0.0, 0, True  # a row covers all steps since the last one
        for name, value in extra.items():
            self._rows.put(name, value)
        self._rows.count += 1

    def _wait_for(self, block: StepBlock, k: int) -> None:
        """Leave the row of step k of a block to one call for many."""
        if self.nodes and self._steps % self.nodes == 0:
            self._frames.append(_snapshot(block.step(k)))
        if self._waiting is not None and self._waiting[0] is block and self._waiting[2] == k:
            self._waiting = block, self._waiting[1], k + 1
        else:
            self._catch_up()
            self._waiting = block, k, k + 1

    def _catch_up(self) -> None:
        """Write the rows of the steps that wait."""
        if self._waiting is None:
            return
        block, first, end = self._waiting
        part, a, rows = slice(first, end), block.arrays, self._rows.room(end - first)
        self._waiting = None
        record_block(
            (self._q, a.q[first : end + 1]), self.dt, self._half, _sheets(block, part),
            self._slots, self._nodes, self._own.step, (a.commands[part], a.times[part]),
            float(block.contacts(first)), self._slip, self._own.whole, rows,
        )  # fmt: skip
        self._q = a.q[end]
        self._since = 0.0, 0, True
        self._rows.count += len(rows)

    def _write_fused(
        self, step: FusedSimStep, asked: tuple[FloatArray, FloatArray], row: FloatArray
    ) -> None:
        """Write the row of a fused step, from its sheets."""
        state, own, (residual, iterations, solved) = step.state, self._own, self._since
        since = (
            state.time,
            residual,
            float(iterations),
            float(step.contacts),
            float(solved),
            step.slips,
        )
        record_fused(
            (self._q, state.q), self.dt, self._half, step.sheets, self._slots,
            self._nodes, own.step, asked, since, own.whole, row,
        )  # fmt: skip
        self._q = state.q

    def _write(self, step: SimStep, asked: tuple[FloatArray, FloatArray], row: FloatArray) -> None:
        """Write the row of a step, which is added to the running sums if it has no parts."""
        state, contact, own, poses = step.state, step.contact, self._own, step.poses
        # Copies of wrenches and gaps, which are read-only after steps of sticking soles: another
        # type, compiled anew.
        parts = (
            state.q, state.v, step.acceleration, step.torques, step.saturated, *asked,
            np.array(contact.wrenches), np.array(poses[0]), np.array(poses[1]),
            np.array(contact.least_gaps(self._first)),
        )  # fmt: skip
        residual, iterations, solved = self._since
        soles, count = state.soles, float(contact.contacts)
        numbers = (
            state.time,
            soles.elastic_energy,
            residual,
            float(iterations),
            count,
            float(solved),
        )
        if step.parts:
            fill_row(parts, numbers, own.whole, row)
            return
        record_step(
            (self._q, step.square), self.dt, self._half, _energies(step), self._nodes,
            (soles.displacement, soles.forces), own.step, parts, numbers, own.whole, row,
        )  # fmt: skip
        self._q = state.q

    def _add_block(self, parts: Sequence[SimStep], dt: float) -> int:
        """Add the first steps to the running sums if they are a block; return how many they are."""
        n, first = 0, parts[0]
        if not isinstance(first, BlockStep):
            return 0
        block, k = first.block, first.index
        while n < len(parts) and isinstance(part := parts[n], BlockStep) and part.block is block:
            n += 1
        q = block.arrays.q
        residual, sweeps = add_block(
            (self._q, q[k : k + n + 1]), dt, self._half, _sheets(block, slice(k, k + n)),
            self._slots, self._nodes, self._own.step, self._slip,
        )  # fmt: skip
        self._q, before = q[k + n], self._since
        self._since = max(before[0], residual), before[1] + sweeps, before[2]
        return n

    def _add(self, step: SimStep, dt: float) -> None:
        """Add a step to the running sums."""
        soles = step.state.soles
        add_step(
            step.state.q, self._q, step.torques, step.square, dt, self._half, _energies(step),
            self._nodes, soles.displacement, soles.forces, self._own.step,
        )  # fmt: skip
        self._q = step.state.q
        self._count_contact(step, dt)

    def _count_contact(self, step: SimStep, dt: float) -> None:
        """Add the slip, residuals and iterations of a step's contacts."""
        contact, own = step.contact, self._own
        own.sliding[:] = 0.0
        if not isinstance(contact, ExactStepResult):
            return
        residual, iterations, solved = self._since
        self._since = (
            max(residual, contact.residual),
            iterations + contact.iterations,
            solved and contact.solved,
        )
        laws = contact.laws if contact.slips else ()
        for u, r, status in laws:
            add_slip(self._body, contact.nodes, u, r, status, dt / len(laws), own.slip, own.sliding)

    def run(self, ended: str = FINISHED, last: int | None = None) -> Run:
        """Return the run so far; `ended` says why it ended.

        `last` : keep only so many rows, the last ones, and no snapshots.

        Raises
        ------
        SoleError
            Nothing was recorded.
        """
        if not len(self):
            raise SoleError("nothing was recorded: the simulation made no (nth) step")
        recorded, extras = self._rows.last(last)
        rows: dict[str, NDArray[Any]] = {**self._layout.columns(recorded), **extras}
        return derive_run(self, rows, self._frames if last is None else (), ended)

    def shapes(self) -> tuple[LinkShape, ...]:
        """Return the robot's solids for pictures."""
        solids = () if self.robot is None else self.robot.solids
        return tuple(
            LinkShape(
                kind=s.kind,
                link=s.link,
                joint=s.joint - 1,
                placement=s.placement,
                size=s.size,
                path=s.path,
            )
            for s in solids
        )

    def skeleton(self) -> Skeleton:
        """Return the robot's tree with the frames of the contact bodies."""
        frames = [t.frame for t in self.simulator.touching]
        return Skeleton.of(self.simulator.model, frames, self.shapes())


def _sheets(block: StepBlock, part: slice) -> Bundle:
    """Return what some steps of a block have written."""
    a = block.arrays
    return a.motion_seen[part], a.sticking_seen[part], a.details_seen[part], a.counts_seen[part]


def _energies(step: SimStep) -> Energies:
    """Return the energies of a step."""
    e = step.contact.energy
    return packed(Energies(e.friction, e.push, e.viscous, e.numerical, *step.work))


def _snapshot(step: SimStep) -> NodalSnapshot:
    """Return the nodes in a step, or in the last of its parts."""
    last, soles = step.last, step.state.soles
    rotations, places = last.poses
    return NodalSnapshot(
        time=step.state.time,
        forces=np.array(soles.forces),  # not views: a step of a block would keep all of it
        displacements=np.array(soles.displacement),
        positions=last.contact.positions,
        places=np.array(places),
        rotations=np.array(rotations),
    )
