"""Soles of known humanoids, by name; lengths in metres.

Sizes are as published for HRP-4, HRP-2Kai, JVRC-1 and Talos. Lola's four pads follow the idea of
its foot (separate contact pads at heel and toe); their dimensions are ours, and so are all
thicknesses and materials. Most presets leave the material open.
"""

from __future__ import annotations

from sole.base.errors import ShapeError
from sole.base.near_names import did_you_mean
from sole.shape.parts import Layer, Pad, Rectangle
from sole.shape.shape import Shape

_THICKNESS = 0.02


def _hrp2kai() -> Shape:
    return Shape(
        name="hrp2kai",
        rectangle=Rectangle(length=0.216, width=0.140),
        layers=(
            Layer(name="tread", thickness=0.008, young_modulus=1e6, poisson_ratio=0.45),
            Layer(name="midsole", thickness=0.012, young_modulus=3e6, poisson_ratio=0.45),
        ),
    )


def _lola() -> Shape:
    return Shape(
        name="lola",
        pads=tuple(
            Pad(x=x, y=y, length=0.080, width=0.050, corner_radius=0.008)
            for x in (-0.085, 0.085)
            for y in (-0.035, 0.035)
        ),
        thickness=_THICKNESS,
    )


def _plain(name: str, length: float, width: float) -> Shape:
    return Shape(name=name, rectangle=Rectangle(length=length, width=width), thickness=_THICKNESS)


_PRESETS = {
    "hrp4": lambda: _plain("hrp4", 0.224, 0.130),
    "hrp2kai": _hrp2kai,
    "jvrc1": lambda: _plain("jvrc1", 0.220, 0.100),
    "talos": lambda: _plain("talos", 0.221, 0.134),
    "lola": _lola,
}
NAMES = tuple(_PRESETS)


def preset(name: str) -> Shape:
    """Return a preset by its name; case and dashes do not matter.

    Raises
    ------
    ShapeError
        Unknown; the message lists the names.
    """
    key = name.lower().replace("-", "").replace("_", "")
    if key not in _PRESETS:
        near = did_you_mean(name, NAMES)
        raise ShapeError(f"unknown preset '{name}'; the presets are {', '.join(NAMES)}{near}")
    return _PRESETS[key]()
