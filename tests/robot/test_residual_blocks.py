"""Offsets on a controller's command in blocks: the bits of ticks one by one."""

from __future__ import annotations

import numpy as np
import pytest

from robot.control import ResidualControl
from robot.gait import Walking
from robot.online import PlanChoice
from robot.walk import Scenario, assemble_walk, replace_values

TICKS = 20


def walked(scenario, ahead, size):
    """Configurations, commands and inner commands, offsets asked anew every `TICKS` ticks."""
    walk, rng = assemble_walk(scenario), np.random.default_rng(0)
    robot = walk.feet.robot
    joints = np.array([robot.model.joints[j].idx_v - 6 for leg in robot.legs for j in leg])
    control = ResidualControl(walk.controller, joints, robot.model.nv - 6)
    walk.controller = control
    q, limited, blocks = [], [], 0
    for k, (step, command) in enumerate(walk.steps(ahead=ahead)):
        q.append(np.concatenate([step.state.q, command.positions, command.velocities]))
        limited.append(step.saturated)
        blocks += step.last.block is not None
        if (k + 1) % TICKS == 0:
            control.ask(size * rng.normal(size=len(joints)), TICKS)
    return np.array(q), control.offset, np.array(limited), blocks / len(q)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("plan", "size"),
    [
        ("online", 1e-2),
        *(
            pytest.param(*case, marks=pytest.mark.nightly)
            for case in (("fixed", 1e-2), ("fixed", 1e-3), ("online", 1e-3))
        ),
    ],
)
def test_blocks_with_offsets_are_ticks_to_the_bit(plan, size):
    """Large offsets bring drives to their limits."""
    scenario = replace_values(
        Scenario(plan=PlanChoice(kind=plan), gait=Walking(steps=2)),
        ground="step:0.005,0.3",
        duration=1.6,
    )
    alone, together = walked(scenario, 1, size), walked(scenario, TICKS, size)
    assert alone[-1] == 0.0 and together[-1] > 0.5
    assert size < 1e-2 or alone[-2].any()
    for one, other in zip(alone[:-1], together[:-1], strict=True):
        np.testing.assert_array_equal(one, other)
