"""A stranger reads a run's file: with h5py and numpy alone, forces and poses belong together."""

from __future__ import annotations

from math import radians

import numpy as np
import pytest
from small_robot import LEG, drop, simulator
from torture.laws import bounds_of
from torture.scenarios import read_file
from torture.tally import Tally

from contact.ground import Bump, Plane, Slope
from robot.measures import metrics, verdict
from robot.run import save_run
from sole.condense import STRAIN_LIMIT

DT = 2e-3


@pytest.mark.parametrize(
    ("ground", "young"),
    [(Plane(), 1e6), (Slope(angle=radians(8)), 1e6), (Bump(rise=0.02, radius=0.3), 3e5)],
)
def test_forces_lie_in_the_cone_and_add_up_to_the_wrench(tmp_path, ground, young):
    # It lands turning by up to 6 rad/s: 12 mrad per step of 2 ms, a tenth of the forces' slope to
    # the cone. What the solver leaves is bounded by its residual, see `torture.laws`.
    sim = simulator(young=young, ground=ground)
    q, v = np.zeros(10), np.zeros(9)
    q[2], q[6] = LEG + 0.06, 1.0
    v[:6] = (0.6, 0.3, -0.5, 4.0, 3.0, -5.0)
    fall = drop(sim, 60, DT, state=sim.at(q, v), nodes=1)
    run = fall.recorder.run()
    slack = max(bounds_of(step.contact, DT).force for step in fall.steps)
    save_run(tmp_path / "run.nc", run)
    tally = Tally("file")
    read_file(tmp_path / "run.nc", ground, slack, tally, ground.kind, verdict(run))
    assert not tally.failures
    rows = {row["kind"]: row["tried"] for row in tally.rows}
    assert rows["cone in the file"] == rows["wrench in the file"] == 60 * 3
    assert rows["CoP in the file"] > 20
    turned = 2 * np.arccos(np.abs((run["body_rotation"][1:] * run["body_rotation"][:-1]).sum(-1)))
    assert turned.max() > 5e-3  # rad in a step: the axes of its end would not do


def test_a_sole_beyond_the_linear_range_is_flagged_everywhere():
    soft = simulator(young=1e4)
    run = drop(soft, 90).recorder.run()
    share = run["sole_displacement"][:, :2].max() / 0.02
    assert share > 0.2
    assert run.header["deformation"] == run.deformation[0] == pytest.approx(share, rel=1e-12)
    assert metrics(run)["deformation"].value == pytest.approx(share, rel=1e-12)
    assert "beyond linear elasticity" in metrics(run)["deformation"].remark
    assert f"deformation {share:.2g} of the thickness; limit {STRAIN_LIMIT:g})" in verdict(run)
    hard = drop(simulator(young=1e7), 90).recorder.run()
    assert 0 < hard.deformation[0] < 0.2
    assert "linear" not in verdict(hard)
    rigid = drop(simulator(young=None), 20).recorder.run()
    assert rigid.deformation == (0.0, "")
