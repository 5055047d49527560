"""Where a kernel of contact would divide by zero it says what it wants: no inf or NaN by chance."""

from __future__ import annotations

import math

import numpy as np
import pytest
from doors import compiled_door

from contact.ground import HeightField, Plane
from contact.ground.compiled_ground import Piece, compile_pieces
from contact.ground.gap_to_field_kernels import find_crossing
from contact.ground.piece_kernels import BALL
from contact.margins import LimitSurface, PressureCone
from contact.margins.limit_surface_kernels import slip_gauge
from contact.per_body.slipping_foot_kernels import tilt_shares
from contact.wrench_cone import LEAST_LOAD
from sole.base.errors import ConfigError, SoleError

ABOVE = np.array([[0.0, 0.0, 0.1]])


@pytest.mark.parametrize("axes", [np.zeros((3, 3)), np.full((3, 3), np.nan)], ids=["zero", "nan"])
def test_axes_that_are_none_are_refused_as_axes(axes):
    with pytest.raises(ConfigError, match="columns 0 and 1 of axes must be two unit vectors"):
        Plane().query(ABOVE, axes=axes)


def test_a_ground_without_a_normal_is_not_blamed_on_the_axes():
    ball = Piece(kind=BALL, axes=np.full((3, 3), np.nan), size=np.full(6, 0.1))
    with pytest.raises(ConfigError, match="no normal at point 0: sizes and axes of the ground"):
        compile_pieces([ball]).query(ABOVE)


@pytest.mark.parametrize("k", [0, 1])
def test_a_path_beside_a_field_along_its_wall_does_not_cross_it(k):
    ground = compile_pieces(HeightField(heights=np.zeros((4, 4)), scale=0.1).pieces)
    x, b = [0.0, 0.0, -0.05], [0.0, 0.0, 0.05]
    x[k] = b[k] = 0.4  # the field ends at 0.15
    gap, _ = compiled_door(find_crossing)(ground.table, ground.heights, 0, tuple(x), tuple(b))
    assert gap == math.inf


def test_tangents_across_the_load_carry_none_of_it():
    """Both contacts slide along y and z, so nothing resists a motion along x."""
    points = np.array([[0.1, 0.0, 0.0], [-0.1, 0.0, 0.0]])
    frames = np.tile(np.eye(3)[[1, 2, 0]], (2, 1, 1))
    motion, s, load = np.empty(3), np.empty((2, 2)), np.array([1.0, 0.0, 0.0])
    least, gauge, _ = slip_gauge(
        points, frames, np.ones(2), np.eye(3), np.zeros(3), 2.0, 0.1, load, 1e-8, motion, s
    )
    assert (least, gauge) == (math.inf, math.inf) and not s.any()
    # The motion proves it: the load does work, and no contact slips.
    assert motion / 2.0 @ load == pytest.approx(1.0) and np.abs(motion[1:]).max() <= 1e-12


def test_loads_that_overflow_are_refused():
    surface = LimitSurface([[0.1, 0.0, 0.0], [-0.1, 0.03, 0.0]], [3.0, 5.0], 0.6)
    assert surface.slip([1e150, 0.0, 0.0]).gauge == pytest.approx(1e150 / (0.6 * 8.0), rel=0.5)
    with pytest.raises(SoleError, match="a load or an arm is too large"):
        surface.slip([1e200, 0.0, 0.0])
    cone = PressureCone(
        points=[[0.1, 0.0], [-0.1, 0.03], [0.0, -0.05]], forces=np.ones(3), friction=0.6
    )
    with pytest.raises(SoleError, match="a load or an arm is too large"):
        cone.margin([1e149, 0.0, 2 * LEAST_LOAD, 0.0, 0.0, 0.0])


def test_points_on_a_line_keep_their_shares():
    points, shares = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), np.array([0.2, 0.5, 0.3])
    out = np.empty(3)
    assert not tilt_shares(points, shares, 1.5, 0.0, out)
    np.testing.assert_array_equal(out, shares)
