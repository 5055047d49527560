"""When a foot lands, and time steps should be short.

A landing begins when a foot without contact is within `NEAR` of the ground and ends `TOUCHDOWN`
after its first touch, as long as `robot.measures` looks for the peak of a landing. A foot that has
just left the ground is near it, too: a few short steps more.
"""

from __future__ import annotations

import numpy as np

from robot.measures import TOUCHDOWN
from robot.simulator import SimStep, Simulator

NEAR = 2e-3  # m: 7 ms before a foot touches at 0.3 m/s


class LandingWatch:
    """Tells after every step whether a foot lands.

    Parameters
    ----------
    simulator : the simulator. feet : how many of its first bodies are soles of feet.
    """

    def __init__(self, simulator: Simulator, feet: int) -> None:
        bodies = simulator.stepper.bodies
        self._nodes = [bodies.nodes_of(b) for b in range(feet)]
        self._bodies = np.array([bodies.nodes_of(b).start for b in range(bodies.count)])
        self._touching = [True] * feet
        self._until = -np.inf

    def landing(self, step: SimStep) -> bool:
        """Return whether a foot lands at the end of `step`."""
        last, time = step.last, step.time
        forces = last.state.soles.forces
        touching = [bool(np.count_nonzero(forces[nodes])) for nodes in self._nodes]
        if any(now and not before for now, before in zip(touching, self._touching, strict=True)):
            self._until = time + TOUCHDOWN
        self._touching = touching
        if self._until > time:
            return True
        if all(touching):
            return False
        gaps = last.least_gaps(self._bodies)
        near = (gaps[: len(touching)] < NEAR).tolist()
        return any(lands and not on for lands, on in zip(near, touching, strict=True))
