"""Colours for all eyes: maps rise in lightness, and colours that mean something stay apart.

Seen as by people without one kind of cone, by the matrices of G. M. Machado, M. M. Oliveira and
L. A. F. Fernandes, "A physiologically-based model for simulation of color vision deficiency", IEEE
Transactions on Visualization and Computer Graphics 15(6), 2009, for the severity 1.
"""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.colors import to_rgb

from contact.pictures import ground_view, press_data
from robot.pictures import nodal, sheet, together
from sole.pictures import LAYER_COLORS, condensed_view, datasets, view

ROOT = Path(__file__).parent.parent
EYES = {
    "all cones": np.eye(3),
    "no long ones": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no middle ones": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no short ones": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
LAB = np.array(  # sRGB to XYZ over the white of D65
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
) / np.array([[0.9505], [1.0], [1.089]])


def lab(colors, eye) -> np.ndarray:
    """Return CIELAB (n, 3) of sRGB colours (n, 3) as an eye sees them."""
    rgb = np.asarray(colors, dtype=float)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    xyz = np.clip(linear @ np.asarray(EYES[eye]).T, 0, 1) @ LAB.T
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], 1)


def maps() -> list[str]:
    """Return the names of all maps that the tree draws with."""
    fields = [*datasets.MESH_FIELDS.values(), *condensed_view.CONDENSED_FIELDS.values()]
    fields += [*press_data.FIELDS.values(), *nodal.FIELDS.values(), ground_view.HEIGHT]
    found = {field.colors for field in fields}
    for folder in ("sole", "contact", "robot", "examples", "benchmarks"):
        for file in (ROOT / folder).rglob("*.py"):
            text = file.read_text(encoding="utf-8")
            found |= set(re.findall(r"cmap=\"(\w+)\"|(?:colormaps|get_cmap)[\[(]\"(\w+)\"", text))
    return sorted({name for one in found for name in (one if isinstance(one, tuple) else [one])})


NAMES = [name for name in maps() if name]


def test_the_maps_are_found():
    assert {"viridis", "cividis", "plasma", "YlOrRd", "magma"} <= set(NAMES)


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("name", NAMES)
def test_every_map_rises_or_falls_in_lightness_for_all_eyes(name, eye):
    lightness = lab(colormaps[name](np.linspace(0, 1, 33))[:, :3], eye)[:, 0]
    steps = np.diff(lightness) * np.sign(lightness[-1] - lightness[0])
    assert steps.min() > -0.3  # round-off of 256 colours
    assert abs(lightness[-1] - lightness[0]) > 50


def test_a_map_from_red_to_green_would_be_refused():
    lightness = lab(colormaps["RdYlGn"](np.linspace(0, 1, 33))[:, :3], "no middle ones")[:, 0]
    assert np.diff(lightness).min() < -1


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize(
    ("name", "colors"),
    [
        ("limbs", tuple(sheet.LIMBS.values())),
        ("runs", together.COLORS),
        ("layers", LAYER_COLORS[:4]),
        ("groups", tuple(view.GROUP_COLORS.values())),
    ],
)
def test_colours_that_mean_something_stay_apart(name, colors, eye):
    seen = lab([to_rgb(color) for color in colors], eye)
    apart = [float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)]
    assert min(apart) > 18, name
