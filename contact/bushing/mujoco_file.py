"""A bushing as MJCF, and how soft MuJoCo's contact leaves its hard tread.

MuJoCo's contacts are soft. One of impedance d and time constant T gives under a force f by

    p = f R / k,      R <= (1 - d) / (d m),    k = 1 / (d T^2),

m the mass of the tread; along the ground it creeps at the rate f R T d / (2 i), i the `impratio`.
The bounds are for four corners that bear alike. Integrators without implicit springs attain them,
`discrete` stays far below. d is the largest that MuJoCo takes, T = 4 dt: under a step load treads
with T <= dt chattered and slid away, those with T >= 1.3 dt did not.

Settings on the geom hold in any model (`priority`); those in <option> are lost where the body is
merged into another: `MujocoContact.option` are the ones that the numbers need.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass

import numpy as np

from contact.bushing.bushing import Bushing
from contact.bushing.xml_parts import (
    AXES,
    add_remark,
    axis_of,
    hard_box,
    number,
    row,
    text_of,
)
from contact.constants import FRICTION, check_time_step

STEP = 1e-3  # s
LONGEST = 0.02  # s
STEPS = 4  # T over dt
IMPEDANCE = 0.9999  # MuJoCo's largest
IMPRATIO = 100.0


@dataclass(frozen=True, kw_only=True)
class MujocoContact:
    """The contact of a bushing's hard tread in MuJoCo.

    Parameters
    ----------
    dt : time step of the file [s]; a scene may take up to twice that.
    error : the most by which a foot sinks and tilts more, over its deflection.
    creep : the most by which it creeps in a second under shear or torsion, over its deflection.
    total : largest error of a motion while the tread sticks, up to the largest load: that of the
        springs, of the turning load, and `error`.
    """

    dt: float
    error: float
    creep: float
    total: float

    @classmethod
    def of(cls, b: Bushing, dt: float | None = None) -> MujocoContact:
        """Return the bounds of a bushing; `dt` is `STEP` unless given.

        Raises
        ------
        ConfigError
            The step is not positive, or too long for any walk.
        """
        dt = STEP if dt is None else dt
        check_time_step(dt, LONGEST)
        k, T, arms = b.stiffness, STEPS * dt, ((b.high - b.low) / 2) ** 2
        give = (1 - IMPEDANCE) * T**2 / (4 * b.mass)
        slip = (1 - IMPEDANCE) * T / (8 * b.mass * IMPRATIO)
        error = give * max(k[2], k[3] / arms[1], k[4] / arms[0])
        return cls(
            dt=dt,
            error=float(error),
            creep=float(slip * max(k[0], k[1], k[5] / arms.sum())),
            total=float(b.stuck_error + b.load_error + error),
        )

    @property
    def option(self) -> dict[str, str]:
        """Attributes of MuJoCo's <option> that the numbers need."""
        return {
            "timestep": number(self.dt),
            "integrator": "discrete",
            "cone": "elliptic",
            "impratio": number(IMPRATIO),
        }


def mujoco_text(b: Bushing, dt: float | None = None) -> str:
    """Return the MJCF of a bushing for a time step dt [s]."""
    contact = MujocoContact.of(b, dt)
    root = ET.Element("mujoco", model=f"{b.name} bushing")
    needs = " ".join(f'{key}="{value}"' for key, value in contact.option.items())
    add_remark(
        root,
        b,
        "attach the body `tread` to the foot at its sole frame (MjSpec attach_body), once per foot "
        f"with a prefix, and give the scene the option {needs} (the step up to {2 * contact.dt:g}: "
        "at twice that the contact chatters and the foot slides away; other integrators need a "
        "step far below; pyramids slip early along diagonals; less impratio creeps)",
        f"{contact.error:.2%} by the contact's softness, so {contact.total:.2%} in MuJoCo while "
        f"the tread sticks, and a creep of {contact.creep:.2g} of the deflection in a second",
    )
    ET.SubElement(root, "option", contact.option)
    body = ET.SubElement(ET.SubElement(root, "worldbody"), "body", name="tread", pos=row(b.center))
    for k, name in enumerate(AXES):
        ET.SubElement(
            body,
            "joint",
            name=f"sole_{name}",
            type="slide" if k < 3 else "hinge",
            axis=axis_of(k),
            stiffness=number(b.stiffness[k]),
            damping=number(b.damping[k]),
            armature="0",
            frictionloss="0",
            limited="false",
        )
    size, place = hard_box(b)
    ET.SubElement(
        body,
        "geom",
        name="tread",
        type="box",
        size=row(size / 2),
        pos=row(place - b.center),
        mass=number(b.mass),
        priority="1",
        condim="3",
        friction=f"{FRICTION} 0 0",
        solref=row(np.array([STEPS * contact.dt, 1.0])),
        solimp=row(np.array([IMPEDANCE, IMPEDANCE, 1e-4, 0.5, 2.0])),
        margin="0",
        gap="0",
    )
    return text_of(root)
