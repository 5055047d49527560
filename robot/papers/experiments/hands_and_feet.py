"""Figure 1 of the deformable-soles paper: hands and feet in contact at once while a user pulls.

The robot stands between two arm rests, its palms 0.05 mm above them. Messages, as a page of `sole
live walk` sends them, pull its waist down, then aside, and let go.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from sole.base.constants import GRAVITY
from sole.claims import Effort, Findings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from robot.walk import Scenario, Walk
    from sole.base.arrays import FloatArray

__all__ = ["pull_on_arm_rests"]

SOFT = 3e5  # Pa: the soles give way by 0.1 mm, so the palms come down
GAP = 5e-5  # m between palms and rests
DOWN, ASIDE = 0.04, 0.03  # m: way of the hand
STIFFNESS = 3000.0  # N/m
GRAB, LOW, TURN, FAR, GO, END = 50, 350, 500, 800, 1100, 1300  # steps of 1 ms
LOADED = 5.0  # N from which a body carries
REST = """[[solid]]
kind = "box"
length = 0.4
width = 0.2
rise = {rise!r}
x = {x!r}
y = {y!r}
"""


def pull_on_arm_rests(effort: Effort) -> Findings:
    """Stand between arm rests, be pulled by messages, and repeat it as a scenario."""
    from robot.live import HandsOnWalk
    from robot.walk import assemble_walk

    with TemporaryDirectory() as made:
        folder = Path(made)
        hands = HandsOnWalk(_between_rests(folder), folder)
        walk, dt = hands.walk, hands.first.dt
        rows, start = [], walk.start.q[:3].copy()
        for k in range(END):
            for message in _messages(k, start):
                hands.obey(message)
            pull = hands.pull_force[2]
            hands.advance()
            assert hands.step is not None
            contact = hands.step.contact
            assert contact.certified
            rows.append([*hands.step.wrenches[:, 2], pull, contact.residual])
            if hands.over:
                break
        done = np.array(rows)
        _, scenario = hands.finish()
        again = [step.state.q for step, _ in assemble_walk(scenario, folder).steps()]
    same = len(again) == len(done) and np.array_equal(again[-1], hands.state.q)
    loads, pull = done[:, :4], done[:, 4]
    rest = slice(GO - 50, GO)
    carried = -pull[rest] + GRAVITY * walk.feet.robot.mass
    off = np.abs(loads[rest].sum(axis=1) / carried - 1)
    found = {
        "bodies": float((loads > LOADED).sum(axis=1).max()),
        "shared": dt * float(((loads > LOADED).sum(axis=1) > 2).sum()),
        "palms": float(loads[:, 2:].sum(axis=1).max()),
        "balance": float(off.max()) if len(off) else float("nan"),  # it fell before it rested
        "residual": float(done[:, 5].max()),
        "fell": float(hands.over),
        "same": float(same),
    }
    return Findings(numbers=found, pictures={"fig1": lambda: _draw_loads(dt, loads, pull)})


def _messages(k: int, start: FloatArray) -> list[dict[str, Any]]:
    """Return what the user does before step k; `start` : where the waist was (3,)."""
    lower = min((k - GRAB) / (LOW - GRAB), 1.0)
    aside = min(max((k - TURN) / (FAR - TURN), 0.0), 1.0)
    target = np.add(start, (0.0, ASIDE * aside, -DOWN * lower)).tolist()
    if k == GRAB:
        grip = {"joint": 0, "point": [0, 0, 0], "stiffness": STIFFNESS}
        return [{"do": "grab", "target": target, **grip}]
    if GRAB < k <= FAR:
        return [{"do": "move", "target": target}]
    return [{"do": "let go"}] if k == GO else []


def _between_rests(folder: Path) -> Scenario:
    """Return hrp2-like standing between rests just below its palms; write the ground."""
    from dataclasses import replace

    from robot.gait import Standing
    from robot.online import PlanChoice
    from robot.scenery import Touch
    from robot.walk import Scenario, SoleChoice, assemble_walk

    bare = Scenario(
        robot="hrp2-like",
        gait=Standing(initial=0.5, final=3.0),
        sole=SoleChoice(size=0.05, young=SOFT),
        touch=tuple(Touch(frame=f"{side}_palm") for side in ("left", "right")),
    )
    walk = assemble_walk(replace(bare, plan=PlanChoice(kind="online")))  # as a session has it
    text = 'schema = "contact.ground/1"\n[[solid]]\nkind = "plane"\n'
    for points in _palms(walk):
        x, y = points[:, :2].mean(axis=0).tolist()
        text += REST.format(rise=float(points[:, 2].min()) - GAP, x=x, y=y)
    (folder / "rests.toml").write_text(text, encoding="utf-8")
    return replace(bare, ground="rests.toml")


def _palms(walk: Walk) -> list[FloatArray]:
    """Return the contact points (m, 3) of both palms in the world, at the start."""
    _, R, p = walk.simulator.dynamics.frames_at(walk.start.q)
    bodies = [touch.body for touch in walk.simulator.touching]
    return [p[k] + bodies[k].points @ R[k].T for k in (2, 3)]


def _draw_loads(dt: float, loads: FloatArray, pull: FloatArray) -> Figure:
    """Return the vertical forces of soles, palms and user over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    t = dt * np.arange(1, len(loads) + 1)
    styles = (("#1f5fa8", "-"), ("#c1440e", "-"), ("#1f5fa8", "--"), ("#c1440e", "--"))
    names = ("left sole", "right sole", "left palm", "right palm")
    for load, name, (colour, style) in zip(loads.T, names, styles, strict=True):
        axes.plot(t, load, style, color=colour, label=name)
    axes.plot(t, pull, color="0.4", label="user, on the waist")
    axes.axhline(0.0, color="0.8", lw=0.8)
    axes.set_xlabel("time [s]")
    axes.set_ylabel("vertical force [N]")
    figure.legend(loc="outside right upper", frameon=False)
    return figure
