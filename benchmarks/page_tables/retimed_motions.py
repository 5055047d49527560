"""Motions at the limit of the wrench cone: the tables of docs/results/retiming.md.

python benchmarks/page_tables/retimed_motions.py plans|speeds|walks|yaw|soles

A minute of processor time each, `plans` seconds.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from math import degrees, radians
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from page_tables.printing import print_table
from robot.gait import Walking
from robot.measures import metrics
from robot.model import load_robot
from robot.papers.experiments.foot_yaw import foot_yaw
from robot.papers.experiments.retimed_postures import (
    AS_PAPER,
    OF_AREA,
    TIGHT,
    play_at_speeds,
    posture_scenario,
)
from robot.papers.experiments.slippery_turn import SLIPPERY, compare_yaw_laws, foot_turns
from robot.retime import ConeChoice, RetimeChoice, motion_stability, retime
from robot.walk import (
    RecordingOptions,
    Scenario,
    SoleChoice,
    assemble_walk,
    execute,
    retime_scenario,
)
from sole.base.numba_settings import set_up_numba

CONES = ((0.45, 0.283), (0.6, 0.5), (0.8, 0.5), (0.9, 0.5), (0.9, 0.7), (1.0, 0.7))
WALKS = {1e6: (0.7, 0.65, 0.6), 3e6: (0.8, 0.75, 0.7), 1e8: (1.0, 0.9, 0.8)}
SURFACES = {
    1e6: (
        RetimeChoice(area=0.45, friction=0.4),
        RetimeChoice(area=0.45, friction=0.5),
        RetimeChoice(area=0.4, friction=0.8, surface="sole", reserve=0.5),
    ),
    3e6: (
        RetimeChoice(area=0.45, friction=0.4),
        RetimeChoice(area=0.6, friction=0.5),
        RetimeChoice(area=0.6, friction=0.8),
        RetimeChoice(area=0.6, friction=0.8, surface="sole", reserve=0.4),
        RetimeChoice(area=0.8, friction=0.8),
        RetimeChoice(area=0.8, friction=0.8, surface="sole", reserve=0.3),
    ),
}


def plans() -> Iterator[list[str]]:
    """Retime the eleven postures on the bare foot within cones of several sizes."""
    path = posture_scenario().gait.path(load_robot("hrp4-like"))
    for area, friction in CONES:
        cone = ConeChoice(area=area, friction=friction, pyramid="outer")
        found = retime(path, cone)
        whole = ConeChoice(area=1.0, friction=0.8, pyramid="outer")
        _, states = motion_stability(path.robot, found.plan(1e-3), cone=whole, every=20)
        least = min(states, key=lambda state: state.margin)
        yield [
            f"{area:g}, {friction:g}",
            f"{found.duration:.3f}",
            f"{100 * found.share_active:.1f}",
            f"{found.check.margin:.1e}",
            f"{100 * found.check.torque:.0f}",
            f"{least.margin:.2f}",
        ]


def speeds() -> Iterator[list[str]]:
    """Play retimed motions as planned and faster, on rigid feet."""
    for choice in (TIGHT, OF_AREA, AS_PAPER):
        for factor, one in play_at_speeds(choice, (1.0, 0.95, 0.9, 0.85)).items():
            air, point, edge, surface = 100 * one.shares
            yield [
                f"{choice.area:.2g}",
                f"{100 * (factor - 1):.0f} %",
                f"{one.walk.plan.end - factor:.2f}",
                f"{surface:.0f}",
                f"{edge:.0f}",
                f"{point:.0f}",
                f"{air:.0f}",
                f"{degrees(one.yaw):.1f}",
                f"falls at {one.fell_at:.1f} s" if one.fell else "stands",
            ]


def walks() -> Iterator[list[str]]:
    """Walk four steps of 0.2 m, retimed under the cones of both feet, on soles of three moduli."""
    for young, areas in WALKS.items():
        for area in areas:
            walk = assemble_walk(
                Scenario(
                    robot="hrp4-like",
                    sole=SoleChoice(young=young, friction=0.8),
                    gait=Walking(steps=4),
                    retime=RetimeChoice(area=area, friction=0.5),
                )
            )
            run = execute(walk, RecordingOptions()).run
            edges = walk.plan.schedule.edges
            yield [
                f"{young / 1e6:g}",
                f"{area:g}",
                f"{walk.plan.end:.2f}",
                f"{edges[3] - edges[1]:.2f}",
                f"{degrees(run['waist_tilt'].max()):.2f}",
                f"{degrees(max(foot_turns(run))):.2f}",
                "falls" if run.header["fall"]["fell"] else "walks",
            ]


def yaw() -> Iterator[list[str]]:
    """Walk with long steps and a turn, without and with the yaw law."""
    for robot, turn, single in (("hrp4-like", 8, 0.6), ("hrp2-like", 10, 0.7)):
        for friction in (0.3, 0.2):
            scenario = replace(
                SLIPPERY,
                robot=robot,
                sole=SoleChoice(friction=friction),
                gait=replace(SLIPPERY.gait, turn=radians(turn), single=single),
            )
            for law, one in compare_yaw_laws(scenario).items():
                found = metrics(one.run)
                yield [
                    f"{robot}, {friction:g}",
                    law,
                    f"{degrees(one.yaw):.2f}",
                    f"{1e3 * one.run['slip'][-1].max():.1f}",
                    f"{degrees(found['waist tilt'].value):.2f}",
                    f"{1e3 * found['ZMP error'].value:.0f}",
                    f"{found['foot acceleration 100 Hz'].value:.1f}",
                    "falls" if found["fell"].value else "walks",
                ]


def soles() -> Iterator[list[str]]:
    """Play the motion on compliant soles, retimed for rigid rectangles and for their surfaces."""
    for young, choices in SURFACES.items():
        for choice in choices:
            scenario = replace(posture_scenario(choice), sole=SoleChoice(young=young, friction=0.8))
            _, retimed = retime_scenario(scenario)
            run = execute(assemble_walk(scenario), RecordingOptions()).run
            turned = np.degrees(foot_yaw(run)[:, 0])
            turned = np.abs(turned - turned[0])
            name = f"rectangle, mu {choice.friction:g}"
            if choice.surface == "sole":
                name = f"sole, reserve {choice.reserve:g}"
            yield [
                f"{young / 1e6:g}",
                f"{name}, area {choice.area:g}",
                f"{retimed.retiming.duration:.2f}",
                f"{turned.max():.2f}",
                f"{turned[-1]:.2f}",
                f"{1e3 * run['slip'][-1].max():.1f}",
                "falls" if run.header["fall"]["fell"] else "stands",
            ]


TABLES = {
    "plans": (
        "area, mu | T [s] | active [%] | margin between points | torque [%] | weak stability",
        plans,
    ),
    "speeds": (
        "area | durations | T [s] | surface [%] | edge [%] | point [%] | air [%] | "
        "foot yaw [deg] | the robot",
        speeds,
    ),
    "walks": (
        "E [MPa] | area | plan [s] | first step [s] | waist tilt [deg] | foot yaw [deg] | "
        "the robot",
        walks,
    ),
    "yaw": (
        "robot, mu | yaw | foot yaw [deg] | slip [mm] | waist tilt [deg] | ZMP error [mm] | "
        "foot acceleration [m/s^2] | the robot",
        yaw,
    ),
    "soles": (
        "E [MPa] | retimed for | T [s] | foot yaw [deg] | at the end [deg] | slip [mm] | the robot",
        soles,
    ),
}

if __name__ == "__main__":
    set_up_numba()
    for name in sys.argv[1:] or TABLES:
        print_table(*((TABLES[name][0], TABLES[name][1]())))
