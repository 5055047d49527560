"""Balance points over arrays: CoP of a foot, ZMP of all feet, DCM of the centre of mass.

    p = f-weighted mean of the pressure: on the plane z,  x = (z f_x - tau_y)/f_z,
                                                          y = (tau_x + z f_y)/f_z,

for a wrench about the origin of the axes; ground on foot, f_z > 0 presses.
"""

from __future__ import annotations

import numpy as np

from sole.base.arrays import FloatArray

UNLOADED = 1e-6  # N: smallest vertical force with a centre of pressure


def center_of_pressure(wrench: FloatArray, height: FloatArray | float) -> FloatArray:
    """Return the point x, y (..., 2) [m] at which `wrench` (..., 6) acts on the plane z = `height`.

    NaN where the vertical force is not positive.
    """
    fx, fy, fz, tx, ty, _ = np.moveaxis(wrench, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        load = np.where(fz > UNLOADED, fz, np.nan)
        return np.stack([(height * fx - ty) / load, (tx + height * fy) / load], axis=-1)


def zero_moment_point(wrenches: FloatArray, origins: FloatArray, points: FloatArray) -> FloatArray:
    """Return the ZMP (T, 3) [m] of wrenches (T, F, 6) about `origins` (T, F, 3), world axes.

    Its height is that of the `points` (T, F, 3) of action, weighted by vertical force, so feet on
    different steps of a stair have a ZMP too. NaN in flight.
    """
    force, moment = wrenches[..., :3], wrenches[..., 3:] + np.cross(origins, wrenches[..., :3])
    load = np.maximum(force[..., 2], 0.0)
    total = load.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        height = np.where(load > 0, load * points[..., 2], 0.0).sum(axis=1) / total
    whole = np.concatenate([force.sum(axis=1), moment.sum(axis=1)], axis=-1)
    xy = center_of_pressure(whole, np.nan_to_num(height))
    z = np.where(np.isnan(xy[:, 0]), np.nan, height)
    return np.concatenate([xy, z[:, None]], axis=1)


def divergent_component(com: FloatArray, velocity: FloatArray, omega: float) -> FloatArray:
    """Return c + dc/dt / omega (T, 2) [m] for c, dc/dt (T, 3), omega = sqrt(g/height) [1/s]."""
    return np.asarray(com[:, :2] + velocity[:, :2] / omega)


def roll_pitch_yaw(R: FloatArray) -> FloatArray:
    """Return (roll, pitch, yaw) (..., 3) [rad] with R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll = np.arctan2(R[..., 2, 1], R[..., 2, 2])
    pitch = np.arctan2(-R[..., 2, 0], np.hypot(R[..., 2, 1], R[..., 2, 2]))
    yaw = np.arctan2(R[..., 1, 0], R[..., 0, 0])
    return np.stack([roll, pitch, yaw], axis=-1)


def tilt(R: FloatArray) -> FloatArray:
    """Return the angle (...,) [rad] between the body's z axis and the vertical."""
    return np.arctan2(np.hypot(R[..., 0, 2], R[..., 1, 2]), R[..., 2, 2])
