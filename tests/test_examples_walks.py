"""The walks of examples/walks.py: all of them fit together, one runs; the page of films."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from example_scripts import EXAMPLES, load

from robot.gait import robot_walk
from robot.model import load_robot
from robot.walk import assemble_walk, ground_of, load_scenario, replace_values
from sole.base.errors import SoleError

SCENARIOS = EXAMPLES[0].parent / "scenarios"
SHORT = {
    "sole": {"size": 0.06, "element": "p1"},
    "gait": {"initial": 0.3, "final": 0.3},
    "tolerance": 1e-5,
    "settle": 0.1,
}


@pytest.fixture(scope="module")
def walks():
    return load("walks")


def test_every_family_starts_from_a_scenario_and_every_scenario_is_used(walks):
    ours = {p.stem for p in SCENARIOS.glob("*.toml") if not p.stem.startswith("lola_")}
    assert {f.base for f in walks.FAMILIES.values()} == ours
    for path in SCENARIOS.glob("*.toml"):
        load_scenario(path)


def test_what_the_tables_say(walks):
    """Moduli, directions, phases and seeds that are promised; no label twice."""
    every = walks.chosen()
    assert len(every) == sum(len(f.changes) for f in walks.FAMILIES.values()) > 150
    six = walks.chosen(["six_steps"])
    assert [s.sole.rigid or s.sole.young for s in six.values()] == pytest.approx(
        [True, 1e8, 2e7, 1e7, 3e6, 1e6, 3e5]
    )
    for family, impulse in (("push_standing", 10), ("push_walking", 5)):
        for label, scenario in walks.chosen([family]).items():
            (push,) = scenario.push
            x, y, z = (f * push.duration for f in push.force)
            angle = np.deg2rad(float(label.split("/")[1].split()[0]))
            wanted = impulse * np.cos(angle), impulse * np.sin(angle), 0.0
            assert (x, y, z) == pytest.approx(wanted, abs=1e-5)
    noisy = walks.chosen(["noisy"]).values()
    assert [s.seed for s in noisy] == [1, 2, 3, 4, 5]
    assert all(s.sensing.kind == "noisy" for s in noisy)
    with pytest.raises(SoleError, match="no walk 'nonsense'; known are six_steps"):
        walks.chosen(["nonsense"])


def test_the_plates_are_where_the_feet_land(walks):
    """Under one landing of one foot there are 5 mm, under the others the floor."""
    footsteps = robot_walk(load_robot("hrp2-like"), 6, 0.2).steps
    for label in walks.PLATES:
        (scenario,) = walks.chosen([f"plate/3 MPa, {label}"]).values()
        ground, raised = ground_of(scenario, SCENARIOS), []
        for step in footsteps:
            X, Y = np.meshgrid(
                step.foothold.x + np.linspace(-0.12, 0.12, 9),
                step.foothold.y + np.array([-0.07, 0, 0.07]),
            )
            height = ground.height(X.ravel(), Y.ravel())
            assert set(np.round(height, 12)) <= {0.0, 0.005}
            if (height > 0).mean() > 0.4:
                raised.append(step.side)
        assert raised == label.split()[:1] or (label.startswith("both") and len(raised) == 6)


@pytest.mark.nightly
def test_every_robot_of_the_walks_is_assembled(walks):
    robots = {s.robot: s for s in walks.chosen().values()}
    assert set(robots) == {"hrp2-like", "hrp4-like", "lola-like", "talos"}
    for scenario in robots.values():
        made = assemble_walk(
            replace_values(scenario, **SHORT | {"settle": 0.0, "gait": {"steps": 1}})
        )
        assert made.plan.end > 0


def test_a_walk_runs_and_is_filmed(walks, tmp_path, monkeypatch):
    monkeypatch.setattr(walks, "FILM", (160, 90))
    ((name, done),) = walks.main(["push_standing/90 deg"], **SHORT, duration=0.6)
    assert name == "push_standing/90 deg"
    assert not done.fell
    assert done.run.time[-1] == pytest.approx(0.6)
    assert done.measured["waist acceleration 100 Hz"] > 1.0  # 100 N on 58 kg: 1.7 m/s^2
    assert done.measured["contact residual"] <= 1e-5
    assert len(done.cells()) == len(walks.HEADER) - 1
    row = walks.kept(tmp_path, name, done, film=True)
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "push_standing_90_deg.mp4", "push_standing_90_deg.nc",
    ]  # fmt: skip
    assert 'src="push_standing_90_deg.mp4"' in row
    assert "stands" in row


def test_the_list_names_every_walk(walks, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["walks.py", "--list"])
    walks._run(walks._arguments())
    told = capsys.readouterr().out
    assert "plate: an unexpected plate of 5 mm" in told
    assert "    0.3 MPa\n" in told
    assert len(told.splitlines()) == len(walks.chosen()) + len(walks.FAMILIES)
