"""Shapes of soles: an outline, a thickness profile, a tread pattern and stacked layers.

A shape is described in TOML (``schema = "sole.shape/1"``) or in Python by the same names.
Frame of every sole: x forward, y left, z up, origin at the centre of the outline's bounding
box on the bond plane z = 0; the tread lies at z = -thickness. All lengths in metres.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from sole.base.config import STRICT, load
from sole.base.errors import ShapeError
from sole.base.units import Metres, meant_millimetres
from sole.shape.outline import Outline
from sole.shape.parts import (
    Blocks,
    Chamfer,
    End,
    Foot,
    Layer,
    Pad,
    Polygon,
    Rectangle,
    check_lengths,
)

SCHEMA = "sole.shape/1"
UNITS = {  # in which a foot may have been written, and the metres that its number stands for
    "millimetres": 1e-3,
    "centimetres": 1e-2,
    "inches": 0.0254,
    "metres read as millimetres": 1e3,
    "inches read as millimetres": 25.4,
}
USUAL = 0.24  # m: length of a foot
SHORTEST, LONGEST = 0.01, 1.0  # limits of the longest side of a sole [m]


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A sole before meshing.

    Parameters
    ----------
    name : name in titles and files.
    rectangle, foot, polygon, pads : the outline, by exactly one of them.
    layers : from the tread upwards.
    thickness : of the whole stack [m]; optional with `layers`, without them it makes one layer
        named "sole".
    toe, heel : rise of the tread at +x and -x.
    chamfer : all round the tread, before toe, heel and gaps between blocks are cut.
    blocks : tread blocks or grooves.
    foot_size : length and width of the rigid foot [m]; a larger sole is refused.
    size_tread, size_bond : target mesh sizes [m].

    Raises
    ------
    ShapeError
        The values cannot make a sole; the message names the wrong one.
    """

    __pydantic_config__ = STRICT
    name: str
    rectangle: Rectangle | None = None
    foot: Foot | None = None
    polygon: Polygon | None = None
    pads: tuple[Pad, ...] = ()
    layers: tuple[Layer, ...] = ()
    thickness: Metres = 0.0
    toe: End | None = None
    heel: End | None = None
    chamfer: Chamfer | None = None
    blocks: Blocks | None = None
    foot_size: tuple[Metres, Metres] | None = None
    size_tread: Metres | None = None
    size_bond: Metres | None = None

    def __post_init__(self) -> None:
        layers, thickness = _stack(self.layers, self.thickness)
        object.__setattr__(self, "layers", layers)
        object.__setattr__(self, "thickness", thickness)
        given = [n for n in ("rectangle", "foot", "polygon", "pads") if getattr(self, n)]
        if len(given) != 1:
            raise ShapeError(
                "give exactly one outline, [rectangle], [foot], [polygon] or [[pads]]; got "
                + (" and ".join(given) or "none")
            )
        _check_extent(self)
        _check_profile(self)
        for name in ("size_tread", "size_bond"):
            if getattr(self, name) is not None:
                check_lengths(**{name: getattr(self, name)})

    @cached_property
    def outlines(self) -> tuple[Outline, ...]:
        """One curve, or one for each pad, moved to centre their bounding box."""
        one = self.rectangle or self.foot or self.polygon
        drawn = tuple(part.outline() for part in ((one,) if one else self.pads))
        low = np.min([o.bounds[0] for o in drawn], axis=0)
        high = np.max([o.bounds[1] for o in drawn], axis=0)
        x, y = (low + high) / 2
        return tuple(o.shifted(-float(x), -float(y)) for o in drawn)

    @property
    def size(self) -> tuple[float, float, float]:
        """Length, width and thickness of the bounding box [m]."""
        high = np.max([o.bounds[1] for o in self.outlines], axis=0)
        return 2 * float(high[0]), 2 * float(high[1]), self.thickness

    @property
    def interfaces(self) -> tuple[float, ...]:
        """Heights z of the planes between the layers [m], from the tread upwards."""
        tops = np.cumsum([layer.thickness for layer in self.layers])[:-1]
        return tuple(float(t) - self.thickness for t in tops)


def load_shape(path: Path) -> Shape:
    """Read a shape from TOML; refuse unknown keys with their path (`ConfigError`)."""
    return load(Path(path), Shape, SCHEMA)


def box(length: float, width: float, thickness: float) -> Shape:
    """Return a one-layer pad: +-length/2, +-width/2, z from -thickness to 0 [m]."""
    return Shape(name="box", rectangle=Rectangle(length=length, width=width), thickness=thickness)


def with_thickness(shape: Shape, thickness: float) -> Shape:
    """Return the shape with all layers scaled to a total thickness [m] and the same outline."""
    check_lengths(thickness=thickness)
    factor = thickness / shape.thickness
    layers = tuple(replace(la, thickness=la.thickness * factor) for la in shape.layers)
    return replace(shape, layers=layers, thickness=0.0)


