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
        self._first = [bodies.nodes_of(b).start for b in range(feet)]
        self._bodies = np.array([bodies.nodes_of(b).start for b in range(bodies.count)])
        self._end = bodies.nodes_of(feet - 1).stop
        self._touching = np.ones(feet, dtype=np.bool_)
        self._until = np.full(feet, -np.inf)

    def landing(self, step: SimStep) -> bool:
        """Return whether a foot lands at the end of `step`."""
        last = step.last
        loads = last.state.soles.forces[: self._end].any(axis=(1, 2))
        touching = np.logical_or.reduceat(loads, self._first)
        self._until[touching & ~self._touching] = step.state.time + TOUCHDOWN
        self._touching = touching
        near = last.contact.least_gaps(self._bodies)[: len(self._first)] < NEAR
        return bool((~touching & near).any() or (self._until > step.state.time).any())
