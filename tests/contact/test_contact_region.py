"""Contact regions: exact moments of area, against closed forms and independent quadrature."""

from __future__ import annotations

import numpy as np
import pytest
from box_mesh import box_mesh
from hypothesis import given
from hypothesis import strategies as st

from contact.papers.foundation import (
    Region,
    WinklerFoundation,
    four_pads,
    points_region,
    polygon_region,
    rectangle_region,
    segments_region,
    tread_region,
    triangles_region,
    union_of_regions,
)
from sole.base.errors import ShapeError

size = st.floats(0.01, 0.5)
place = st.floats(-0.3, 0.3)


@st.composite
def stars(draw):
    """A polygon that can be seen whole from `centre`: angles and distances of its corners."""
    n = draw(st.integers(4, 9))
    share = np.array(draw(st.lists(st.floats(0.2, 1.0), min_size=n, max_size=n)))
    angle = 2 * np.pi * np.cumsum(share) / share.sum()
    radius = np.array(draw(st.lists(st.floats(0.02, 0.2), min_size=n, max_size=n)))
    centre = np.array([draw(place), draw(place)])
    return angle, radius, centre


def corners_of(angle, radius, centre):
    return centre + radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])


def polar_gram(angle, radius, centre):
    """int phi phi' dA in polar coordinates: exact along r, Gauss-Legendre along the angle."""
    P = corners_of(angle, radius, 0 * centre)
    node, weight = np.polynomial.legendre.leggauss(40)
    total = np.zeros((3, 3))
    for i in range(len(P)):
        a, b = angle[i - 1], angle[i] + (2 * np.pi if i == 0 else 0.0)
        t = (a + b) / 2 + (b - a) / 2 * node
        d, p = P[i] - P[i - 1], P[i - 1]
        cos, sin = np.cos(t), np.sin(t)
        R = (p[0] * d[1] - p[1] * d[0]) / (cos * d[1] - sin * d[0])  # the edge seen along t
        c = np.array([centre[1] * np.ones_like(t), -centre[0] * np.ones_like(t), np.ones_like(t)])
        e = np.array([sin, -cos, np.zeros_like(t)])  # phi = c + r e
        w = weight * (b - a) / 2
        for f, power in ((np.einsum("in,jn->ijn", c, c), 2), (np.einsum("in,jn->ijn", e, e), 4)):
            total += np.einsum("ijn,n,n->ij", f, w, R**power / power)
        mixed = np.einsum("in,jn->ijn", c, e)
        total += np.einsum("ijn,n,n->ij", mixed + mixed.transpose(1, 0, 2), w, R**3 / 3)
    return total


@given(size, size, place, place)
def test_rectangle_by_closed_form(length, width, x, y):
    region = rectangle_region(length, width, (x, y))
    A = length * width
    I_xx, I_yy = A * (width**2 / 12 + y**2), A * (length**2 / 12 + x**2)  # Steiner
    expected = [[I_xx, -x * y * A, y * A], [-x * y * A, I_yy, -x * A], [y * A, -x * A, A]]
    # Round-off: a dozen terms, each below A times the squared distance of the farthest corner.
    far = 1 + (abs(x) + length) ** 2 + (abs(y) + width) ** 2
    assert region.gram == pytest.approx(np.array(expected), abs=1e-14 * A * far)
    assert region.centre == pytest.approx([x, y], abs=1e-14)


@given(stars(), st.booleans())
def test_polygon_by_quadrature(star, reverse):
    angle, radius, centre = star
    wide = np.diff(np.concatenate([angle, angle[:1] + 2 * np.pi])).max()
    if wide > 2.7:  # then the centre does not see the edge
        return
    corners = corners_of(angle, radius, centre)
    region = polygon_region(corners[::-1] if reverse else corners)
    expected = polar_gram(angle, radius, centre)
    # Gauss with 40 points on 1/cos^4: better than 1e-8 up to 2.7 rad.
    assert region.gram == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


