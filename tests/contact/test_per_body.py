"""The step of a slipping foot in six numbers against Gauss-Seidel on all nodes."""

from __future__ import annotations

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.per_body import SlippingFoot
from contact.problem import Compliances, Problem, SoleDelassus
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


def nodal(sole, before, free, S):
    """Return the wrench of all nodes together: u = W r + q with the soles' forces of before."""
    m, G = len(sole.points), np.asarray(sole.geometry)
    operator = SoleDelassus(
        compliances=Compliances.of([sole.compliance]), scale=np.array([1 / DT]),
        node=np.arange(m), frames=np.stack([np.eye(3)] * m), geometry=G, support=DT * S,
    )  # fmt: skip
    q = G @ free - sole.compliance @ before.ravel() / DT
    problem = Problem(operator=operator, offset=q.reshape(m, 3), friction=MU)
    found = GaussSeidel(tolerance=1e-9).solve(problem, before)
    assert found.solved
    return G.T @ np.asarray(found.reactions).ravel()


@pytest.mark.parametrize(
    ("slide", "grows"),
    [((0.2, 0.0, 0.0), 1.05), ((0.1, 0.15, 0.3), 0.97), ((-0.05, 0.1, -0.4), 1.0)],
)
def test_its_wrench_is_within_5_percent_of_the_nodal_one(sole, slide, grows):
    """A foot that slips already, whose load changes; t_z beside what friction holds about z."""
    S, foot = inverse_inertia(), SlippingFoot(sole, MU)
    m, G = len(sole.points), np.asarray(sole.geometry)
    before = np.zeros((m, 3))
    before[:, 2] = LOAD * foot.shares
    motion = np.array([*slide[:2], 0.0, 0.0, 0.0, slide[2]])
    u = (G @ motion).reshape(m, 3)[:, :2]
    before[:, :2] = -MU * before[:, 2:] * u / np.linalg.norm(u, axis=1, keepdims=True)
    w = G.T @ before.ravel()
    free = motion - DT * S @ (w * np.array([1, 1, grows, 1, 1, 1]))
    end = foot.step(w, free, S, DT)
    assert end.usable
    off = end.wrench - nodal(sole, before, free, S)
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
