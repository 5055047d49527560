"""The page of a running walk: scene, treads, plots that run along, buttons and sliders."""

from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from contact.ground import Plane
from robot.live.scene_snapshot import NUMBERS
from robot.pictures.browser import LivePage, live_page
from robot.recorder import Recorder
from robot.walk import NU_RANGE
from sole.base.arrays import FloatArray
from sole.base.config import written

if TYPE_CHECKING:
    from robot.simulator import SimStep
    from robot.walk import Walk

AROUND, TILE, FINE = (-1.5, 4.5, -2.0, 2.0), 0.1, 0.02  # m: shown ground, spacing of heights
LOADED = 6.0  # times the mean pressure of standing on one foot: end of the colour scale


def walk_page(walk: Walk, step: SimStep) -> LivePage:
    """Return the page of a walk after a step."""
    s, feet = walk.scenario, walk.feet
    recorder = Recorder(
        walk.simulator, walk.start, s.dt, feet=feet, every=1, nodes=1, scenario=written(s)
    )
    recorder.record(step)
    run = replace(recorder.run(), ground=_wide(walk))
    areas = [
        sum(float(np.sum(tread.areas)) for tread in run.treads if tread.foot == foot)
        for foot in range(len(run.feet))
    ]
    header: dict[str, Any] = {
        "joints": [str(name) for name in list(walk.simulator.model.names)[1:]],
        "steered": walk.online is not None,
        "pads": s.sole.file is None and not feet.rigid,
        "changes": s.contact.kind != "penalty" and s.bush is None,
        "young": s.sole.young,
        "poisson": s.sole.poisson,
        "nu": NU_RANGE,
        "friction": s.sole.friction,
        "controller": s.control.kind,
        "numbers": NUMBERS,
    }
    end = LOADED * run.weight / min(areas) if min(areas) > 0 else 1e5
    return live_page(
        run,
        str(run.header["robot"]),
        end,
        header,
        files("robot.live") / "assets",
        ("socket.js", "rolling_plot.js", "live_controls.js", "live_scene.js", "live_walk.js"),
    )


def _wide(walk: Walk) -> dict[str, FloatArray]:
    """Return heights of the ground around the start, wide enough to walk about."""
    x0, y0 = walk.start.q[:2].tolist()
    spacing = TILE if isinstance(walk.simulator.ground, Plane) else FINE
    west, east, south, north = AROUND
    x = x0 + np.arange(west, east + spacing / 2, spacing)
    y = y0 + np.arange(south, north + spacing / 2, spacing)
    X, Y = np.meshgrid(x, y, indexing="ij")
    height = walk.simulator.ground.height(X.ravel(), Y.ravel()).reshape(X.shape)
    return {"x": x, "y": y, "height": height}
