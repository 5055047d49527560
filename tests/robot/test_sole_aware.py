"""Sole-aware control: a stand, its memory, what it does without a solution, what it refuses."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from aware_cases import solved, standing
from robot_cases import feet

from robot.control import Sensed, SoleAware, SoleAwareChoice
from robot.gait import Standing
from robot.summaries.run_summary import describe_run
from robot.walk import ControlChoice, RecordingOptions, Scenario, SoleChoice, assemble_walk, execute
from sole.base.errors import ConfigError, SoleError


@pytest.fixture(scope="module")
def stood():
    return standing()


def test_a_robot_stands_on_its_aims_and_repeats_its_bits(stood):
    runs = [[step.state.q for step, _ in stood.steps()] for _ in range(2)]
    assert np.array_equal(*runs)
    control = stood.controller
    program, x, _ = solved(stood)
    n = len(stood.feet.robot.joints)
    aims = x[n:].reshape(2, 6)
    weight = stood.feet.robot.mass * 9.81
    assert aims[:, 2].sum() == pytest.approx(weight, rel=0.05)
    assert (program.A @ x <= program.upper[n + 12 :] + 1e-6).all()
    assert (np.abs(program.A[:n] @ x + program.torques) <= control.robot.torque + 1e-6).all()
    kept, again = control.arrays(), SoleAware(stood.feet, stood.plan)
    again.restore(kept)
    assert all(np.array_equal(kept[k], v) for k, v in again.arrays().items())
    a, b = (c.update(stood.sensed, 0.0) for c in (control, again))
    assert np.array_equal(a.torques, b.torques)


def test_a_program_without_solution_repeats_the_last_command(stood):
    control = SoleAware(stood.feet, stood.plan)
    sensed = stood.sensed
    first = control.update(sensed, 0.0)
    bad = Sensed(q=sensed.q, v=np.full_like(sensed.v, np.nan), wrenches=sensed.wrenches)
    again = control.update(bad, 0.001)
    assert control.failures == 1 and np.array_equal(again.torques, first.torques)
    # no torque is enough: the drives' limits contradict gravity
    control = SoleAware(stood.feet, stood.plan)
    control.limbs = control.limbs._replace(torque=np.full(30, 1e-6), fastest=np.full(30, 1e-6))
    held = control.update(sensed, 0.0)
    assert control.failures == 1 and np.isfinite(held.positions).all()
    # readings that are no numbers, before there was any command
    control = SoleAware(stood.feet, stood.plan)
    held = control.update(Sensed(q=bad.v[:1] * sensed.q, v=bad.v, wrenches=bad.wrenches), 0.0)
    assert control.failures == 1
    for part in (held.positions, held.velocities, held.torques):
        assert np.isfinite(part).all()


def test_a_run_counts_its_repeated_commands(stood):
    """`sole walk` tells them: every second program of this stand has no solution."""
    walk = replace(stood)
    solve, calls = walk.controller.solve, []

    def every_second(*program):
        calls.append(1)
        return (None, 0.0, -1, {}) if len(calls) % 2 else solve(*program)

    control = SoleAware(stood.feet, stood.plan)
    control.solve = every_second
    walk.controller = control
    run, error = execute(walk, RecordingOptions())
    assert error is None and run.header["repeated_commands"] == 50
    report = describe_run(run)
    assert report.quantities["repeated commands"].value == 50
    assert any("no solution" in note for note in report.warnings)


def test_bad_input_is_refused(stood, monkeypatch):
    on, plan = stood.feet, stood.plan
    for values, word in (
        ({"assumed": 0.0}, "assumed"), ({"assumed": -1.0}, "assumed"), ({"model": "soft"}, "model"),
        ({"omega": np.nan}, "omega"), ({"margin": -1.0}, "margin"),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=word):
            SoleAwareChoice(**values)
    with pytest.raises(SoleError, match="rigid"):
        SoleAware(feet(1e6, rigid=True), plan)
    with pytest.raises(SoleError, match="too small"):
        SoleAware(on, plan, choice=SoleAwareChoice(margin=0.08))
    with pytest.raises(SoleError, match=r"force sensors.*\(0,\)"):
        SoleAware(on, plan).update(Sensed(q=stood.start.q, v=stood.start.v, wrenches=()), 0.0)
    monkeypatch.setitem(sys.modules, "daqp", None)
    with pytest.raises(SoleError, match=r"pip install 'compliant-sole\[control\]'"):
        SoleAware(on, plan)


def test_curved_ground_and_bushes_are_refused(tmp_path):
    from robot.scenery import Bush

    s = Scenario(
        sole=SoleChoice(size=0.06, element="p1"),
        gait=Standing(initial=0.05, final=0.05),
        control=ControlChoice(kind="sole-aware"),
    )
    with pytest.raises(ConfigError, match="flat ground"):
        assemble_walk(replace(s, ground="bump:0.01,0.1,1.0,0.0"))
    (tmp_path / "field.toml").write_text(
        'schema = "contact.ground/1"\n[[solid]]\nkind = "heightfield"\nscale = 5.0\n'
        "heights = [[0, 0], [0, 0]]\n"
    )
    with pytest.raises(ConfigError, match="flat ground"):
        assemble_walk(replace(s, ground="field.toml"), tmp_path)
    with pytest.raises(ConfigError, match="bush"):
        assemble_walk(replace(s, bush=Bush(stiffness=(1e6,) * 6, damping=(4e3,) * 6)))
