"""Shapes: outlines, profiles, stacks; what cannot be a sole is refused in one line."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sole.base.errors import ConfigError, ShapeError
from sole.shape import (
    Chamfer,
    End,
    Outline,
    Pad,
    Polygon,
    Rectangle,
    Shape,
    box,
    load_shape,
    preset,
    with_thickness,
)
from sole.shape.parts import Blocks, Foot, Layer
from sole.shape.presets import NAMES

PLAN = {"rectangle": Rectangle(length=0.2, width=0.1)}


def test_rounded_rectangle_has_the_area_of_the_textbook():
    """A = L W - (4 - pi) r^2."""
    outline = Rectangle(length=0.2, width=0.1, corner_radius=0.03).outline()
    assert outline.area == pytest.approx(0.2 * 0.1 - (4 - math.pi) * 0.03**2, rel=1e-12)
    assert np.allclose(outline.bounds, [[-0.1, -0.05], [0.1, 0.05]], atol=1e-15)
    assert len(outline.edges) == 8


def test_bounds_are_those_of_the_arcs():
    """A rhombus with half-angle alpha at (a, 0) ends at a - r/sin(alpha) + r."""
    a, b, r = 0.1, 0.06, 0.02
    outline = Outline(np.array([(a, 0), (0, b), (-a, 0), (0, -b)]), np.full(4, r))
    x = a - r / math.sin(math.atan2(b, a)) + r
    y = b - r / math.sin(math.atan2(a, b)) + r
    assert np.allclose(outline.bounds, [[-x, -y], [x, y]], atol=1e-12)


def test_half_circles_at_both_ends():
    outline = Rectangle(length=0.2, width=0.1, corner_radius=0.05).outline()
    assert outline.area == pytest.approx(0.1 * 0.1 + math.pi * 0.05**2, rel=1e-12)
    assert len(outline.edges) == 6


@settings(deadline=None, max_examples=30)
@given(
    st.lists(st.floats(0.05, 0.15), min_size=3, max_size=9),
    st.floats(0, 0.01),
    st.booleans(),
    st.floats(-1, 1),
)
def test_area_agrees_with_a_fine_polygon_whatever_the_sense(radius, r, reverse, x):
    """Star-shaped polygons, either sense, moved: area against shapely, bounds invariant."""
    from shapely import Polygon as Area

    angle = np.linspace(0, 2 * np.pi, len(radius), endpoint=False)
    corners = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    try:
        outline = Outline(corners[::-1] if reverse else corners, np.full(len(corners), r))
    except ShapeError as error:
        assert "too large" in str(error)
        return
    # chords of 5 degrees lose at most (5 deg)^2/6 of each circle
    lost = 1e-12 + 4 * math.pi * r**2 * 2e-3
    assert outline.area == pytest.approx(Area(outline.polygon).area, abs=lost)
    moved = outline.shifted(x, -x)
    assert np.allclose(moved.bounds - outline.bounds, [x, -x], atol=1e-12)
    assert moved.area == pytest.approx(outline.area, rel=1e-9)


def test_frame_is_the_centre_of_the_bounding_box():
    points = ((1.0, 2.0), (1.2, 2.0), (1.2, 2.1), (1.0, 2.05))
    shape = Shape(name="p", polygon=Polygon(points=points), thickness=0.02)
    assert np.allclose(shape.outlines[0].bounds, [[-0.1, -0.05], [0.1, 0.05]], atol=1e-12)
    pads = tuple(Pad(x=x, y=0.0, length=0.05, width=0.05) for x in (0.0, 0.1))
    shape = Shape(name="p", pads=pads, thickness=0.02)
    assert shape.size == pytest.approx((0.15, 0.05, 0.02))
    assert shape.outlines[0].bounds[0, 0] == pytest.approx(-0.075)


def test_published_sizes():
    sizes = {n: preset(n).size[:2] for n in NAMES}
    assert sizes["hrp4"] == pytest.approx((0.224, 0.130))
    assert sizes["hrp2kai"] == pytest.approx((0.216, 0.140))
    assert sizes["jvrc1"] == pytest.approx((0.220, 0.100))
    assert sizes["talos"] == pytest.approx((0.221, 0.134))
    assert len(preset("LOLA").outlines) == 4
    assert preset("HRP-2Kai") == preset("hrp2kai")
    tread, midsole = preset("hrp2kai").layers
    assert (tread.thickness, midsole.thickness) == (0.008, 0.012)
    assert midsole.material.young_modulus == 3 * tread.material.young_modulus == 3e6
    assert midsole.material.poisson_ratio == tread.material.poisson_ratio == 0.45


def test_files_of_the_repository(root):
    files = sorted((root / "meshes").glob("*.toml"))
    assert len(files) >= 6
    shapes = {file.stem: load_shape(file) for file in files}
    assert all(shape.name == name for name, shape in shapes.items())
    for name in ("hrp2kai", "lola"):
        assert shapes[name] == preset(name)
    readme = (root / "meshes" / "README.md").read_text(encoding="utf-8")
    assert [f.name for f in files if f"`{f.name}`" not in readme] == []


def test_layers_scale_to_a_thickness():
    shape = with_thickness(preset("hrp2kai"), 0.03)
    assert shape.thickness == pytest.approx(0.03)
    assert [la.thickness for la in shape.layers] == pytest.approx([0.012, 0.018])
    assert shape.interfaces == pytest.approx((-0.018,))


def test_rocker_circle_is_tangent_and_passes_the_tip():
    end = End(kind="rocker", length=0.05, height=0.01)
    assert end.radius - math.sqrt(end.radius**2 - 0.05**2) == pytest.approx(0.01)


BAD = {
    "crosses or touches itself": lambda: Shape(
        name="bow",
        polygon=Polygon(points=((0, 0), (0.2, 0.1), (0.2, 0), (0, 0.1))),
        thickness=0.02,
    ),
    "at least 3 points": lambda: Shape(
        name="p", polygon=Polygon(points=((0, 0), (0.2, 0.1))), thickness=0.02
    ),
    "coincide": lambda: Shape(
        name="p",
        polygon=Polygon(points=((0, 0), (0.2, 0), (0.2, 0.1), (0, 0))),
        thickness=0.02,
    ),
    "finite points": lambda: Shape(
        name="p", polygon=Polygon(points=((0, 0), (0.2, math.nan), (0.2, 0.1))), thickness=0.02
    ),
    "encloses no area": lambda: Outline(np.array([[0, 0], [1, 0], [0.5, 1e-8]]), np.zeros(3)),
    "0.06 and 0.06 m are too large for the edge of 0.1 m": lambda: Shape(
        name="r", rectangle=Rectangle(length=0.2, width=0.1, corner_radius=0.06), thickness=0.02
    ),
    "must not be negative": lambda: Shape(
        name="r", rectangle=Rectangle(length=0.2, width=0.1, corner_radius=-0.01), thickness=0.02
    ),
    "heel_width must lie": lambda: Foot(
        length=0.2, width=0.1, heel_radius=0, toe_radius=0, heel_width=0.2
    ),
    "length must be positive": lambda: box(-0.2, 0.1, 0.02),
    "thickness must be positive and finite, got nan": lambda: box(0.2, 0.1, math.nan),
    "give the thickness": lambda: Shape(name="r", **PLAN),
    "add up to 0.01 m but thickness is 0.02 m": lambda: Shape(
        name="r", thickness=0.02, layers=(Layer(name="a", thickness=0.01),), **PLAN
    ),
    "its own name, got a, a": lambda: Shape(
        name="r", layers=(Layer(name="a", thickness=0.01),) * 2, **PLAN
    ),
    "both young_modulus and poisson_ratio": lambda: Layer(
        name="a", thickness=0.01, young_modulus=1e6
    ),
    "inside (-1, 0.5), got 0.6": lambda: (
        Layer(name="a", thickness=0.01, young_modulus=1e6, poisson_ratio=0.6).material
    ),
    "exactly one outline": lambda: Shape(name="r", thickness=0.02),
    "got rectangle and foot": lambda: Shape(
        name="r",
        thickness=0.02,
        foot=Foot(length=0.2, width=0.1, heel_radius=0, toe_radius=0),
        **PLAN,
    ),
    "only 0.19 m": lambda: Shape(name="r", thickness=0.02, foot_size=(0.19, 0.1), **PLAN),
    "pads 1 and 2 overlap": lambda: Shape(
        name="p",
        thickness=0.02,
        pads=tuple(Pad(x=x, y=0, length=0.05, width=0.05) for x in (0, 0.04)),
    ),
    "more than 0.9 of the thickness": lambda: Shape(
        name="r", thickness=0.02, toe=End(kind="chamfer", length=0.02, height=0.019), **PLAN
    ),
    "no flat tread is left": lambda: Shape(
        name="r",
        thickness=0.02,
        toe=End(kind="chamfer", length=0.12, height=0.01),
        heel=End(kind="chamfer", length=0.08, height=0.01),
        **PLAN,
    ),
    "must not be higher than it is long": lambda: End(kind="rocker", length=0.01, height=0.02),
    "the chamfer rises by 0.019": lambda: Shape(
        name="r", thickness=0.02, chamfer=Chamfer(length=0.004, height=0.019), **PLAN
    ),
    "leaves no flat tread": lambda: Shape(
        name="r", thickness=0.02, chamfer=Chamfer(length=0.06, height=0.005), **PLAN
    ),
    "needs corner radii of more than that, or none; got 0.004 m": lambda: Shape(
        name="r",
        thickness=0.02,
        chamfer=Chamfer(length=0.005, height=0.005),
        rectangle=Rectangle(length=0.2, width=0.1, corner_radius=0.004),
    ),
    "height must be positive": lambda: Chamfer(length=0.004, height=0.0),
    "at most 0.9": lambda: Shape(
        name="r", thickness=0.02, blocks=Blocks(columns=2, gap=0.004, height=0.02), **PLAN
    ),
    "leave no block": lambda: Shape(
        name="r", thickness=0.02, blocks=Blocks(rows=4, gap=0.04, height=0.005), **PLAN
    ),
    "at least two columns": lambda: Blocks(gap=0.004, height=0.01),
    "unknown preset 'nao'; the presets are hrp4": lambda: preset("nao"),
    "look like millimetres": lambda: box(230.0, 130.0, 20.0),
    "look like centimetres": lambda: box(23.0, 13.0, 2.0),
    "metres read as millimetres": lambda: box(0.00023, 0.00013, 0.00002),
    "look like inches or centimetres": lambda: box(9.0, 4.0, 0.8),
    "inches read as millimetres": lambda: box(0.009, 0.004, 0.0008),
    "1 m; 20 m? did you mean 20 mm: 0.02 or 20mm": lambda: box(0.24, 0.14, 20.0),
    "any common unit": lambda: box(1e7, 1e6, 1.0),
}


@pytest.mark.parametrize("part", BAD)
def test_what_cannot_be_a_sole_is_refused(part):
    with pytest.raises(ValueError) as caught:
        BAD[part]()
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("length = 0.230 # m", "lenght = 0.230 # m"), "rectangle.lenght"),
        (
            ("length = 0.230", 'length = "0.230"'),
            "rectangle.length: '0.230' is a text: write 0.230",
        ),
        (("length = 0.230", "length = nan"), "rectangle.length"),
        (("length = 0.230", "length = -0.230"), "length must be positive and finite, got -0.23 m"),
        (("thickness = 0.020", "thickness = 0.0"), "layers.0: thickness must be positive"),
        (("sole.shape/1", "sole.shape/2"), "expected 'sole.shape/1'"),
        (("poisson_ratio = 0.45", "poisson_ratio = 0.5"), "Poisson's ratio must lie inside"),
        (("[rectangle]", "[rectangle"), "not a readable TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_path_of_the_key(root, tmp_path, change, message):
    text = (root / "meshes" / "pad.toml").read_text(encoding="utf-8")
    assert change[0] in text
    file = tmp_path / "wrong.toml"
    file.write_text(text.replace(*change), encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_shape(file)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(file))
