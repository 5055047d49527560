"""Record a simulation step by step into preallocated arrays.

    recorder = Recorder(simulator, state, dt)
    for ...:
        step = simulator.step(state, command, dt)
        recorder.record(step, command)
        state = step.state
    run = recorder.run()

or `with recording(path, recorder): ...` of `recording_file`, which writes the file in any case:
after Ctrl-C or an error in the loop it writes the run so far and lets the error pass.

Expensive quantities (centre of mass, feet, energies of the robot) are evaluated once, in `run()`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from robot.fused import StepBlock
from robot.recorder.growing_rows import GrowingRows
from robot.recorder.recorded import NodalSnapshot, derive_run
from robot.recorder.recording_layout import Layout
from robot.recorder.row_writer import RowWriter
from robot.recorder.snapshots import block_snapshots, snapshot
from robot.run import CHANNELS, FINISHED, Channel, LinkShape, Run, Skeleton, TreadNodes, tread_of
from robot.simulator import Command, RobotState, SimStep, Simulator
from sole.base.errors import ConfigError, SoleError
from sole.base.memory import require_memory
from sole.condense import CondensedSole

if TYPE_CHECKING:
    from robot.model import RobotModel
    from robot.soles import FeetOnSoles

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
        self._limit, size = steps, FIRST if steps is None else -(-steps // every)
        self._frames: list[NodalSnapshot] = []
        self._layout = Layout(state, len(simulator.servo.kp), len(bodies))
        if steps is not None:
            snapshots, count = steps // nodes if nodes else 0, simulator.stepper.bodies.nodes
            require_memory(
                8.0 * ROWS * self._layout.width * size + PER_NODE * snapshots * count,
                f"a run of {size} rows and {snapshots} snapshots of {count} nodes",
                "record fewer steps (every=, --every) or fewer snapshots (nodes=, --forces-every)",
            )
        self._rows = GrowingRows(self._layout.width, size, self.extras)
        self._steps = 0
        self._writer = RowWriter(simulator, self.treads, state, dt, self._layout)
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
        block = step.block
        if block is not None and block.asks(command) and self.every == 1 and not extra:
            self._wait_for(block, step.index)
            return
        self._catch_up()
        if self.nodes and self._steps % self.nodes == 0:
            self._frames.append(snapshot(step))
        due = self._steps % self.every == 0
        self._writer.add(step, due)
        if not due:
            return
        self._writer.write(step, command, self._rows.next())
        for name, value in extra.items():
            self._rows.put(name, value)
        self._rows.count += 1

    def _wait_for(self, block: StepBlock, k: int) -> None:
        """Leave row and snapshot of step k of a block to one call for many."""
        if self._waiting is not None and self._waiting[0] is block and self._waiting[2] == k:
            self._waiting = block, self._waiting[1], k + 1
        else:
            self._catch_up()
            self._waiting = block, k, k + 1

    def _catch_up(self) -> None:
        """Write the rows of the steps that wait, which are the last ones, and their snapshots."""
        if self._waiting is None:
            return
        block, first, end = self._waiting
        rows = self._rows.room(end - first)
        self._waiting = None
        self._writer.write_block(block, first, end, rows)
        if self.nodes:
            begun = self._rows.count  # steps so far: there is a row of each
            due = range(first + (-begun - 1) % self.nodes, end, self.nodes)
            self._frames += block_snapshots(block, due) if due else []
        self._rows.count += len(rows)

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
