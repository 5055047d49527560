"""Sums over the nodes of a body in a row of a run."""

from __future__ import annotations

import numpy as np
import pytest
from doors import door

from robot.recorder.step_sums_kernels import fit_motion, sum_nodes


def test_sums_over_the_nodes_of_a_body():
    """Forces in both slots that cancel touch nevertheless; a node without an area has no pressure.

    Round-off: 1e-16 times the terms of a sum.
    """
    rng = np.random.default_rng(2)
    U, forces, areas = rng.normal(size=(9, 3)), np.zeros((9, 2, 3)), rng.uniform(1, 2, 9)
    forces[2:7, 0] = rng.normal([0.0, 0.0, 5.0], 1.0, (5, 3))
    forces[4:9, 1] = rng.normal([0.0, 0.0, 5.0], 1.0, (5, 3))
    forces[5, 1], forces[8, 1, 2], areas[8] = -forces[5, 0], 100.0, 0.0
    load, total = np.full(9, np.nan), forces.sum(axis=1)
    far, most, count, sum_of_loads = door(sum_nodes)(U, forces, areas, load)
    assert far == pytest.approx((U**2).sum(axis=1).max(), rel=1e-15)
    assert most == pytest.approx((total[:8, 2] / areas[:8]).max(), rel=1e-15)
    assert count == 7
    np.testing.assert_allclose(load, np.linalg.norm(total, axis=1), rtol=1e-15)
    assert sum_of_loads == pytest.approx(load.sum(), rel=1e-14)


def test_the_motion_of_a_body_is_its_own():
    rng = np.random.default_rng(4)
    U, fits, motion = rng.normal(size=(9, 3)), rng.normal(size=(6, 27)), np.zeros(6)
    door(fit_motion)(fits, U, 4, 9, motion)
    np.testing.assert_allclose(motion, fits[:, 12:] @ U[4:].ravel(), atol=1e-14)
