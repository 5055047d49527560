"""Shared by the tests of sensors and estimates: perfect ones, and what they see of a step."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from robot.sensing import Noise

PERFECT = Noise(**dict.fromkeys(Noise.__dataclass_fields__, 0.0))


def step_of(on, q, v=None, a=None, wrenches=None, forces=None):
    """What sensors look at of a step: the state at its end, acceleration and forces."""
    n, nodes = on.robot.model.nv, sum(len(t.body.points) for t in on.touching)
    soles = SimpleNamespace(forces=np.zeros((nodes, 1, 3)) if forces is None else forces)
    state = SimpleNamespace(q=q, v=np.zeros(n) if v is None else v, soles=soles)
    none = np.zeros((len(on.touching), 6))
    contact = SimpleNamespace(wrenches=none if wrenches is None else wrenches)
    return SimpleNamespace(
        state=state, acceleration=np.zeros(n) if a is None else a, contact=contact, parts=()
    )
