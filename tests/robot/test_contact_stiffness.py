"""The stiffness of the nodes in contact, and how a sole is led to its aim."""

from __future__ import annotations

import numpy as np
import pytest
from doors import door
from hypothesis import given, settings
from hypothesis import strategies as st
from robot_cases import feet

from contact.papers.foundation import held_stiffness
from robot.control.contact_stiffness import (
    ContactStiffness,
    find_cells,
    pressed_nodes,
    sole_matrices,
)


def test_the_nodes_that_press_are_those_of_the_centre_of_pressure():
    """In the middle all nodes press, K6 is the whole tread's; at an edge fewer, and it is less."""
    on = feet(1e6)
    sole = on.soles[0]
    size = sole.foot_stiffness.max()
    whole = pytest.approx(sole.foot_stiffness, rel=1e-9, abs=1e-12 * size)
    assert held_stiffness(sole, pressed_nodes(sole, np.zeros(2))) == whole
    edge = held_stiffness(sole, pressed_nodes(sole, np.array([0.1, 0.0])))
    left = np.linalg.eigvalsh(sole.foot_stiffness - edge)
    assert left.min() > -1e-6 * left.max() and edge[2, 2] < 0.7 * sole.foot_stiffness[2, 2]
    model = ContactStiffness(on, 2.0, np.stack([np.eye(6)] * 2), 30.0, 1.0)
    cells = np.zeros(2, np.int64)
    door(find_cells)(np.array([[0.0, 0, 300, 0, 0, 0]] * 2), model.middle, model.half, cells)
    model.fill(cells)
    K = model.tables.matrices[0, cells[0], 0]
    assert K == pytest.approx(1.001 * 2 * sole.foot_stiffness, abs=1e-12 * size)


@settings(max_examples=20, deadline=None)
@given(st.floats(5.0, 100.0), st.floats(0.3, 2.0), st.floats(1e2, 1e8), st.integers(0, 9))
def test_every_mode_of_a_sole_is_led_with_one_damping(omega, zeta, size, seed):
    """w+ = lambda + L du/dt + B u with u = -C dw/dt: L C w'' + B C w' + w = lambda.

    Each pair of eigenvalues has the damping zeta, and frequencies from omega on.
    """
    rng = np.random.default_rng(seed)
    A, D = rng.normal(size=(2, 6, 6))
    S = D @ D.T + 0.1 * np.eye(6)
    _, C, L, B = sole_matrices(size * (A @ A.T + np.eye(6)), S, omega, zeta)
    assert np.linalg.inv(L) == pytest.approx(omega**2 * C + S, rel=1e-6)
    M = np.linalg.inv(L @ C)
    system = np.block([[np.zeros((6, 6)), np.eye(6)], [-M, -M @ B @ C]])
    found = np.linalg.eigvals(system)
    # as pairs a +- b: -zeta Omega +- Omega sqrt(zeta^2 - 1), so the sum of 1/found is -2 zeta/Omega
    squares = np.linalg.eigvals(M).real
    assert squares.min() > omega**2 * (1 - 1e-6)
    expected = np.concatenate([np.roots([1.0, 2 * zeta * np.sqrt(s), s]) for s in np.sort(squares)])
    assert np.sort(np.abs(found)) == pytest.approx(np.sort(np.abs(expected)), rel=1e-3)
