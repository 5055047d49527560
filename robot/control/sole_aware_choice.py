"""The numbers of sole-aware control: `[control.sole_aware]`."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from sole.base.checks import check_one_of, check_positive
from sole.base.config import STRICT
from sole.base.errors import ConfigError

MODELS = ("sole", "rigid")


@dataclass(frozen=True, kw_only=True)
class SoleAwareChoice:
    """What the controller assumes, and its gains.

    Parameters
    ----------
    model : "sole": the law of the condensed soles is part of the dynamics; "rigid": the same
        controller for feet that do not yield.
    assumed : E of the soles in the model over the true one, > 0.
    omega : with which the wrench of a sole follows its aim [rad/s]; zeta : its damping.
    k : gain of the error of the divergent component of motion [1/s].
    height, waist : with which height and inclination return to the plan, critically damped [rad/s].
    swing, posture : the same of swing feet and joints [rad/s].
    fade : time in which a foot that lifts off returns to its plan [s].
    reach : speed with which a late foot goes on down [m/s].
    margin : of the centres of pressure from the edges [m].
    """

    __pydantic_config__ = STRICT
    model: str = "sole"
    assumed: float = 1.0
    omega: float = 30.0
    zeta: float = 1.0
    k: float = 4.0
    height: float = 10.0
    waist: float = 10.0
    swing: float = 100.0
    posture: float = 10.0
    fade: float = 0.1
    reach: float = 0.3
    margin: float = 0.01

    def __post_init__(self) -> None:
        check_one_of("control.sole_aware: model", self.model, MODELS)
        names = ("assumed", "omega", "zeta", "k", "height", "waist", "swing", "posture", "fade")
        check_positive("control.sole_aware", {name: getattr(self, name) for name in names})
        for name in ("reach", "margin"):
            if not 0 <= getattr(self, name) < inf:
                raise ConfigError(f"control.sole_aware: {name} must not be negative and finite")
