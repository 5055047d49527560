"""The page of a press: the foot over its ground, the tread, numbers, six freedoms, sliders."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from contact.step import Body
from robot.live.press_freedoms import FARTHEST, MORE, NAMES, STEEPEST
from robot.live.scene_snapshot import NUMBERS
from robot.pictures.browser import LivePage, live_page
from robot.run import Run, Skeleton, tread_of
from sole.base.arrays import FloatArray
from sole.condense import STRAIN_LIMIT

if TYPE_CHECKING:
    from contact.ground import Ground
    from contact.press import PressResult
    from robot.live.scene_snapshot import SceneLayout
    from sole.condense import CondensedSole


class PressedFoot(Protocol):
    """A foot over a ground: see `robot.live.hands_on_press`."""

    sole: CondensedSole
    ground: Ground
    ground_text: str
    friction: float
    layout: SceneLayout

    @property
    def deepest(self) -> float:
        """Largest depth below first touch [m]."""

    @property
    def elastic(self) -> tuple[str, float]:
        """Name and value of what scales the sole: `young` [Pa] or `stiffness_factor`."""

    def row(self, **numbers: Any) -> FloatArray:
        """Return the snapshot of now."""


LOADED = 5.0  # times the mean pressure of FORCE: end of the colour scale
FORCE = 600.0  # N: a person
ARROW = 0.12  # m: length of the arrow of FORCE
WIDE, FINE, LEVEL = 1.5, 0.004, 0.05  # of the sole's length shown around it; m between heights
GROUNDS = ("plane", "step:0.005", "slope:angle_deg=5", "bump:0.005,0.03", "bar:0.004,0.004")


def ground_arrays(hands: PressedFoot) -> dict[str, Any]:
    """Return the shown ground: x (a,), y (b,) and heights (a, b) [m], as lists."""
    reach = WIDE * float(np.ptp(hands.sole.points[:, :2], axis=0).max())
    spacing = LEVEL if hands.ground_text == "plane" else max(FINE, reach / 100)
    line = np.arange(-reach, reach + spacing / 2, spacing)
    X, Y = np.meshgrid(line, line, indexing="ij")
    height = hands.ground.height(X.ravel(), Y.ravel()).reshape(X.shape)
    return {"x": line.tolist(), "y": line.tolist(), "height": height.tolist()}


def rest_numbers(rest: PressResult) -> dict[str, Any]:
    """Return what a page shows of a state of rest, in SI units."""
    cop = [value if np.isfinite(value) else None for value in rest.cop.tolist()]
    return {
        "wrench": rest.wrench.tolist(),
        "friction": rest.friction,
        "cop": cop,
        "pressure": float(rest.pressure.max()),
        "deformed": rest.deformation * rest.sole.thickness,
        "nodes": [int((rest.status == state).sum()) for state in range(3)],
        "motion": rest.motion.tolist(),
    }


def press_page(hands: PressedFoot) -> LivePage:
    """Return the page of a press that has made a step."""
    sole, ground = hands.sole, ground_arrays(hands)
    run = _run(hands, {name: np.array(values) for name, values in ground.items()})
    header = {
        "style": {"force": ARROW, "unit": f"{FORCE:g} N"},
        "numbers": NUMBERS,
        "more": MORE,
        "freedoms": [
            {"name": n, "most": STEEPEST if n.endswith("_deg") else FARTHEST} for n in NAMES
        ],
        "deepest": hands.deepest,
        "thickness": sole.thickness,
        "linear": STRAIN_LIMIT,
        hands.elastic[0]: hands.elastic[1],
        "friction": hands.friction,
        "grounds": [hands.ground_text, *(g for g in GROUNDS if g != hands.ground_text)],
        "nodes": len(sole.points),
    }
    end = LOADED * FORCE / float(sole.areas.sum())
    return live_page(
        run,
        sole.mesh.name or "sole",
        end,
        header,
        files("robot.live") / "assets",
        (
            "socket.js",
            "rolling_plot.js",
            "live_controls.js",
            "live_scene.js",
            "gizmo.js",
            "live_press.js",
        ),
        style="live_press.css",
    )


def _run(hands: PressedFoot, ground: dict[str, FloatArray]) -> Run:
    """Return the foot as a run of one row, which pages know how to show."""
    sole, m = hands.sole, len(hands.sole.points)
    nothing, length = np.zeros, float(np.ptp(sole.points[:, 0]))  # the robot is twice as tall
    skeleton = Skeleton(
        names=("foot",), parents=np.array([-1]), coordinates=np.array([7]), first=np.array([0]),
        placements=np.eye(4)[None], axes=nothing((1, 6)), frames=np.array([0]),
        frame_placements=np.eye(4)[None],
    )  # fmt: skip
    row = hands.layout.views(hands.row(factor=1.0, stamp=0, paused=0, session=0, speed=1.0))
    series = {
        "time": nothing(1), "q": row["q"][None].copy(), "waist_tilt": nothing(1),
        "waist_position": row["q"][None, :3].copy(), "wrench_world": nothing((1, 1, 6)),
        "cop": nothing((1, 1, 2)), "zmp": nothing((1, 3)), "body_wrench": nothing((1, 1, 6)),
        "pressure": nothing((1, 1)), "foot_position": np.array([[[0.0, 0.0, -2 * length]]]),
    }  # fmt: skip
    frames = {
        "frame_time": nothing(1), "frame_position": nothing((1, 1, 3)),
        "frame_rotation": nothing((1, 1, 4)), "node_force": nothing((1, m, 3)),
        "node_position": nothing((1, m, 3)), "node_displacement": nothing((1, m, 3)),
    }  # fmt: skip
    header = {
        "robot": "foot", "feet": ("the",), "joints": (), "mass": FORCE, "gravity": 1.0, "dt": 1.0,
        "every": 1, "ended": "finished", "tolerance": 1.0,
        "fall": {"fell": False, "time": None, "reason": ""},
    }  # fmt: skip
    return Run(
        series=series,
        frames=frames,
        skeleton=skeleton,
        treads=(tread_of("sole", Body.of(sole), 0, (sole,)),),
        header=header,
        ground=ground,
    )
