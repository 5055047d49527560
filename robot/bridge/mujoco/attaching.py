"""Attach condensed soles to bodies of a MuJoCo model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from contact.constants import FRICTION
from contact.ground import Ground
from contact.step import Body, StepOptions
from robot.bridge.mujoco.feet import find_foot
from robot.bridge.mujoco.mujoco_soles import MujocoSoles
from robot.bridge.soles_in_loop import SolesInLoop
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.condense import CondensedSole


def attach(
    model: Any,
    data: Any,
    body: str | Sequence[str],
    pad: CondensedSole | Body | Sequence[CondensedSole | Body],
    *,
    pose: FloatArray | Sequence[FloatArray] | None = None,
    geoms: Sequence[str] | None = None,
    ground: Ground | None = None,
    friction: float = FRICTION,
    eta: float = 0.0,
    options: StepOptions | None = None,
) -> MujocoSoles:
    """Put soles under bodies of a MuJoCo model and switch the engine's contacts there off.

    Feet that are attached together are solved together. The mass of the soles is not added: give
    the bodies the mass that they have with their soles.

    Parameters
    ----------
    model, data : MjModel and MjData, from MJCF or URDF. Its integrator is Euler or implicitfast.
    body, pad : name of a body and its sole, or as many of each. A part of a sole, as under a toe,
        is a `contact.step.Body` with friction and eta of its own.
    pose : (4, 4) of the sole frame in the body's frame [m], or one for each body: x forward, y
        left, the underside of the foot at z = 0. None: the centre of the underside of the box
        around the foot's geoms, in the axes of the body.
    geoms : of one foot, names of those that the sole replaces; None: all geoms fixed to the body
        that touch anything.
    ground : what the soles touch; None: the plane z = 0. The engine's own ground is not read.
    friction : Coulomb's mu. eta : Kelvin-Voigt time of the soles [s].
    options : of the contact step.

    Raises
    ------
    SoleError
        MuJoCo is not installed; a body or geom is unknown; a sole exceeds its foot; the integrator
        or time step is not one that the soles can follow.
    """
    try:
        import mujoco
    except ImportError as error:
        raise SoleError("MuJoCo is not installed: pip install 'compliant-sole[mujoco]'") from error
    names = [body] if isinstance(body, str) else list(body)
    pads = [pad] if isinstance(pad, CondensedSole | Body) else list(pad)
    if len(names) != len(pads) or not names or len(set(names)) != len(names):
        raise SoleError(f"got {len(names)} bodies and {len(pads)} soles: give each body one sole")
    if geoms is not None and len(names) > 1:
        raise SoleError("geoms are those of one foot: attach several feet without")
    poses: list[Any] = [None] * len(names) if pose is None else list(pose)
    if pose is not None and isinstance(body, str):
        poses = [pose]
    if len(poses) != len(names):
        raise SoleError(f"got {len(names)} bodies and {len(poses)} poses: give each body one")
    kinds = mujoco.mjtIntegrator
    if model.opt.integrator not in (kinds.mjINT_EULER, kinds.mjINT_IMPLICITFAST):
        known = kinds(model.opt.integrator).name.removeprefix("mjINT_")
        raise SoleError(
            f"the model has the integrator {known}, soles need Euler or implicitfast: set "
            '<option integrator="implicitfast"/>'
        )
    if np.any(model.dof_dampingpoly) and model.opt.integrator == kinds.mjINT_EULER:
        raise SoleError(
            'the model has polynomial joint damping: set <option integrator="implicitfast"/>'
        )
    chosen = None if geoms is None else list(geoms)
    feet = [
        find_foot(model, name, sole, place, chosen)
        for name, sole, place in zip(names, pads, poses, strict=True)
    ]
    bodies = [
        sole if isinstance(sole, Body) else Body.of(sole, eta=eta, friction=friction)
        for sole in pads
    ]
    loop = SolesInLoop(bodies, float(model.opt.timestep), ground, options)
    for foot in feet:
        model.geom_contype[foot.geoms] = 0
        model.geom_conaffinity[foot.geoms] = 0
    return MujocoSoles(model, data, feet, loop)
