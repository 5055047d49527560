"""Walks of LOLA's size over edges and boxes that the plan does not know: cases and ensembles.

`lola-like` takes five steps on pads of 20 mm (nu = 0.45, 40 mm mesh, dt = 1 ms). The ground drops
or rises at an edge before the third foothold, or a box lies around it. An ensemble draws what
changes a walk: the place and angle of the edge, the rhythm, the length of the steps and the
material of the soles; with noisy sensors the seed of the noise, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from robot.control import ForceChoice
from robot.gait import Walking
from robot.online import PlanChoice
from robot.scenery import Start
from robot.walk import ControlChoice, Scenario, Sensing, SoleChoice

__all__ = [
    "BOX",
    "DOWN",
    "FLAT",
    "FOOTHOLD",
    "HARDER",
    "HEEL",
    "SOFTER",
    "TOES",
    "UP",
    "EdgeCase",
    "Keys",
    "Places",
    "draws",
]

PERIOD = 0.8  # s of a step
FOOTHOLD = 3  # whose edge it is, counted in steps from the start
SINGLE, FORWARD = (0.6, 0.7), (0.33, 0.36)  # s of single support, m of a step
HARDER, SOFTER = (2e6, 5e6), (1e6, 2e6)  # Pa; kappa = 1 of the paper is unstable on 5 MPa
LIFT = {0.09: 0.12, 0.04: 0.10}  # m of a swing over ground of this height
HIGH = 0.09  # m; a foot that may meet it has to be over its foothold sooner
SEED = 36


@dataclass(frozen=True, kw_only=True)
class Places:
    """Ranges of places: from an edge, or the middle of a box, to the third foothold.

    back : how far it lies before the foothold [m]. turned : from straight across, at most [deg].
    """

    back: tuple[float, float]
    turned: float = 0.0


DOWN = Places(back=(0.15, 0.22), turned=8.0)  # no heel on the edge, toes at most 4 cm beyond it
UP = Places(back=(0.145, 0.18), turned=8.0)  # neither toes below the edge nor a heel on it
HEEL = Places(back=(0.08, 0.10), turned=2.0)  # 2.5 to 4.5 cm of the heel on the other side
TOES = Places(back=(0.24, 0.26), turned=2.0)  # toes of the foot before reach the edge
BOX = Places(back=(-0.01, 0.01), turned=6.0)
FLAT = Places(back=(0.0, 0.0))


@dataclass(frozen=True, kw_only=True)
class Keys:
    """Keys that an experiment sets beside ground and gait.

    lift : `gait.lift` [m]. arrive, step_over, crouch, reach_speed : of `[plan]`; None: default.
    """

    lift: float = 0.06
    arrive: float | None = None
    step_over: bool = False
    crouch: float | None = None
    reach_speed: float | None = None

    @property
    def plan(self) -> PlanChoice:
        """The online plan with these keys."""
        names = ("arrive", "crouch", "reach_speed")
        given = {n: getattr(self, n) for n in names if getattr(self, n) is not None}
        return PlanChoice(kind="online", step_over=self.step_over, **given)


@dataclass(frozen=True, kw_only=True)
class EdgeCase:
    """A walk over an edge.

    Parameters
    ----------
    height : of the ground behind the edge [m]; negative: a drop. back : from the edge to the third
        foothold [m]. turned : of the edge, from straight across [deg]. single : single support [s]
        of a step of 0.8 s. forward : length of a step [m]. young : E of the pads [Pa]. kind :
        "force" or "stabiliser". force : the law of the former. phase_logic : whether the plan heeds
        contacts; else it is fixed. length : of a box around the third foothold [m]; None: an edge.
        noise : seed of noisy sensors; None: true state. keys : None: those that the height needs.
    """

    height: float
    back: float = 0.17
    turned: float = 0.0
    single: float = 0.7
    forward: float = 0.35
    young: float = HARDER[0]
    kind: str = "force"
    force: ForceChoice = field(default_factory=ForceChoice)
    phase_logic: bool = True
    length: float | None = None
    noise: int | None = None
    keys: Keys | None = None

    @property
    def used(self) -> Keys:
        """The keys, or those that the height needs."""
        if self.keys is not None:
            return self.keys
        if self.height < 0:
            return Keys()
        keys = Keys(lift=LIFT.get(self.height, 0.06))
        if self.height < HIGH:
            return keys
        if self.length is None:
            return replace(keys, arrive=0.8)
        return replace(keys, arrive=0.8, crouch=0.07, reach_speed=0.9)

    @property
    def scenario(self) -> Scenario:
        """The walk as a scenario."""
        size, down = abs(self.height), self.height < 0
        x = round(FOOTHOLD * self.forward - self.back, 6)
        ground = "plane"
        if size:
            at, angle = (-x, 180 + self.turned) if down else (x, self.turned)
            ground = f"step:{size:g},{at:g},angle_deg={angle:g}"
            if self.length is not None:
                ground = f"box:{self.length:g},2,{size:g},x={x:g},yaw_deg={self.turned:g}"
        return Scenario(
            robot="lola-like",
            ground=ground,
            seed=self.noise or 0,
            start=Start(z=size if down else 0.0),
            sole=SoleChoice(young=self.young, poisson=0.45, size=0.04, element="p1"),
            gait=Walking(
                steps=5,
                forward=self.forward,
                single=self.single,
                double=round(PERIOD - self.single, 6),
                lift=self.used.lift,
            ),
            plan=self.used.plan if self.phase_logic else PlanChoice(kind="fixed"),
            control=ControlChoice(kind=self.kind, force=self.force),
            sensing=Sensing(kind="true" if self.noise is None else "noisy"),
        )


def draws(
    count: int, places: Places, *, young: tuple[float, float] = HARDER
) -> Iterator[dict[str, Any]]:
    """Yield what distinguishes the walks of an ensemble, as fields of an `EdgeCase`.

    A Halton sequence fills the ranges evenly, so the first walks of an ensemble mix all of them
    already, and a longer ensemble begins with a shorter one. E is drawn by its logarithm.
    """
    from scipy.stats.qmc import Halton

    for u in Halton(5, rng=SEED).random(count):
        low, high = np.log(young)
        yield {
            "back": round(_between(u[0], places.back), 3),
            "turned": round(places.turned * (2 * float(u[1]) - 1), 1),
            "single": round(_between(u[2], SINGLE), 3),
            "forward": round(_between(u[3], FORWARD), 3),
            "young": float(f"{np.exp(low + (high - low) * u[4]):.3g}"),
        }


def _between(u: float, ends: tuple[float, float]) -> float:
    return float(ends[0] + (ends[1] - ends[0]) * u)
