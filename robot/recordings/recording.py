"""Record a simulation step by step: arrays that are there before, rows copied into them.

    recorder = Recorder(simulator, state, dt)
    for ...:
        step = simulator.step(state, command, dt)
        recorder.record(step, command)
        state = step.state
    run = recorder.run()

or `with recording(path, recorder): ...`, which writes the file in any case: Ctrl-C or an error in
the loop leaves the run so far, and the error goes on.

What costs time (centre of mass, feet, energies of the robot) is evaluated once, in `run()`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robot.measures.recorded import derived
from robot.mechanics.servo import Command
from robot.recordings.channels import CHANNELS, Channel
from robot.recordings.recording_kernels import slid, taken
from robot.recordings.recording_layout import Layout
from robot.run import FINISHED, Run
from robot.running.stopping import ended_by, stoppable
from robot.scenery.skeleton import Shape, Skeleton
from robot.scenery.treads import Tread, tread_of
from robot.simulate import RobotState, SimStep, Simulator
from sole.arrays import FloatArray
from sole.condense import CondensedSole
from sole.errors import ConfigError, ResourceError, SoleError
from sole.memory import require_memory

if TYPE_CHECKING:
    from robot.modelling.robot_model import RobotModel
    from robot.soles import FeetOnSoles

FIRST = 4096  # rows before the arrays are doubled
# Memory at its most, while the file is written: of a node in a snapshot [bytes], and times a row.
PER_NODE, ROWS = 250, 5  # measured: 211, 4.2


class Recorder:
    """Takes what matters of every step, or of every nth.

    Parameters
    ----------
    simulator : it. state : at the start. dt : of the steps [s].
    robot : for joint names and shapes; without it the model's names and no shapes.
    feet : what its feet stand on, for triangles and areas of the soles and which body is whose.
    soles : instead of `feet`. sides : (B,) instead of `feet`: the foot that each body belongs to,
        -1 for other things; by default each of the first two bodies is a foot.
    every : record every nth step; sums (work, losses, slip) and residuals hold all steps.
    nodes : a snapshot of all nodal forces and displacements every so many steps; 0 none.
    steps : how many there will be; None lets the arrays grow. Too many are refused.
    extras : further series: name -> Channel; values come with `record(..., name=value)`.
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
            raise ConfigError(f"extras {', '.join(clash)} are recorded anyway: take other names")
        bodies = [t.body for t in simulator.touching]
        if sides is None:
            sides = feet.sides.tolist() if feet is not None else [0, 1][: len(bodies)]
        sides = [*sides, *[-1] * (len(bodies) - len(sides))]
        soles = feet.soles if feet is not None else soles
        self.treads: tuple[Tread, ...] = tuple(
            tread_of(t.name, t.body, side, soles)
            for t, side in zip(simulator.touching, sides, strict=True)
        )
        known = simulator.stepper.bodies
        self._first = np.array(
            [known.nodes_of(b).start for b in range(len(bodies))] + [known.nodes]
        )
        fits = [t.fit().reshape(6, -1, 3).transpose(1, 0, 2) for t in self.treads]
        self._fits = np.ascontiguousarray(np.concatenate(fits))
        self._areas = np.concatenate([t.areas for t in self.treads])
        self._body = np.ascontiguousarray(known.body)
        self._half = simulator.options.theta - 0.5
        self._limit, self._size = steps, FIRST if steps is None else -(-steps // every)
        self._frames: list[tuple[float, FloatArray, FloatArray]] = []
        self._extras: dict[str, FloatArray] = {}
        self._layout = Layout(state, len(simulator.servo.kp), len(bodies))
        if steps is not None:
            snapshots = steps // nodes if nodes else 0
            require_memory(
                8.0 * ROWS * self._layout.width * self._size + PER_NODE * snapshots * known.nodes,
                f"a run of {self._size} rows and {snapshots} snapshots of {known.nodes} nodes",
                "keep every nth step (every=, --every), snapshots less often (nodes=, --nodes)",
            )
        self._rows = self._empty((self._layout.width,))
        self._count, self._steps, self._q = 0, 0, state.q
        self._worst, self._solved = 0.0, True
        self._own = self._layout.scratch()
        self.check: Callable[[], None] = lambda: None  # raises if it is time to stop

    def __len__(self) -> int:
        """Rows so far."""
        return self._count

    def record(self, step: SimStep, command: Command | None = None, **extra: ArrayLike) -> None:
        """Take a step; `command` that led to it, and extras that were declared.

        Raises
        ------
        SoleError
            More steps than `steps`, or an extra that was not declared or changes its shape.
        """
        self.check()
        if self._steps == self._limit:
            raise SoleError(f"the recorder was made for {self._limit} steps: raise steps")
        state, contact, own = step.state, step.contact, self._own
        soles, e, q, parts = state.soles, contact.energy, state.q, contact.solutions
        taken(
            q, self._q, step.torques, step.start.M, step.acceleration, self.dt, self._half,
            e.friction, e.push, e.viscous, e.numerical, *step.work, own.sums,
            self._first, self._fits, self._areas, soles.displacement, soles.forces,
            own.motion, own.largest, own.pressure, own.touching,
        )  # fmt: skip
        iterations, own.sliding[:] = 0, 0.0
        for s in parts:
            slid(
                self._body, contact.nodes, s.velocity, s.reactions, s.status,
                self.dt / len(parts), own.slip, own.sliding,
            )  # fmt: skip
            self._worst = max(self._worst, s.certificate.worst)
            self._solved &= s.solved
            iterations += s.iterations
        self._q, self._steps = q, self._steps + 1
        if self.nodes and self._steps % self.nodes == 0:
            self._frames.append((state.time, soles.forces, soles.displacement))
        if self._steps % self.every:
            return
        if self._count == self._size:
            self._grow()
        energy, contacts = soles.elastic_energy, len(contact.nodes)
        own.numbers[:] = state.time, energy, self._worst, iterations, contacts, self._solved
        self._worst, self._solved = 0.0, True  # rows tell of all steps since the last
        i = self._count
        nothing = own.nothing
        np.concatenate(
            (
                q, state.v, step.acceleration, step.torques, step.saturated,
                nothing if command is None else command.positions,
                nothing if command is None else command.velocities,
                contact.wrenches.ravel(), step.start.rotations.ravel(), step.start.places.ravel(),
                own.whole,
            ),
            out=self._rows[i],
        )  # fmt: skip
        for name, value in extra.items():
            self._extra(name, i, value)
        self._count = i + 1

    def run(self, ended: str = FINISHED) -> Run:
        """Return what was recorded so far; `ended` says why there is no more.

        Raises
        ------
        SoleError
            Nothing was recorded.
        """
        if not self._count:
            raise SoleError("nothing was recorded: the simulation made no (nth) step")
        rows: dict[str, NDArray[Any]] = self._layout.columns(self._rows[: self._count])
        rows |= {name: array[: self._count].copy() for name, array in self._extras.items()}
        return derived(self, rows, self._frames, ended)

    def shapes(self) -> tuple[Shape, ...]:
        """Return the robot's solids for pictures."""
        solids = () if self.robot is None else self.robot.solids
        return tuple(
            Shape(
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
        """Return the robot's tree with the frames of what may touch."""
        frames = [t.frame for t in self.simulator.touching]
        return Skeleton.of(self.simulator.model, frames, self.shapes())

    def _empty(self, shape: tuple[int, ...]) -> FloatArray:
        try:
            return np.full((self._size, *shape), np.nan)
        except MemoryError as error:
            raise ResourceError(
                f"no memory for {self._size} rows of the run: record every nth step"
            ) from error

    def _grow(self) -> None:
        self._size *= 2
        self._rows = self._longer(self._rows)
        self._extras = {name: self._longer(old) for name, old in self._extras.items()}

    def _longer(self, old: FloatArray) -> FloatArray:
        new = self._empty(old.shape[1:])
        new[: len(old)] = old
        return new

    def _extra(self, name: str, i: int, value: ArrayLike) -> None:
        if name not in self._extras:
            if name not in self.extras:
                declared = ", ".join(self.extras) or "none"
                raise SoleError(f"extra '{name}' was not declared; declared are {declared}")
            shape = np.shape(value)
            if len(shape) != len(self.extras[name].dims):
                raise SoleError(
                    f"extra '{name}' has shape {shape}, expected one for {self.extras[name].dims}"
                )
            self._extras[name] = self._empty(shape)
        try:
            self._extras[name][i] = value
        except (ValueError, TypeError) as error:
            raise SoleError(f"extra '{name}': {error}") from error


@contextmanager
def recording(path: Path, recorder: Recorder) -> Iterator[Recorder]:
    """Write the run to `path` when the block ends, also by Ctrl-C or an error, which goes on.

    Raises
    ------
    SoleError
        The file cannot be written (checked before the block, too).
    """
    from robot.recordings.run_file import save_anyhow
    from sole.archive import require_writable

    require_writable(Path(path))
    try:
        with stoppable() as recorder.check:
            yield recorder
    except BaseException as error:
        if len(recorder):
            save_anyhow(path, recorder.run(ended_by(error)))
        raise
    save_anyhow(path, recorder.run())
