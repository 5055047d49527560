"""The values of a scenario that the axes of a study may vary, and their checks.

Every number, text and flag of a scenario has its dotted key as a name; some also have a shorter
one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from contact.step import StepOptions
from robot.gait import GAITS
from robot.studies.files import Files
from robot.studies.scenarios import SHORT, SPEED, keys, keys_of_class, replace_tables, value_of
from robot.walk import Scenario
from sole.base.errors import SoleError
from sole.studies import AxisQuantity, Setting

TITLES = {
    "friction": "friction",
    "eta": "Kelvin-Voigt time of the soles",
    "controller": "controller",
    SPEED: "speed: step length over gait.single + gait.double",
    "seed": "seed of solver and sensors",
    "robot": "robot",
    "ground": "ground",
}
UNITS = {
    "m": "start.x start.y start.z contact.epsilon gait.forward gait.sideways gait.rise gait.width "
    "gait.com_height gait.lift gait.depth bush.height",
    "s": "dt duration settle sole.eta gait.single gait.double gait.initial gait.final gait.period "
    "gait.hold control.period sensing.noise.delay",
    "deg": "start.heading_deg gait.turn_deg sensing.noise.encoder_deg",
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
class ScenarioQuantity(AxisQuantity):
    """A value of a scenario.

    Parameters
    ----------
    key : its dotted key. base : the scenario to change. files : the files that scenarios name.
    """

    key: str
    base: Scenario
    files: Files

    def refuse(self, value: Setting) -> str:
        """Return what is wrong with a single value; "" if nothing.

        Robots and grounds are loaded. Whether several values fit together is checked by the row.
        """
        wrong = AxisQuantity.refuse(self, value)
        if not wrong:
            try:
                self._try(value)
            except SoleError as error:
                wrong = str(error).partition(", got ")[0]  # the caller adds the value
        return wrong

    def _try(self, value: Setting) -> None:
        """Try the value in its table, or use it as a walk would."""
        table, _, name = self.key.rpartition(".")
        if table:
            replace_tables(value_of(self.base, table), {name: value})
            return
        if name == "dt":  # the period, a multiple of dt, may be another axis
            control = replace(self.base.control, period=float(value))
            replace(self.base, dt=float(value), control=control)
        elif name != SPEED:
            changed: Scenario = replace_tables(self.base, {name: value})
            StepOptions(theta=changed.theta, tolerance=changed.tolerance)
            if name == "robot":
                self.files.robot(changed)
            elif name == "ground":
                self.files.ground(changed)


def walk_quantities(base: Scenario, files: Files) -> dict[str, AxisQuantity]:
    """Return every quantity that axes may vary, by its name in a study."""
    found = {key: (key, kind) for key, kind in keys(base)}
    for cls in GAITS:  # keys of other kinds, to refuse them with the kinds that have them
        found |= {k: (k, v) for k, v in keys_of_class(cls, "gait.").items() if k not in found}
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
