"""A scenario in one TOML file: robot, soles, ground, gait, controller, sensors, time, seed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Any

from contact.constants import FRICTION, SHORTEST
from robot.control import ForceChoice, SoleAwareChoice
from robot.gait import Gait
from robot.model import UrdfOptions
from robot.online import PlanChoice
from robot.retime import RetimeChoice
from robot.scenery import Bush, FreeBox, Grip, Start, Touch
from robot.sensing import Noise
from robot.simulator import DAMPING, LONGEST, STIFFNESS
from robot.walk.interventions import PullPlan, PushPlan, SceneChange
from sole.base.checks import (
    LARGEST_SEED,
    check_magnitude,
    check_one_of,
    check_positive,
    check_seed,
    check_tolerance,
)
from sole.base.config import STRICT, load
from sole.base.errors import ConfigError
from sole.base.units import Densities, Metres, Pascals, Seconds

SCHEMA = "robot.scenario/1"
MOST_STEPS = 10_000_000  # of a run: three hours at dt = 1e-3 s
MOST_PARTS = 100  # of a time step while a foot lands


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
    size : edge length of its mesh at the tread [m]; element : "p1", "p2" or "ccr".
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
    element: str = "p2"
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
class ControlChoice:
    """The controller of the joints.

    Parameters
    ----------
    kind : "stabiliser", "force", "sole-aware" or "pd". period : time between two commands [s].
    force : gains of force control. sole_aware : model and gains of sole-aware control.
    kp, kd : gains of every joint servo [N m/rad, N m s/rad].
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


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """All inputs of a run; the same scenario gives the same bits.

    Parameters
    ----------
    robot : a name known to `robot.model.load_robot`, or a file. urdf : options that a URDF needs.
    ground : as in `sole press --ground`: "plane", "step:0.005", or a ground file.
    plan : whether the gait is planned beforehand or while walking.
    start : initial pose of the robot.
    retime : how the gait is retimed to the limit of the wrench cones; None: not.
    push, pull, change : what is done to the robot from outside: `robot.walk.interventions`.
    box : free boxes. touch : contacts with the world or a box besides the soles. grip : hands
        that hold a box.
    contact : exact on soles, exact and rigid, or a penalty law.
    bush : bush between ankle and foot; None: no bush. stops : stops at the joints' ranges.
    dt : time step [s], 1e-7 to 0.02; servos, stops and springs are stable for any gains.
    landing_dt : time step while a foot lands [s], dt divided by a whole number; None: dt. See
        `robot.walk.landing`.
    duration : duration [s]; None: that of the gait.
    seed : seed of solver and sensors. tolerance : tolerance of the contact solver.
    settle : unrecorded standing time before t = 0 [s].
    """

    __pydantic_config__ = STRICT
    robot: str = "hrp2-like"
    urdf: UrdfOptions = field(default_factory=UrdfOptions)
    ground: str = "plane"
    sole: SoleChoice = field(default_factory=SoleChoice)
    contact: ContactChoice = field(default_factory=ContactChoice)
    gait: Gait = field(default_factory=Gait)
    plan: PlanChoice = field(default_factory=PlanChoice)
    retime: RetimeChoice | None = None
    start: Start = field(default_factory=Start)
    control: ControlChoice = field(default_factory=ControlChoice)
    sensing: Sensing = field(default_factory=Sensing)
    push: tuple[PushPlan, ...] = ()
    pull: tuple[PullPlan, ...] = ()
    change: tuple[SceneChange, ...] = ()
    box: tuple[FreeBox, ...] = ()
    touch: tuple[Touch, ...] = ()
    grip: tuple[Grip, ...] = ()
    bush: Bush | None = None
    stops: StopChoice = field(default_factory=StopChoice)
    dt: Seconds = 1e-3
    landing_dt: Seconds | None = None
    duration: Seconds | None = None
    seed: int = 1
    theta: float = 1.0
    tolerance: float = 1e-6
    settle: Seconds = 0.5

    def __post_init__(self) -> None:
        check_positive("scenario", {"dt": self.dt})
        check_tolerance("scenario: tolerance", self.tolerance)
        check_seed("seed", self.seed, least=-LARGEST_SEED)
        if self.dt < SHORTEST:
            raise ConfigError(
                f"scenario: dt must be at least {SHORTEST:g} s, got {self.dt:g} s: a walk needs "
                "1e-3 s"
            )
        c = self.contact
        if c.kind == "penalty" and max(c.kv * self.dt, c.kp * self.dt**2) >= 1:
            raise ConfigError(
                f"contact: penalty needs kv dt < 1 and kp dt^2 < 1, got {c.kv * self.dt:g} and "
                f"{c.kp * self.dt**2:g}: use a smaller dt"
            )
        if self.dt > LONGEST:
            raise ConfigError(
                f"scenario: dt must be at most {LONGEST:g} s, got {self.dt:g} s: a walk needs 1e-3 "
                "s for accuracy (servos are stable with any gains)"
            )
        if c.points == "corners" and self.sole.file is not None:
            raise ConfigError(
                f"contact: points = 'corners' leaves no room for the sole {self.sole.file}: remove "
                "sole.file, or use points = 'nodes'"
            )
        if self.duration is not None and not self.dt <= self.duration < inf:
            raise ConfigError(
                f"scenario: duration must be at least one step of dt = {self.dt:g} s, got "
                f"{self.duration:g} s"
            )
        if self.landing_dt is not None:
            check_positive("scenario", {"landing_dt": self.landing_dt})
            ratio = self.dt / self.landing_dt
            if ratio < 1 - 1e-9 or abs(ratio - round(ratio)) > 1e-6 or ratio > MOST_PARTS:
                raise ConfigError(
                    f"scenario: landing_dt must be dt = {self.dt:g} s divided by a whole number up "
                    f"to {MOST_PARTS}, got {self.landing_dt:g} s"
                )
        ratio = self.control.period / self.dt
        if ratio < 1 - 1e-9 or abs(ratio - round(ratio)) > 1e-9:
            raise ConfigError(
                f"control: period {self.control.period:g} s must be a multiple of dt {self.dt:g} "
                "s: change one of them"
            )
        if self.sensing.kind == "noisy" and self.seed < 0:
            raise ConfigError(f"seed must not be negative with noisy sensors, got {self.seed}")
        if self.plan.follows and self.retime is not None:
            raise ConfigError("plan: an online plan keeps its rhythm: leave out the table [retime]")
        if self.plan.follows and self.gait.kind not in ("walk", "stand"):
            raise ConfigError(
                f"plan: an online plan walks or stands, gait {self.gait.kind!r} needs kind = "
                '"fixed"'
            )
        self._check_changes()
        if self.plan.endless and self.duration is None:
            raise ConfigError(
                "plan: the last command is no stop, so the walk has no end: give a duration"
            )
        if not 0 <= self.settle < inf:
            raise ConfigError(f"settle must be finite and not negative, got {self.settle:g} s")
        self.check_steps(self.duration or 0.0)

    def _check_changes(self) -> None:
        times = [change.time for change in self.change]
        if times != sorted(times):
            raise ConfigError("change: changes must be in the order of their times")
        material = any(c.young is not None or c.poisson is not None for c in self.change)
        if material and (self.sole.file is not None or self.sole.rigid):
            kind = "are rigid" if self.sole.rigid else f"come from {self.sole.file}"
            raise ConfigError(f"change: young and poisson are of pads, these soles {kind}")
        if self.change and (self.contact.kind == "penalty" or self.bush is not None):
            raise ConfigError("change: not with a penalty law or bushes")

    def check_steps(self, duration: float) -> None:
        """Raise ConfigError if settling and `duration` [s] take more than `MOST_STEPS` steps."""
        seconds = self.settle + duration
        if seconds > MOST_STEPS * self.dt:
            raise ConfigError(
                f"scenario: {seconds:g} s of settling and running take {seconds / self.dt:.3g} "
                f"steps of dt = {self.dt:g} s, at most {MOST_STEPS:g}: give a longer dt or a "
                "shorter duration"
            )

    @property
    def shorter(self) -> int:
        """Parts of a time step while a foot lands."""
        return 1 if self.landing_dt is None else round(self.dt / self.landing_dt)

    @property
    def every(self) -> int:
        """Steps of the simulator per period of the controller."""
        return round(self.control.period / self.dt)


def load_scenario(path: Path) -> Scenario:
    """Read a scenario file; an unknown key is an error.

    Raises
    ------
    ConfigError
        The file is no scenario; the message names file, key and reason.
    """
    return load(path, Scenario, SCHEMA)


def replace_values(scenario: Scenario, **changes: Any) -> Scenario:
    """Return the scenario with new values; None keeps a value, a dict changes a table."""
    values: dict[str, Any] = {}
    for name, value in changes.items():
        if isinstance(value, dict):
            own = {key: new for key, new in value.items() if new is not None}
            for key, new in own.items():
                if isinstance(new, float):
                    check_magnitude(f"{name}.{key}", new)
            values[name] = replace(getattr(scenario, name), **own)
        elif value is not None:
            values[name] = value
    return replace(scenario, **values)