def test_holes_pads_and_unions_add_up():
    frame = polygon_region(
        [(-1, -1), (1, -1), (1, 1), (-1, 1)], holes=[[(0, 0), (0.5, 0), (0.5, 0.5)]]
    )
    hole = polygon_region([(0, 0), (0.5, 0), (0.5, 0.5)])
    assert frame.gram == pytest.approx(rectangle_region(2, 2).gram - hole.gram, abs=1e-15)
    assert frame.pieces == 1
    pads = four_pads(0.26, 0.15, 0.08, 0.05)
    assert pads.pieces == 4
    assert pads.moments[:, 0] == pytest.approx(0.08 * 0.05)
    # Front left, front right, rear left, rear right.
    assert np.sign(pads.moments[:, 1]).tolist() == [1, 1, -1, -1]
    assert np.sign(pads.moments[:, 2]).tolist() == [1, -1, 1, -1]
    cross = 0.26 * 0.15 - (0.26 - 0.16) * 0.15 - (0.15 - 0.10) * 0.16
    assert pads.area == pytest.approx(cross)
    parts = union_of_regions(
        rectangle_region(0.1, 0.1, (0.05, 0)), rectangle_region(0.1, 0.1, (-0.05, 0))
    )
    assert parts.gram == pytest.approx(rectangle_region(0.2, 0.1).gram, abs=1e-17)


def test_tread_of_a_mesh_is_its_outline():
    mesh = box_mesh(0.2, 0.1, 0.02, (6, 4, 2))
    assert tread_region(mesh).gram == pytest.approx(rectangle_region(0.2, 0.1).gram, abs=1e-16)
    P = mesh.points[mesh.tread_vertices]
    half = tread_region(mesh, P[:, 0] <= 1e-9)
    assert half.gram == pytest.approx(rectangle_region(0.1, 0.1, (-0.05, 0)).gram, abs=1e-16)
    with pytest.raises(ShapeError, match="no facet"):
        tread_region(mesh, np.arange(len(P)) == 0)
    with pytest.raises(ShapeError, match=r"\(35,\) booleans"):
        tread_region(mesh, np.ones(3, bool))


def test_a_rising_toe_is_no_flat_tread():
    mesh = box_mesh(0.2, 0.1, 0.02, (4, 2, 2))
    raised = mesh.points.copy()
    toe = (raised[:, 0] > 0.09) & (raised[:, 2] < -0.019)
    raised[toe, 2] += 0.005
    from dataclasses import replace

    flat = tread_region(replace(mesh, points=raised))
    assert flat.gram == pytest.approx(rectangle_region(0.15, 0.1, (-0.025, 0)).gram, abs=1e-16)


def test_lines_and_points():
    line = segments_region([[(-0.1, 0.02), (0.1, 0.02)]])
    expected = 0.2 * np.array([[0.02**2, 0, 0.02], [0, 0.2**2 / 12, 0], [0.02, 0, 1]])
    assert line.gram == pytest.approx(expected, abs=1e-17)
    assert np.linalg.matrix_rank(line.gram, tol=1e-9) == 2
    oblique = np.array([(0.1, -0.2), (0.4, 0.2)])  # length 0.5; two Gauss points are exact
    t = np.array([[0.5 - 0.5 / np.sqrt(3)], [0.5 + 0.5 / np.sqrt(3)]])
    x, y = ((1 - t) * oblique[0] + t * oblique[1]).T
    phi = np.array([y, -x, np.ones(2)])
    assert segments_region(oblique).gram == pytest.approx(0.25 * phi @ phi.T, abs=1e-15)
    assert np.linalg.matrix_rank(points_region([(0.1, 0.02)]).gram, tol=1e-9) == 1
    assert np.linalg.matrix_rank(points_region([(0, 0), (0.1, 0), (0, 0.1)]).gram, tol=1e-9) == 3
    # Points with the lumped areas of a mesh come close to its area integrals.
    assert points_region([(1, 2), (3, 4)]).moments.tolist() == [
        [1, 1, 2, 1, 2, 4],
        [1, 3, 4, 9, 12, 16],
    ]