def refuse_size(
    sides: tuple[float, float, float], what: str, hint: str = "", alone: str = ""
) -> None:
    """Raise ShapeError if the longest side is outside 0.01 to 1 m; suggest the likely unit.

    `alone` is the advice if one side alone is too long.

    Raises
    ------
    ShapeError
        The message has the sides and the unit in which they would make a foot.
    """
    longest = max(sides)
    if SHORTEST * (1 - 1e-5) <= longest <= LONGEST * (1 + 1e-5):  # CAD bounding boxes have a margin
        return
    text = " x ".join(f"{s:g}" for s in sides)
    likely = sorted(
        (u for u, f in UNITS.items() if 0.05 <= f * longest <= 0.5),
        key=lambda u: abs(math.log(UNITS[u] * longest / USUAL)),
    )
    if longest > LONGEST and SHORTEST <= sorted(sides)[-2] <= LONGEST:  # one side alone is wrong
        advice = alone or meant_millimetres(longest, LONGEST) or "correct that side"
    elif likely:
        advice = f"the numbers look like {' or '.join(likely)}{hint}"
    else:
        advice = "it is not foot-sized in any common unit"
    raise ShapeError(
        f"{what} would be {text} m, but its longest side must lie between {SHORTEST:g} and "
        f"{LONGEST:g} m; {advice}"
    )


def _stack(layers: tuple[Layer, ...], thickness: float) -> tuple[tuple[Layer, ...], float]:
    """Return consistent layers and thickness."""
    if not layers:
        if thickness == 0:
            raise ShapeError("give the thickness of the sole, or its [[layers]]")
        check_lengths(thickness=thickness)
        layers = (Layer(name="sole", thickness=thickness),)
    names = [layer.name for layer in layers]
    if len(set(names)) < len(names):
        raise ShapeError(f"every layer needs its own name, got {', '.join(names)}")
    total = math.fsum(layer.thickness for layer in layers)
    if thickness != 0 and not math.isclose(thickness, total, rel_tol=1e-9):
        raise ShapeError(
            f"the layers add up to {total:g} m but thickness is {thickness:g} m; "
            "correct one or leave thickness out"
        )
    return layers, total if thickness == 0 else thickness


def _check_extent(shape: Shape) -> None:
    from shapely import Polygon as Area

    length, width, thickness = shape.size
    refuse_size((length, width, thickness), "the sole", "; a shape is written in metres")
    if shape.foot_size is not None:
        check_lengths(foot_length=shape.foot_size[0], foot_width=shape.foot_size[1])
        for name, sole, foot in zip(
            ("long", "wide"), (length, width), shape.foot_size, strict=True
        ):
            if sole > foot * (1 + 1e-9):
                raise ShapeError(f"the sole is {sole:g} m {name} but its foot only {foot:g} m")
    areas = [Area(o.polygon) for o in shape.outlines]
    for i, a in enumerate(areas):
        for j in range(i):
            if a.distance(areas[j]) <= 1e-6 * length:
                raise ShapeError(f"pads {j + 1} and {i + 1} overlap or touch; part or join them")


def _check_profile(shape: Shape) -> None:
    length, width, thickness = shape.size
    ends = {name: getattr(shape, name) for name in ("toe", "heel") if getattr(shape, name)}
    for name, end in ends.items():
        if end.height > 0.9 * thickness:
            raise ShapeError(
                f"the {name} rises by {end.height:g} m, more than 0.9 of the thickness "
                f"{thickness:g} m: nothing would be left there"
            )
    if sum(end.length for end in ends.values()) >= length:
        raise ShapeError(
            f"toe and heel rise over {sum(e.length for e in ends.values()):g} m of a sole only "
            f"{length:g} m long: no flat tread is left"
        )
    _check_chamfer(shape)
    b = shape.blocks
    if b is None:
        return
    if b.height > 0.9 * thickness:
        raise ShapeError(
            f"tread blocks {b.height:g} m high in a sole {thickness:g} m thick; at most 0.9 of it"
        )
    for word, side, count in (("long", length, b.columns), ("wide", width, b.rows)):
        if side <= (count - 1) * b.gap:
            raise ShapeError(
                f"{count - 1} gaps of {b.gap:g} m leave no block in a sole {side:g} m {word}"
            )


def _check_chamfer(shape: Shape) -> None:
    c = shape.chamfer
    if c is None:
        return
    if c.height > 0.9 * shape.thickness:
        raise ShapeError(
            f"the chamfer rises by {c.height:g} m, more than 0.9 of the thickness "
            f"{shape.thickness:g} m: nothing would be left there"
        )
    for outline in shape.outlines:
        small = [r for r in outline.radii if 0 < r <= c.length * (1 + 1e-6)]
        if small:
            raise ShapeError(
                f"a chamfer {c.length:g} m long needs corner radii of more than that, or none; "
                f"got {small[0]:g} m"
            )
        if not outline.inset_area(c.length) > 0:
            raise ShapeError(f"a chamfer {c.length:g} m long leaves no flat tread")
