"""What the display of a running scene needs, as one row of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from sole.base.arrays import FloatArray

if TYPE_CHECKING:
    from robot.simulator import SimStep
    from robot.walk import Walk

NUMBERS = (
    "time",  # simulated [s]
    "factor",  # times real time, of the last second
    "stamp",  # of the last message that the step knew
    "paused",
    "over",
    "pulling",
    "session",  # counts restarts
    "speed",  # times real time that was chosen
)  # fmt: skip


class SceneLayout(NamedTuple):
    """Sizes: nq, contact bodies, nodes, and numbers of a scene's own."""

    nq: int
    bodies: int
    nodes: int
    more: int = 0

    @property
    def parts(self) -> dict[str, tuple[int, ...]]:
        """Name and shape of each part.

        `grip`: point x, target and force of the pull (3, 3) [m, m, N]. `wrench` (B, 6) about each
        body's origin in its axes; `rotations`, `places` at the start of the step; `moved` U and
        `pressed` f (M, 3), axes of the bodies; `more` by the scene.
        """
        B, M = self.bodies, self.nodes
        return {
            "numbers": (len(NUMBERS),), "grip": (3, 3), "q": (self.nq,), "wrench": (B, 6),
            "rotations": (B, 3, 3), "places": (B, 3), "moved": (M, 3), "pressed": (M, 3),
            "more": (self.more,),
        }  # fmt: skip

    @property
    def size(self) -> int:
        """Numbers in all."""
        return sum(int(np.prod(shape)) for shape in self.parts.values())

    def views(self, row: FloatArray) -> dict[str, FloatArray]:
        """Return the parts of a row (size,), as views."""
        found, at = {}, 0
        for name, shape in self.parts.items():
            n = int(np.prod(shape))
            found[name] = row[at : at + n].reshape(shape)
            at += n
        return found


class SceneSnapshot:
    """Rows of one walk."""

    def __init__(self, walk: Walk) -> None:
        simulator = walk.simulator
        bodies = len(simulator.touching)
        self.layout = SceneLayout(simulator.model.nq, bodies, simulator.stepper.bodies.nodes)
        self.row = np.zeros(self.layout.size)
        self.parts = self.layout.views(self.row)

    def fill(self, walk: Walk, step: SimStep, **numbers: Any) -> FloatArray:
        """Return the row of a step; `numbers` by `NUMBERS` besides the time."""
        parts, start, state = self.parts, step.last.start, step.state
        parts["numbers"][:] = [state.time if n == "time" else numbers[n] for n in NUMBERS]
        parts["q"][:] = state.q
        parts["wrench"][:] = step.contact.wrenches.reshape(-1, 6)
        parts["rotations"][:], parts["places"][:] = start.rotations, start.places
        parts["moved"][:] = state.soles.displacement
        parts["pressed"][:] = state.soles.forces.sum(axis=1)
        pulls = walk.scenario.pull
        if numbers["pulling"] and pulls:
            pull = pulls[-1]
            x, v, _ = walk.points.motion(pull.link, pull.point, state.q, state.v)
            t = state.time
            parts["grip"][:] = x, pull.target(t), pull.force(t, x, v)
        else:
            parts["grip"][:] = 0.0
        return self.row
