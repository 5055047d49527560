"""The step of a slipping foot in six numbers against Gauss-Seidel on all nodes."""

from __future__ import annotations

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.papers.experiments.six_numbers import slip_case
from contact.per_body import CertifiedFoot, SlippingFoot
from contact.solvers import GaussSeidel
from sole.base.errors import ConfigError, SoleError
from sole.condense import condense
from sole.material import Material

MU, LOAD, DT = 0.7, 300.0, 1e-3


@pytest.fixture(scope="module")
def sole():
    rubber = Material(young_modulus=1e6, poisson_ratio=0.4)
    return condense(box_mesh(0.24, 0.14, 0.02, (9, 4, 1)), [rubber], element="p1")


def inverse_inertia():
    """A foot of 6 kg below a heavy leg."""
    S = np.diag([0.2, 0.2, 0.1, 8.0, 8.0, 8.0])
    S[0, 4] = S[4, 0] = 0.4
    S[1, 3] = S[3, 1] = -0.4
    return S


@pytest.mark.parametrize(
    ("slide", "grows"),
    [((0.2, 0.0, 0.0), 1.05), ((0.1, 0.15, 0.3), 0.97), ((-0.05, 0.1, -0.4), 1.0)],
)
def test_its_wrench_is_within_5_percent_of_the_nodal_one(sole, slide, grows):
    """A foot that slips already, whose load changes; t_z beside what friction holds about z."""
    foot = SlippingFoot(sole, MU)
    w, free, S, problem, before = slip_case(sole, foot, slide, grows)
    end = foot.step(w, free, S, DT)
    assert end.usable
    exact = GaussSeidel(tolerance=1e-9).solve(problem, before)
    assert exact.solved
    off = end.wrench - np.asarray(sole.geometry).T @ np.asarray(exact.reactions).ravel()
    assert np.linalg.norm(off[:3]) < 0.05 * MU * LOAD
    assert np.abs(off[3:]).max() < 0.05 * MU * LOAD * 0.07
    assert end.twist == pytest.approx(free + DT * S @ end.wrench)


def test_where_it_may_not_be_used_it_says_so(sole):
    """A foot that sticks, tips over its edge, or hangs."""
    S, foot = inverse_inertia(), SlippingFoot(sole, MU)
    rest = np.array([0.0, 0.0, LOAD, 0.0, 0.0, 0.0])
    hold = -DT * S @ rest
    assert not foot.step(rest, hold + np.array([1e-4, 0, 0, 0, 0, 0]), S, DT).usable
    tips = np.array([0.0, 0.0, LOAD, 0.0, -0.09 * LOAD, 0.0])
    assert not foot.step(tips, np.array([0.2, 0, 0, 0, 0, 0]) - DT * S @ tips, S, DT).usable
    assert not foot.step(np.zeros(6), np.array([0.2, 0, 1.0, 0, 0, 0]), S, DT).usable


def test_bad_input_is_refused(sole):
    with pytest.raises((ConfigError, SoleError), match="friction"):
        SlippingFoot(sole, 0.0)
    with pytest.raises(SoleError, match="wrench"):
        SlippingFoot(sole, MU).step(np.zeros(5), np.zeros(6), np.eye(6), DT)
    with pytest.raises((ConfigError, SoleError), match="dt"):
        SlippingFoot(sole, MU).step(np.zeros(6), np.zeros(6), np.eye(6), 0.0)


def slide(foot, steps=120):
    """Rest, slip under 1.1 mu f_z, and rest again under 0.5 mu f_z: a list of `CertifiedStep`."""
    S, m = inverse_inertia(), len(foot.six.shares)
    forces, v, trust, done = np.zeros((m, 3)), np.zeros(6), 0, []
    forces[:, 2] = LOAD * foot.six.shares
    for k in range(steps):
        push = MU * LOAD * (1.1 if 10 <= k < 50 else 0.5)
        free = v + DT * S @ np.array([push, 0.0, -LOAD, 0.0, 0.0, 0.02 * push])
        done.append(foot.step(forces, free, S, DT, trust))
        forces, v, trust = done[-1].forces, done[-1].twist, done[-1].trust
    return done


def test_a_slide_in_six_numbers_is_that_of_the_nodes(sole):
    """From rest to rest: forces within 5 %, moments within 10 % although errors add up."""
    nodal, six = (slide(CertifiedFoot(sole, MU, every=every)) for every in (1, 20))
    assert all(step.nodal and step.solved for step in nodal)
    certified = CertifiedFoot(sole, MU)
    for a, b in zip(nodal, six, strict=True):
        off = np.linalg.norm(a.wrench[:3] - b.wrench[:3])
        assert off < 0.05 * MU * a.wrench[2]
        assert np.abs(a.wrench[3:] - b.wrench[3:]).max() < 0.1 * MU * LOAD * certified.radius
    fastest = max(step.twist[0] for step in nodal)
    assert max(step.twist[0] for step in six) == pytest.approx(fastest, rel=0.05)
    assert sum(not step.nodal for step in six) > 30
    assert all(step.nodal for step in six[:8] + six[-8:])  # at rest
    judged = [step.error for step in six if step.error is not None]
    assert judged and min(judged) < 0.05


def test_six_numbers_that_are_wrong_are_not_trusted(sole):
    """A foot whose six numbers believe in a quarter of the friction: nodal from a certificate on.

    The first one is met as it begins to slip.
    """
    foot = CertifiedFoot(sole, MU)
    foot.six.step = SlippingFoot(sole, MU / 4).step
    done = slide(foot, steps=40)
    assert all(step.nodal for step in done[24:])
    assert min(step.error for step in done[24:]) > 0.05


def test_the_forces_of_the_nodes_have_the_wrench_of_the_six_numbers(sole):
    S, foot = inverse_inertia(), CertifiedFoot(sole, MU)
    rest = np.array([-MU * LOAD, 0.0, LOAD, 0.0, 3.0, 0.0])
    six = foot.six.step(rest, np.array([0.2, 0.05, 0, 0, 0, 0.4]) - DT * S @ rest, S, DT)
    assert six.usable
    forces = foot.spread(six)
    assert np.asarray(sole.geometry).T @ forces.ravel() == pytest.approx(six.wrench, abs=1e-3)
    assert np.linalg.norm(forces[:, :2], axis=1) == pytest.approx(MU * forces[:, 2])
