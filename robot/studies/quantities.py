"""Which values of a scenario the axes of a study may vary, and how each is checked.

Every number, text and flag of a scenario goes by its dotted key, some by a shorter name as well.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from contact.step import StepOptions
from robot.scenario import Scenario
from robot.studies.files import Files
from robot.studies.scenarios import SHORT, SPEED, keys, laid, value_of
from sole.errors import SoleError
from sole.studies.axis import Setting
from sole.studies.quantities import Quantity

TITLES = {
    "friction": "friction",
    "eta": "Kelvin-Voigt time of the soles",
    "controller": "controller",
    SPEED: "speed: length of a step over gait.single + gait.double",
    "seed": "seed of solver and sensors",
    "robot": "robot",
    "ground": "ground",
}
UNITS = {
    "m": "start.x start.y start.z contact.epsilon gait.forward gait.sideways gait.rise gait.width "
    "gait.com_height gait.lift gait.depth bush.height",
    "s": "dt duration settle sole.eta gait.single gait.double gait.initial gait.final gait.period "
    "gait.hold control.period sensing.noise.delay",
    "deg": "start.heading gait.turn",
    "rad": "sensing.noise.encoder",
    "N m/rad": "control.kp stops.stiffness",
    "N m s/rad": "control.kd stops.damping",
    "N": "sensing.noise.force sensing.noise.force_bias sensing.noise.switch",
    "N m": "sensing.noise.moment sensing.noise.moment_bias",
    "rad/s": "sensing.noise.gyro sensing.noise.gyro_bias",
    "m/s^2": "sensing.noise.accelerometer sensing.noise.accelerometer_bias",
    "1/s^2": "contact.kp",
    "1/s": "contact.kv",
    "kg m^2": "urdf.rotor",
    "m/s": SPEED,
}
UNIT_OF = {key: unit for unit, found in UNITS.items() for key in found.split()}


@dataclass(frozen=True, kw_only=True)
class ScenarioQuantity(Quantity):
    """A value of a scenario.

    Parameters
    ----------
    key : its dotted key. base : the scenario that it is changed in. files : that it names.
    """

    key: str
    base: Scenario
    files: Files

    def refuse(self, value: Setting) -> str:
        """Return what is wrong with a value, "" if nothing: what can be told of it alone.

        A robot is loaded and a ground is read; whether several values fit each other, a row tells.
        """
        wrong = Quantity.refuse(self, value)
        if not wrong:
            try:
                self._try(value)
            except SoleError as error:
                wrong = str(error).partition(", got ")[0]  # who asks tells what was got
        return wrong

    def _try(self, value: Setting) -> None:
        """Put the value in its table, or use it as a walk does."""
        table, _, name = self.key.rpartition(".")
        if table:
            laid(value_of(self.base, table), {name: value})
            return
        if name == "dt":  # a period that is no multiple may be another axis
            control = replace(self.base.control, period=float(value))
            replace(self.base, dt=float(value), control=control)
        elif name != SPEED:
            changed: Scenario = laid(self.base, {name: value})
            StepOptions(theta=changed.theta, tolerance=changed.tolerance)
            if name == "robot":
                self.files.robot(changed)
            elif name == "ground":
                self.files.ground(changed)


def quantities_of(base: Scenario, files: Files) -> dict[str, Quantity]:
    """Return every quantity that axes may vary, by its name in a study."""
    found = {key: (key, kind) for key, kind in keys(base)}
    found |= {short: found[key] for short, key in SHORT.items()} | {SPEED: (SPEED, "number")}
    return {
        name: ScenarioQuantity(
            UNIT_OF.get(key, ""),
            TITLES.get(name, name),
            kind=kind,
            key=key,
            base=base,
            files=files,
        )
        for name, (key, kind) in found.items()
    }
