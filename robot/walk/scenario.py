"""A scenario in one TOML file: robot, soles, ground, gait, controller, sensors, time, seed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import inf
from pathlib import Path
from typing import Annotated, Any

from contact.constants import SHORTEST
from robot.gait import AnyGait, Gait, Standing, Walking, change_gait
from robot.model import UrdfOptions
from robot.online import PlanChoice
from robot.retime import RetimeChoice
from robot.scenery import Bush, FreeBox, Grip, Start, Touch
from robot.simulator import LONGEST
from robot.walk.interventions import PullPlan, PushPlan, SceneChange
from robot.walk.scenario_tables import (
    ContactChoice,
    ControlChoice,
    Sensing,
    SoleChoice,
    StopChoice,
)
from sole.base.checks import (
    LARGEST_SEED,
    check_magnitude,
    check_positive,
    check_seed,
    check_tolerance,
)
from sole.base.config import BY_KIND, STRICT, load
from sole.base.errors import ConfigError
from sole.base.units import Seconds

SCHEMA = "robot.scenario/1"
MOST_STEPS = 10_000_000  # of a run: three hours at dt = 1e-3 s
MOST_PARTS = 100  # of a time step while a foot lands


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
    gait: Annotated[AnyGait, BY_KIND] = field(default_factory=Walking)
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
        if self.plan.follows and not isinstance(self.gait, Walking | Standing):
            raise ConfigError(
                f"plan: an online plan walks or stands, gait {self.gait.kind!r} needs kind = "
                '"fixed"'
            )
        self._check_changes()
        if self.plan.endless and self.duration is None:
            raise ConfigError(
                "plan: the last command is not a stop, so the walk has no end: give a duration"
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
    """Return the scenario with new values; None keeps a value, a dict changes a table.

    A gait of another kind keeps what both kinds have.
    """
    values: dict[str, Any] = {}
    for name, value in changes.items():
        if isinstance(value, dict):
            own = {key: new for key, new in value.items() if new is not None}
            for key, new in own.items():
                if isinstance(new, float):
                    check_magnitude(f"{name}.{key}", new)
            table = getattr(scenario, name)
            changed = isinstance(table, Gait)
            values[name] = change_gait(table, own) if changed else replace(table, **own)
        elif value is not None:
            values[name] = value
    return replace(scenario, **values)