@given(stars(), st.floats(-1, 1), st.floats(-1, 1), st.floats(-0.2, 0.2))
def test_partial_contact_against_shapely(star, a, b, z):
    """Clipped by another library; concave polygons fall into several parts."""
    from shapely import Polygon

    angle, radius, centre = star
    corners = corners_of(angle, radius, centre)
    try:
        springs = WinklerFoundation(region=polygon_region(corners), c_A=1.0)
    except ShapeError:
        return  # crosses itself
    x_f = np.array([a, b, z])
    far = 10.0
    square = np.array([(-far, -far), (far, -far), (far, far), (-far, far)])
    f = -(square[:, 1] * a - square[:, 0] * b + z)
    half = [
        q
        for i in range(4)
        for q in (
            *([_cross(square, f, i)] if (f[i - 1] > 0) != (f[i] > 0) else []),
            *([square[i]] if f[i] > 0 else []),
        )
    ]
    expected = np.zeros((3, 3))
    if len(half) >= 3:
        cut = Polygon(corners).intersection(Polygon(half))
        parts = getattr(cut, "geoms", [cut])
        for part in parts:
            if part.geom_type == "Polygon" and part.area > 1e-9:
                ring = part.simplify(1e-9).exterior  # a cut through a corner gives it twice
                expected += polygon_region(np.array(ring.coords)[:-1]).gram
    got = springs.pressed(x_f)
    # Parts below 1e-9 m^2 are left out on the other side, at most nine of them.
    assert got.U == pytest.approx(-expected, abs=2e-8)
    region = springs.contact_region(x_f)
    assert (region is None and got.area < 1e-12) or region.gram == pytest.approx(-got.U, abs=1e-14)


def _cross(P, f, i):
    return P[i - 1] + f[i - 1] / (f[i - 1] - f[i]) * (P[i] - P[i - 1])


@pytest.mark.parametrize(
    "make",
    [
        lambda: rectangle_region(0.0, 0.1),
        lambda: rectangle_region(0.2, -0.1),
        lambda: rectangle_region(np.nan, 0.1),
        lambda: polygon_region([(0, 0), (1, 0)]),
        lambda: polygon_region([(0, 0), (1, 0), (2, 0)]),
        lambda: polygon_region([(0, 0), (1, 1), (1, 0), (0, 1)]),
        lambda: polygon_region([(0, 0), (1, 0), (1, np.nan)]),
        lambda: polygon_region([(0, 0), (1, 0), (0, 1)], holes=[[(2, 2), (3, 2), (2, 3)]]),
        lambda: polygon_region([0, 1, 2]),
        lambda: polygon_region("square"),
        lambda: segments_region([[(0, 0), (0, 0)]]),
        lambda: segments_region([(0, 0), (0, 1), (1, 1)]),
        lambda: points_region(np.zeros((2, 3))),
        lambda: triangles_region([(0, 0), (1, 0), (0, 1)], [(0, 1, 3)]),
        lambda: triangles_region([(0, 0), (1, 0), (2, 0)], [(0, 1, 2)]),
        lambda: union_of_regions(rectangle_region(1, 1), rectangle_region(1, 1, (0.5, 0))),
        lambda: union_of_regions(rectangle_region(1, 1), points_region([(0, 0)])),
        union_of_regions,
        lambda: four_pads(0.1, 0.1, 0.06, 0.05),
        lambda: Region(dimension=3, parts=(np.zeros((3, 2)),)),
        lambda: Region(dimension=2, parts=()),
    ],
)
def test_no_region(make):
    with pytest.raises(ShapeError) as error:
        make()
    assert "\n" not in str(error.value)
