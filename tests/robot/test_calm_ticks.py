"""Ticks of an online plan in blocks: the bits of ticks one by one, wherever something happens."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

from robot.fused.walk_block_kernels import walk_block
from robot.online import PlanChoice, WalkCommand
from robot.walk import Scenario, assemble_walk, replace_values

COMMANDS = (WalkCommand(time=1.0, forward=0.2), WalkCommand(time=2.2, stop=True))
GROUNDS = {
    "a step": ("step:0.005,0.4", {}),
    "gravel": ("gravel", {"start": {"z": 0.004}}),
    "a drop: late feet": ("step:0.02,-0.3,angle_deg=180", {"start": {"z": 0.02}}),
    "commands": ("plane", {"plan": {"command": COMMANDS}}),
    "no adaptation": ("plane", {"plan": {"adapt": 0.0, "partial": False}}),
    "contacts that do not count": ("step:0.005,0.4", {"plan": {"early": False, "late": False}}),
    "over a step": ("step:0.03,0.35", {"plan": {"step_over": True}}),
    "short steps at landings": ("step:0.005,0.4", {"landing_dt": 2.5e-4}),
    "a push": ("plane", {"push": ({"start": 1.2, "duration": 0.05, "force": (0.0, 20.0, 0.0)},)}),
}
# What the ground brings, and what comes at a time; the others are for `make test-nightly`.
FEW = ("a drop: late feet", "a push")


def walked(scenario, ahead):
    """Configurations, what the plan did, events, and the share of steps in blocks."""
    walk = assemble_walk(scenario)
    steps = [step for step, _ in walk.steps(ahead=ahead)]
    blocks = sum(step.last.block is not None for step in steps)
    q = np.array([step.state.q for step in steps])
    plan = walk.online
    return q, plan.past, list(plan.events), plan.memory(), blocks / len(steps)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=() if n in FEW else pytest.mark.nightly) for n in GROUNDS]
)
def test_blocks_are_ticks_to_the_bit(name):
    ground, values = GROUNDS[name]
    plan = {"kind": "online", **values.get("plan", {})}
    scenario = replace_values(
        Scenario(plan=PlanChoice(**plan)),
        ground=ground,
        duration=2.6,
        start=values.get("start", {}),
    )
    alone, together = walked(scenario, 1), walked(scenario, 32)
    assert alone[-1] == 0.0 and together[-1] > 0.5
    np.testing.assert_array_equal(alone[0], together[0])
    np.testing.assert_array_equal(alone[1], together[1])
    assert alone[2] == together[2]
    for key, value in alone[3].items():
        np.testing.assert_array_equal(value, together[3][key], err_msg=key)


def test_a_walk_in_blocks_runs_twice_with_the_same_bits():
    scenario = replace_values(
        Scenario(plan=PlanChoice(kind="online")), ground="step:0.005,0.3", duration=1.2
    )
    walk = assemble_walk(scenario)
    one, other = (np.array([s.state.q for s, _ in walk.steps()]) for _ in range(2))
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", ["online", "fixed"])
def test_a_second_run_compiles_nothing(kind):
    """Copies of read-only arrays that can be written are another type: a minute of compilation."""
    scenario = replace_values(Scenario(plan=PlanChoice(kind=kind)), ground="step:0.005,0.3")
    walk = assemble_walk(replace_values(scenario, duration=0.1))
    compiled = []
    for walked in (walk, walk, replace(walk, controller=deepcopy(walk.controller))):
        assert any(step.last.block is not None for step, _ in walked.steps())
        compiled.append(walk_block.signatures)
    assert compiled[0] == compiled[1] == compiled[2]


def test_the_plan_ends_with_the_run():
    """No block computes ticks beyond the end: the series of the plan are those of the run."""
    scenario = replace_values(Scenario(plan=PlanChoice(kind="online")), duration=0.21)
    walk = assemble_walk(scenario)
    steps = sum(1 for _ in walk.steps())
    assert steps == 210
    assert len(walk.online.past) == 211
