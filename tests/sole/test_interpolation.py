from __future__ import annotations

import warnings

import numpy as np
import pytest
from box_mesh import box_mesh
from hypothesis import given, settings
from hypothesis import strategies as st

from sole.base.errors import MaterialError
from sole.condense import Condenser
from sole.material import Material
from sole.studies.poisson_interpolation import (
    NuGrid,
    convergence_rate,
    log_bulk_ratio,
    nodes_needed,
    poisson_ratio,
    relative_error,
    weighted_sum,
)


@given(st.floats(-0.99, 0.4999))
@settings(deadline=None, max_examples=50)
def test_variable_is_log_of_bulk_over_shear_modulus(nu):
    lam, mu = Material(young_modulus=1.0, poisson_ratio=nu).lame
    assert log_bulk_ratio(nu) == pytest.approx(np.log(lam / mu + 2 / 3), abs=1e-9)
    assert poisson_ratio(log_bulk_ratio(nu)) == pytest.approx(nu, abs=1e-12)


@given(st.integers(2, 30), st.floats(0.0, 1.0))
@settings(deadline=None, max_examples=50)
def test_weights_reproduce_polynomials_in_x(count, t):
    grid = NuGrid(0.0, 0.49, count)
    nu = 0.49 * t
    w = grid.weights(nu)
    x = np.array([log_bulk_ratio(v) for v in grid.nodes])
    for degree in (0, 1, count - 1):
        scaled = ((x - 1.75) / 2.5) ** degree
        expected = ((log_bulk_ratio(nu) - 1.75) / 2.5) ** degree
        assert w @ scaled == pytest.approx(expected, abs=1e-11)


def test_weights_at_a_node_pick_it():
    grid = NuGrid(0.1, 0.45, 7)
    assert grid.weights(grid.nodes[3]).tolist() == [0, 0, 0, 1, 0, 0, 0]


@pytest.mark.parametrize("pole", [0.6667, 1.0, 5.0])
def test_error_falls_at_the_predicted_rate(pole):
    """1/(r + s) with s >= 2/3 is the hardest that condensation can produce."""
    low, high = 0.0, 0.49
    test = np.linspace(low, high, 101)

    def error(count):
        grid = NuGrid(low, high, count)

        def f(nu):
            return 1 / (2 * nu / (1 - 2 * nu) + pole)

        values = np.array([f(nu) for nu in grid.nodes])
        return max(abs(grid.weights(nu) @ values - f(nu)) for nu in test)

    rate = (error(6) / error(14)) ** (1 / 8)
    assert convergence_rate(low, high) == pytest.approx(3.2255, abs=1e-3)
    assert rate > 0.93 * convergence_rate(low, high)


def test_a_priori_count_leaves_room_for_three_points_left_out():
    assert nodes_needed(0.0, 0.49, 1e-8) + 3 <= 20


@pytest.mark.parametrize(("element", "layers"), [("p1", 1), ("p2", 2), ("ccr", 1)])
def test_interpolated_compliance_equals_a_condensation(element, layers):
    """mu C to 1e-8 anywhere in [0, 0.49], several layers of fixed ratio included."""
    mesh = box_mesh(0.2, 0.1, 0.02, (4, 2, 2), layers=(1.0,) * layers)
    condenser = Condenser(mesh, element)

    def condensed(nu):
        return condenser.condense(
            [Material(young_modulus=1e6 * 3**k, poisson_ratio=nu) for k in range(layers)]
        )

    def mu(nu):
        return 1e6 / (2 * (1 + nu))

    grid = NuGrid(0.0, 0.49, nodes_needed(0.0, 0.49, 1e-8))
    with pytest.warns(UserWarning, match="locks") if element != "ccr" else _nothing():
        nodes = [condensed(nu).compliance * mu(nu) for nu in grid.nodes]
    at_checks = worst = 0.0
    warnings.simplefilter("ignore", UserWarning)  # of locking, again
    for nu in grid.checks[:2]:
        C = weighted_sum(grid.weights(nu) / mu(nu), nodes)
        at_checks = max(at_checks, relative_error(C, condensed(nu).compliance))
    for nu in (0.03, 0.21, 0.37, 0.44):
        C = weighted_sum(grid.weights(nu) / mu(nu), nodes)
        assert (C == C.T).all()
        worst = max(worst, relative_error(C, condensed(nu).compliance))
    assert worst < 1e-8
    assert worst < 3 * at_checks  # the points left out do not flatter


def _nothing():
    import contextlib

    return contextlib.nullcontext()


def test_bad_input_is_refused():
    with pytest.raises(MaterialError, match=r"got 0\.5"):
        log_bulk_ratio(0.5)
    with pytest.raises(MaterialError, match="low < high"):
        NuGrid(0.3, 0.3, 5)
    with pytest.raises(MaterialError, match="nodes, got 1"):
        NuGrid(0.0, 0.4, 1)
    with pytest.raises(MaterialError, match=r"0\.45 lies outside"):
        NuGrid(0.0, 0.4, 5).weights(0.45)
