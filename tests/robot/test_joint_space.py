"""The equations of a step in joint space: the sparse factor against dense algebra."""

from __future__ import annotations

import numpy as np
import pytest
from robot_cases import DT, feet, standing

from robot.scenery import Bush, with_bushes
from robot.simulator.couplings import Couplings
from robot.simulator.dynamics import Dynamics
from robot.simulator.joint_forces_kernels import CONSTANT, RATE
from robot.simulator.joint_space import JointSpace
from sole.base.errors import SoleError

BUSH = Bush(stiffness=(1e6,) * 3 + (2e3,) * 3, damping=(1e3,) * 3 + (5.0,) * 3)


def on_bushes():
    """Model on bushes, its couplings, q and the frames of both feet."""
    on = feet()
    bushed = with_bushes(on, on.robot.model, BUSH)
    q = standing(on)
    return bushed, np.concatenate([q, bushed.places(q)]), [t.frame for t in on.touching]


def test_sparse_solution_is_the_dense_one_also_with_springs_between_trees():
    bushed, q, frames = on_bushes()
    model, n = bushed.model, 30
    rng = np.random.default_rng(3)
    v, force = rng.standard_normal((2, model.nv))
    constant, rate = rng.standard_normal(n), rng.uniform(1.0, 10.0, n)
    joints = np.zeros((6, n))
    joints[CONSTANT], joints[RATE] = constant, rate
    snap = Dynamics(model, frames).at(q, v)
    springs = DT * Couplings(model, bushed.couplings).at(q, DT).rate
    space = JointSpace(model, 2, [(c.lower, c.upper) for c in bushed.couplings])
    found = space.condense(snap, v, force, 6, joints, DT, springs)
    M, f = snap.M + springs, force.copy()
    M[range(6, 36), range(6, 36)] += DT * rate
    f[6:36] += constant - rate * v[6:36]
    free = v + np.linalg.solve(M, DT * f)
    S6 = snap.J @ np.linalg.solve(M, snap.J.T)
    assert np.abs(springs[36:, :36]).max() > 1.0  # they do couple the trees
    assert found.free == pytest.approx(free, abs=1e-10)
    assert found.S6 == pytest.approx(S6, abs=1e-10 * np.abs(S6).max())
    assert (found.S6 == found.S6.T).all()
    assert found.twists == pytest.approx(snap.J @ v, abs=1e-12)
    assert found.free_twists == pytest.approx(snap.J @ free, abs=1e-9)
    w = rng.standard_normal((2, 6))
    new = free + DT * np.linalg.solve(M, snap.J.T @ w.ravel())
    assert space.follow(found.free, w, DT) == pytest.approx(new, abs=1e-10)


def test_an_inertia_that_is_not_definite_is_refused():
    on = feet()
    model = on.robot.model
    snap = Dynamics(model, []).at(standing(on), np.zeros(model.nv))
    snap.M[8, 8] = -1.0
    with pytest.raises(SoleError, match="not positive definite"):
        JointSpace(model, 0).condense(snap, np.zeros(model.nv), snap.h, 6, np.zeros((6, 30)), DT)
