"""Retiming under the limit surface of compliant soles: rows, margins, a motion on a soft sole."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robot_cases import run_of

from contact.frames import rotation_of_quaternion
from contact.margins import PressureCone
from contact.papers.onset import SoleCone
from robot.model import load_robot
from robot.retime import ConeChoice, RetimeChoice, retime, retime_on_soles, surface_margins
from robot.retime.sole_surface import TreadFriction
from robot.soles import on_soles
from robot.walk import SoleChoice, load_scenario, retime_scenario
from sole.base.errors import ConfigError, SoleError
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape

ROBOT = load_robot("hrp4-like")
ELEVEN = load_scenario(Path(__file__).parents[2] / "examples" / "retiming" / "eleven_postures.toml")
MU = 0.8


@pytest.fixture(scope="module")
def sole():
    rubber = Material(young_modulus=3e6, poisson_ratio=0.4)
    return condense(mesh_shape(ROBOT.left.shape(0.02), 0.06, 0.06), [rubber], element="p1")


@pytest.fixture(scope="module")
def feet(sole):
    return on_soles(ROBOT, sole, friction=MU)


@pytest.fixture(scope="module")
def path(feet):
    return ELEVEN.gait.path(feet.robot, feet.thicknesses)


def test_the_rows_are_the_limit_surface_of_the_pressure_from_outside(sole):
    """Independent: the gauge of `PressureCone` by its own search; rows are 4 % outside at most."""
    tread = TreadFriction.of(SoleCone.of(sole, MU))
    rng = np.random.default_rng(4)
    w = np.column_stack(
        [
            rng.uniform(-150, 150, (40, 2)),
            np.full(40, 400.0),
            rng.uniform(-1, 1, 40) * 0.03 * 400,
            rng.uniform(-1, 1, 40) * 0.05 * 400,
            rng.uniform(-12, 12, 40),
        ]
    )
    shares = tread.shares(w)
    assert shares.sum(axis=1) == pytest.approx(1.0)
    rows = tread.rows(shares, 0.0)
    for k in range(len(w)):
        central = -rows[k, :, 2] * w[k, 2]
        margin = 1 - float((1 + rows[k] @ w[k] / central).max())
        held = PressureCone(
            points=sole.points[:, :2], forces=shares[k], friction=np.full(len(shares[k]), MU)
        )
        exact = float(held.margin(w[k]).slip)
        assert exact - 1e-7 <= margin <= exact + 0.045 * (1 - exact)


def test_the_pressure_has_the_centre_that_the_wrench_asks_for(sole):
    """Exact while no node lifts off: the moments of the shares are those of the wrench."""
    tread = TreadFriction.of(SoleCone.of(sole, MU))
    xy = sole.points[:, :2]
    for x, y in ((0.0, 0.0), (0.02, -0.005), (-0.015, 0.01)):
        w = np.array([[0.0, 0.0, 400.0, y * 400.0, -x * 400.0, 0.0]])
        forces = tread.cone.forces(w[0])[:, 2]
        assert (forces > 0).all()
        assert tread.shares(w)[0] @ xy == pytest.approx([x, y], abs=1e-9)


def test_a_motion_under_the_surface_keeps_its_reserve(feet, path):
    choice = ConeChoice(area=0.8, friction=MU)
    rigid = retime(path, choice, points=300, edges=feet.edges)
    _, loose = surface_margins(rigid, feet, MU)
    found = retime_on_soles(path, feet, choice, reserve=0.3, points=300)
    _, kept = surface_margins(found.retiming, feet, MU)
    assert loose.min() < 0  # the rectangle allows what this sole cannot hold
    assert kept.min() > 0.3 - 0.05
    assert found.settled
    assert rigid.duration < found.retiming.duration < 1.3 * rigid.duration
    assert found.durations[0] == rigid.duration
    assert "friction of the sole" in found.retiming.limiting
    assert found.retiming.share_active >= 0.9


def turned_foot(run):
    """The largest turn of the left foot from its first pose [deg]."""
    R = rotation_of_quaternion(run["foot_rotation"][:, 0])
    yaw = np.degrees(np.unwrap(np.arctan2(R[:, 1, 0], R[:, 0, 0])))
    return np.abs(yaw - yaw[0]).max()


@pytest.mark.nightly
@pytest.mark.slow
def test_on_a_soft_sole_the_foot_yaws_less_than_half_a_degree_and_the_motion_is_faster():
    """Faster than the paper's part of 45 %, in simulation; the rectangle alone turns it by 1.1."""
    pad = SoleChoice(young=3e6, size=0.06, element="p1", friction=MU)
    paper = replace(ELEVEN, sole=pad, retime=RetimeChoice(area=0.45, friction=0.4))
    _, slow = retime_scenario(paper)
    choice = RetimeChoice(area=0.65, friction=MU, surface="sole", reserve=0.4)
    run, made = run_of(replace(paper, retime=choice, control=replace(ELEVEN.control)))
    assert made.plan.end < 0.78 * slow.plan.end
    assert turned_foot(run) < 0.5
    assert (run["contact_mode"][:, 0] == 3).all()


def test_what_is_refused(path, sole):
    with pytest.raises(SoleError, match="needs compliant soles"):
        retime_on_soles(path, on_soles(ROBOT, sole, rigid=True), ConeChoice(friction=MU))
    with pytest.raises(ConfigError, match="surface must be one of rigid, sole"):
        RetimeChoice(surface="soft")
    for reserve in (-0.1, 1.0):
        with pytest.raises(ConfigError, match="reserve must be 0 or more"):
            RetimeChoice(reserve=reserve)
