"""The walks of examples/scenarios: all of them can be read, one runs."""

from __future__ import annotations

import pytest
from example_scripts import EXAMPLES, load

from robot.scenario import Gait, SoleChoice, load_scenario

SCENARIOS = sorted((EXAMPLES[0].parent / "scenarios").glob("*.toml"))


def test_every_scenario_can_be_read() -> None:
    assert len(SCENARIOS) >= 10
    for path in SCENARIOS:
        load_scenario(path)


def test_walks() -> None:
    walks = load("walks")
    (name, walked), *rest = walks.main(
        ["push_standing"],
        sole=SoleChoice(young=3e6, size=0.06, element="p1"),
        gait=Gait(kind="stand", initial=0.4, final=0.5),
        tolerance=1e-5,
        settle=0.1,
    ).items()
    assert name == "push_standing"
    assert not rest
    assert not walked.fell
    assert walked.run.time[-1] == pytest.approx(0.9)
    assert walked.waist > 1.0  # 100 N on 58 kg: 1.7 m/s^2
    assert walked.residual <= 1e-5
