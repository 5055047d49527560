"""The numbers of force control, with the symbols of [SygullaEtAl2017]: `[control.force]`."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from sole.base.angles import Angle
from sole.base.checks import check_one_of, check_positive
from sole.base.config import STRICT
from sole.base.errors import ConfigError

KAPPAS, DAMPED = (2.0, 3.0, 4.0, 6.0, 8.0, 12.0), 0.1


@dataclass(frozen=True, kw_only=True)
class ForceChoice:
    """Gains and limits of force control; equation numbers are those of the paper.

    Parameters
    ----------
    delta : time constant of the wrench error (14) [s].
    kappa : true over assumed stiffness of the contact: U is that of the soles, divided by kappa.
        None: the least of `KAPPAS` with which the vertical loop has the damping `DAMPED`.
    U : "whole": of the whole tread; "pads": of the pads whose switches are closed, which then also
        bound the wanted wrenches; "points": of
        four point springs, the model of the paper's reference [23].
    K_x : rate at which a swing foot returns to the plan (16) [1/s].
    b : time in which b_f goes from 0 to 1 [s].
    g_a : gain of the centre of mass dynamics (19), 0 to 1. K_ax : rate K_a,x at which their speeds
        are forgotten (20) [1/s].
    most_angle, most_height : largest motion of a foot [rad, m]. most_speed : largest speed of (20)
        [rad/s and m/s].
    balance : what asks for torques: "dcm", the error of the divergent component of motion with the
        gain k [1/s], or "imu", the inclination phi of the waist: -(K_p phi + K_d phi').
    K_p, K_d : [N m/rad, N m s/rad].
    """

    __pydantic_config__ = STRICT
    delta: float = 0.02
    kappa: float | None = None
    U: str = "whole"
    K_x: float = 10.0
    b: float = 0.05
    g_a: float = 0.5
    K_ax: float = 30.0
    most_angle: Angle = 0.35
    most_height: float = 0.1
    most_speed: float = 1.0
    balance: str = "dcm"
    k: float = 4.0
    K_p: float = 2000.0
    K_d: float = 400.0

    def __post_init__(self) -> None:
        check_one_of("control.force: balance", self.balance, ("dcm", "imu"))
        check_one_of("control.force: U", self.U, ("whole", "pads", "points"))
        if self.kappa is not None:
            check_positive("control.force", {"kappa": self.kappa})
        names = ("delta", "b", "most_angle", "most_height", "most_speed", "k")
        check_positive("control.force", {name: getattr(self, name) for name in names})
        for name in ("K_x", "K_ax", "K_p", "K_d"):
            if not 0 <= getattr(self, name) < inf:
                raise ConfigError(f"control.force: {name} must not be negative and finite")
        if not 0 <= self.g_a <= 1:
            raise ConfigError(f"control.force: g_a must be 0 to 1, got {self.g_a:g}")
