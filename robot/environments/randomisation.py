"""What differs between two episodes: material, friction, ground and pushes, drawn from a seed."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace

import numpy as np

from robot.walk import PushPlan, Scenario
from sole.base.checks import check_one_of
from sole.base.errors import ConfigError

Range = tuple[float, float]
ABOVE = 0.25  # m: no foot begins inside a slope within this distance of its centre
STEEPEST = 0.5  # rad: beyond it no friction holds a foot
GROUNDS = ("plane", "drop", "rise", "slope")


@dataclass(frozen=True, kw_only=True)
class Randomisation:
    """Ranges of an episode's numbers, uniform but for E and eta, which are uniform in their logs.

    Parameters
    ----------
    young : E [Pa]. poisson : nu. eta : Kelvin-Voigt time [s]. friction : mu.
    grounds : kinds of ground, each as likely: "plane", "drop", "rise", "slope".
    height : of drops and rises [m], rounded to 1 mm. edge : their place ahead of the start [m].
    slope : angle [rad], in a random direction.
    push : impulse [N s], in a random horizontal direction. pushed : when it begins [s].
    """

    young: Range = (1e6, 1e7)
    poisson: Range = (0.3, 0.45)
    eta: Range = (1e-3, 1e-2)
    friction: Range = (0.5, 0.9)
    grounds: tuple[str, ...] = ("plane",)
    height: Range = (0.0, 0.01)
    edge: Range = (0.3, 0.9)
    slope: Range = (0.0, math.radians(2.0))
    push: Range = (0.0, 0.0)
    pushed: Range = (0.5, 1.5)

    def __post_init__(self) -> None:
        for kind in self.grounds:
            check_one_of("randomisation: grounds", kind, GROUNDS)
        if not self.grounds:
            raise ConfigError("randomisation: grounds needs at least one kind")
        for name in (f.name for f in fields(self) if f.name != "grounds"):
            low, high = getattr(self, name)
            least = 0.0 if name not in ("young", "eta") else np.finfo(float).tiny
            if not least <= low <= high < math.inf:
                raise ConfigError(
                    f"randomisation: {name} must be a range (low, high) of positive numbers, got "
                    f"{(low, high)}"
                )
        if not self.slope[1] < STEEPEST:
            raise ConfigError(
                f"randomisation: slope must be below {STEEPEST:g} rad, got {self.slope}"
            )
        if self.poisson[1] >= 0.5:
            raise ConfigError(f"randomisation: poisson must be below 0.5, got {self.poisson}")

    def draw(self, random: np.random.Generator) -> Drawn:
        """Return the numbers of one episode; the count of draws is always the same."""
        logs = [np.log(np.array(r)) for r in (self.young, self.eta)]
        young, eta = (float(np.exp(random.uniform(*r))) for r in logs)
        poisson, friction = (float(random.uniform(*r)) for r in (self.poisson, self.friction))
        ground = self.grounds[int(random.integers(len(self.grounds)))]
        height, edge, slope = (
            float(random.uniform(*r)) for r in (self.height, self.edge, self.slope)
        )
        push, pushed = (float(random.uniform(*r)) for r in (self.push, self.pushed))
        uphill, aside = (float(a) for a in random.uniform(-math.pi, math.pi, 2))
        return Drawn(
            young=young,
            poisson=poisson,
            eta=eta,
            friction=friction,
            ground=ground,
            height=round(height, 3),  # few heights: a walk from each needs its own plan
            edge=edge,
            slope=slope,
            heading=uphill,
            push=push,
            pushed=pushed,
            aside=aside,
        )


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """The numbers of one episode, as `Randomisation` names them; SI units and rad.

    heading, aside : directions of slope and push from the forward one.
    """

    young: float
    poisson: float
    eta: float
    friction: float
    ground: str
    height: float
    edge: float
    slope: float
    heading: float
    push: float
    pushed: float
    aside: float

    @classmethod
    def plain(cls, base: Scenario) -> Drawn:
        """Return the numbers of `base` on a plane, without a push."""
        return cls(
            young=base.sole.young,
            poisson=base.sole.poisson,
            eta=base.sole.eta,
            friction=base.sole.friction,
            ground="plane",
            height=0.0,
            edge=0.0,
            slope=0.0,
            heading=0.0,
            push=0.0,
            pushed=0.0,
            aside=0.0,
        )

    def scenario(self, base: Scenario) -> Scenario:
        """Return `base` with these numbers."""
        sole = replace(
            base.sole,
            young=self.young,
            poisson=self.poisson,
            eta=self.eta,
            friction=self.friction,
        )
        ground, start = "plane", 0.0
        if self.ground == "drop" and self.height > 0:
            ground, start = f"step:{self.height!r},{-self.edge!r},angle_deg=180", self.height
        elif self.ground == "rise" and self.height > 0:
            ground = f"step:{self.height!r},{self.edge!r}"
        elif self.ground == "slope":
            degrees = math.degrees(self.slope), math.degrees(self.heading)
            ground = f"slope:angle_deg={degrees[0]!r},heading_deg={degrees[1]!r}"
            start = ABOVE * math.tan(self.slope)
        pushes = base.push
        if self.push > 0:
            force = self.push / 0.1 * np.array([math.cos(self.aside), math.sin(self.aside), 0.0])
            x, y, z = (float(f) for f in force)
            pushes = (*pushes, PushPlan(force=(x, y, z), start=self.pushed, duration=0.1))
        return replace(
            base, sole=sole, ground=ground, start=replace(base.start, z=start),
            push=pushes,
        )  # fmt: skip
