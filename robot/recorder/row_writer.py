"""What a recorder writes of every step: its row, from what the step wrote and from running sums.

Work, losses and slip are sums over all steps, residuals and iterations cover the steps since the
last row. So the writer sees every step, also those without a row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from robot.fused import StepBlock
from robot.recorder.contact_mode_kernels import find_corners
from robot.recorder.recording_kernels import fill_row, record_block, record_fused, record_step
from robot.recorder.recording_layout import Layout
from robot.recorder.step_sums_kernels import Energies, Nodes, add_block, add_slip, add_step
from robot.run import TreadNodes
from robot.simulator import Command, RobotState, SimStep, Simulator, leading_block
from sole.base.arrays import Bundle, FloatArray, read_only
from sole.base.compiled import packed

SLENDER = 0.1  # of the shorter side of a tread: narrower loaded parts are edges and points


class RowWriter:
    """Writes rows of `layout`, and keeps the sums between them.

    Parameters
    ----------
    simulator : the simulator. treads : of its bodies. state : the initial state.
    dt : time step [s]. layout : of a row.
    """

    def __init__(
        self,
        simulator: Simulator,
        treads: Sequence[TreadNodes],
        state: RobotState,
        dt: float,
        layout: Layout,
    ) -> None:
        self.dt = dt
        self._nodes = packed(nodes_of(simulator, treads))
        self._first, self._slots = self._nodes[0][:-1], state.soles.status.shape[1]
        self._body = np.ascontiguousarray(simulator.stepper.bodies.body)
        self._half = simulator.options.theta - 0.5
        self._q = state.q
        # Worst residual since the last row, iterations of this step, whether all was solved.
        self._since = 0.0, 0, True
        self._own = layout.scratch()
        self._slip = self._body, self._own.slip, self._own.sliding

    def add(self, step: SimStep, due: bool) -> None:
        """Add a step to the sums. If a row of it is `due`, `write` adds a step without parts."""
        self._since = self._since[0], 0, self._since[2]
        if step.parts or not due:
            parts, h = step.parts or (step,), self.dt / (len(step.parts) or 1)
            for part in parts[self._add_block(parts, h) :]:
                self._add(part, h)
        elif step.buffers is None or step.slips:
            self._count_contact(step, self.dt)

    def write(self, step: SimStep, command: Command | None, row: FloatArray) -> None:
        """Write the row of a step that was added, with the `command` that led to it."""
        if command is None:
            asked = self._own.nothing, self._own.nothing
        elif (rows := command.rows) is not None:
            asked = rows[0], rows[1]
        else:
            asked = command.positions, command.velocities
        if (buffers := step.buffers) is not None:
            self._write_fused(step, buffers, asked, row)
        else:
            self._write(step, asked, row)
        self._since = 0.0, 0, True  # a row covers all steps since the last one

    def write_block(self, block: StepBlock, first: int, end: int, rows: FloatArray) -> None:
        """Add the steps of a block from `first` to `end` and write their rows, in one call."""
        part, a = slice(first, end), block.arrays
        record_block(
            (self._q, a.q[first : end + 1]), self.dt, self._half, _sheets(block, part),
            self._slots, self._nodes, self._own.step, (a.commands[part], a.times[part]),
            float(block.contacts(first)), self._slip, self._own.whole, rows,
        )  # fmt: skip
        self._q = a.q[end]
        self._since = 0.0, 0, True

    def _write_fused(
        self,
        step: SimStep,
        buffers: tuple[FloatArray, FloatArray],
        asked: tuple[FloatArray, FloatArray],
        row: FloatArray,
    ) -> None:
        """Write the row of a fused step, from its buffers."""
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
            (self._q, state.q), self.dt, self._half, buffers, self._slots,
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
        if (found := leading_block(parts)) is None:
            return 0
        block, k, end = found
        n, q = end - k, block.arrays.q
        residual, sweeps = add_block(
            (self._q, q[k : k + n + 1]), dt, self._half, _sheets(block, slice(k, end)),
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
        if not contact.certified:
            return
        residual, iterations, solved = self._since
        self._since = (
            max(residual, contact.residual),
            iterations + contact.iterations,
            solved and contact.solved,
        )
        laws = contact.laws if contact.slips else ()
        for u, r, status in laws:
            nodes = read_only(contact.nodes)
            add_slip(self._body, nodes, u, r, status, dt / len(laws), own.slip, own.sliding)


def nodes_of(simulator: Simulator, treads: Sequence[TreadNodes]) -> Nodes:
    """Return the contact nodes of all bodies, as the kernels take them."""
    known, bodies = simulator.stepper.bodies, [t.body for t in simulator.touching]
    first = np.array([known.nodes_of(b).start for b in range(len(bodies))] + [known.nodes])
    areas = np.concatenate([t.areas for t in treads])
    places = [b.points[:, :2] for b in bodies]
    slender = np.array([SLENDER * np.ptp(xy, axis=0).min() for xy in places])
    fits = np.concatenate([t.fit() for t in treads], axis=1)
    corners = np.array([find_corners(np.array(xy), len(xy)) for xy in places]).reshape(-1, 8)
    return Nodes(first, fits, areas, np.concatenate(places), corners, slender)


def _sheets(block: StepBlock, part: slice) -> Bundle:
    """Return what some steps of a block have written."""
    a = block.arrays
    return a.motion_seen[part], a.sticking_seen[part], a.details_seen[part], a.counts_seen[part]


def _energies(step: SimStep) -> Energies:
    """Return the energies of a step."""
    e = step.contact.energy
    return packed(Energies(e.friction, e.push, e.viscous, e.numerical, *step.work))
