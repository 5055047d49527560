"""The tables of a scenario that say how: soles, contact, controller, stops, sensors."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from contact.constants import FRICTION
from robot.control import ForceChoice, SoleAwareChoice
from robot.sensing import Noise
from robot.simulator import DAMPING, STIFFNESS
from sole.base.checks import check_one_of, check_positive
from sole.base.config import STRICT
from sole.base.errors import ConfigError
from sole.base.units import Densities, Metres, Pascals, Seconds
from sole.elasticity import DEFAULT_ELEMENT


@dataclass(frozen=True, kw_only=True)
class SoleChoice:
    """The soles under the feet.

    Parameters
    ----------
    file : a condensed sole (.npz) for the left foot, mirrored for the right; None: a pad with the
        foot's outline is meshed and condensed.
    right_file : a condensed sole for the right foot.
    place : x, y of the left sole's origin in the sole frame of its foot [m]. right_place : the same
        for the right sole; by default the mirror image.
    young, poisson, density : material of the pad [Pa, 1, kg/m^3]. thickness : of the pad [m].
    size : edge length of its mesh at the tread [m]; element : "ccr", "p2" or "p1".
    rigid : keep mass, height and contact nodes, drop the compliance.
    eta : Kelvin-Voigt time [s]. friction : Coulomb's mu.
    """

    __pydantic_config__ = STRICT
    file: str | None = None
    right_file: str | None = None
    place: tuple[Metres, Metres] = (0.0, 0.0)
    right_place: tuple[Metres, Metres] | None = None
    young: Pascals = 3e6
    poisson: float = 0.4
    density: Densities = 1100.0
    thickness: Metres = 0.02
    size: Metres = 0.03
    element: str = DEFAULT_ELEMENT
    rigid: bool = False
    eta: Seconds = 0.0
    friction: float = FRICTION

    def __post_init__(self) -> None:
        check_positive("sole", {"thickness": self.thickness, "size": self.size})
        if self.right_file is not None and self.file is None:
            raise ConfigError("sole: right_file needs file, the left foot's sole")


@dataclass(frozen=True, kw_only=True)
class ContactChoice:
    """The contact law between robot and ground.

    Parameters
    ----------
    kind : "compliant": the soles of the scenario; "rigid": as with `sole.rigid`; "penalty": rigid
        feet under the law of `contact.papers.penalty`, with all its faults.
    solver : "auto": closed forms where all that touches sticks, else Gauss-Seidel; "gauss-seidel":
        that in every step. (Both ask all other methods where it stalls.)
    points : "nodes": those of the sole's mesh; "corners": the four corners of each foot, which must
        be a rectangle, under the penalty law only.
    kp [1/s^2], kv [1/s], epsilon [m] : parameters of `contact.papers.penalty.PenaltyLaw`. The law
        is explicit: kv dt and kp dt^2 must be well below 1.
    """

    __pydantic_config__ = STRICT
    kind: str = "compliant"
    solver: str = "auto"
    points: str = "nodes"
    kp: float = 1e4
    kv: float = 200.0
    epsilon: Metres = 0.0

    def __post_init__(self) -> None:
        check_one_of("contact: kind", self.kind, ("compliant", "rigid", "penalty"))
        check_one_of("contact: solver", self.solver, ("auto", "gauss-seidel"))
        check_one_of("contact: points", self.points, ("nodes", "corners"))
        if self.points == "corners" and self.kind != "penalty":
            raise ConfigError(
                f"contact: points = 'corners' is for kind = 'penalty', got kind = '{self.kind}': "
                "exact contact needs the nodes of a sole"
            )
        if not (0 <= self.kp < inf and 0 <= self.kv < inf and -inf < self.epsilon <= 0):
            raise ConfigError(
                f"contact: kp and kv must not be negative, epsilon not positive, got {self.kp:g}, "
                f"{self.kv:g}, {self.epsilon:g}"
            )


@dataclass(frozen=True, kw_only=True)
class CascadeChoice:
    """Joint drives as sampled loops of position, velocity and current: `robot.simulator.cascade`.

    Parameters
    ----------
    on : whether they are; else joints have ideal servos.
    time : time constant of the current loops [s]. K_i : of the velocity loops' integrals [1/s].
    delay : of the commands [s]. limits : whether speeds are limited to those of the motors.
    """

    __pydantic_config__ = STRICT
    on: bool = False
    time: Seconds = 2e-4
    K_i: float = 0.0
    delay: Seconds = 1e-3
    limits: bool = True

    def __post_init__(self) -> None:
        for name in ("time", "K_i", "delay"):
            if not 0 <= getattr(self, name) < inf:
                raise ConfigError(
                    f"control.cascade: {name} must not be negative and finite, got "
                    f"{getattr(self, name):g}"
                )
        if self.delay > 1.0:  # commands of that long are kept
            raise ConfigError(f"control.cascade: delay must be at most 1 s, got {self.delay:g} s")


@dataclass(frozen=True, kw_only=True)
class ControlChoice:
    """The controller of the joints.

    Parameters
    ----------
    kind : "stabiliser", "force", "sole-aware" or "pd". period : time between two commands [s].
    force : gains of force control. sole_aware : model and gains of sole-aware control.
    kp, kd : gains of every joint servo [N m/rad, N m s/rad]. cascade : drives that are not ideal.
    yaw : "plan", or "safe": the stabiliser gives each standing foot its safe yaw torque by waist
        and arms, see `robot.control.yaw_law`.
    """

    __pydantic_config__ = STRICT
    kind: str = "stabiliser"
    period: Seconds = 1e-3
    kp: float = 1e4
    kd: float = 200.0
    yaw: str = "plan"
    force: ForceChoice = field(default_factory=ForceChoice)
    sole_aware: SoleAwareChoice = field(default_factory=SoleAwareChoice)
    cascade: CascadeChoice = field(default_factory=CascadeChoice)

    def __post_init__(self) -> None:
        check_one_of("control: kind", self.kind, ("stabiliser", "force", "sole-aware", "pd"))
        check_one_of("control: yaw", self.yaw, ("plan", "safe"))
        if self.yaw == "safe" and self.kind != "stabiliser":
            raise ConfigError('control: yaw = "safe" needs kind = "stabiliser"')
        check_positive("control", {"period": self.period, "kp": self.kp})
        if not 0 <= self.kd < inf:
            raise ConfigError(f"control: kd must be finite and not negative, got {self.kd:g}")


@dataclass(frozen=True, kw_only=True)
class StopChoice:
    """Stops at the ends of the joints' ranges: see `robot.simulator.stops`.

    Parameters
    ----------
    on : whether joints have stops. stiffness [N m/rad], damping [N m s/rad] : of each stop.
    """

    __pydantic_config__ = STRICT
    on: bool = True
    stiffness: float = STIFFNESS
    damping: float = DAMPING

    def __post_init__(self) -> None:
        check_positive("stops", {"stiffness": self.stiffness})
        if not 0 <= self.damping < inf:
            raise ConfigError(f"stops: damping must not be negative, got {self.damping:g}")


@dataclass(frozen=True, kw_only=True)
class Sensing:
    """Input of the controller: the true state, or the readings of noisy sensors."""

    __pydantic_config__ = STRICT
    kind: str = "true"
    noise: Noise = field(default_factory=Noise)

    def __post_init__(self) -> None:
        check_one_of("sensing: kind", self.kind, ("true", "noisy"))
