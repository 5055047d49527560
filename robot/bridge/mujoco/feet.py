"""Bodies of a MuJoCo model that carry soles, and whether a sole fits under them."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

from contact.step import Body
from sole.base.arrays import FloatArray, IntArray
from sole.base.errors import SoleError
from sole.condense import CondensedSole

SLACK = 1e-4  # m by which a sole may exceed its foot


@dataclass(frozen=True, eq=False, kw_only=True)
class MujocoFoot:
    """A body with a sole.

    Parameters
    ----------
    name, body : name and id of the body.
    pose : (4, 4) of the sole frame in the body's frame [m].
    geoms : (k,) ids of the geoms whose contacts the sole replaces.
    """

    name: str
    body: int
    pose: FloatArray
    geoms: IntArray


def find_foot(
    model: Any,
    name: str,
    sole: CondensedSole | Body,
    pose: FloatArray | None,
    geoms: list[str] | None,
) -> MujocoFoot:
    """Return a body as a foot with `sole` at `pose` in it; arguments as for `attach`.

    Raises
    ------
    SoleError
        There is no such body or geom, it has no shape to find its underside from, or the sole does
        not fit under it.
    """
    import mujoco

    body = _id_of(model, mujoco.mjtObj.mjOBJ_BODY, name, "body")
    if body == 0:
        raise SoleError("body 'world' cannot carry a sole: name a body that moves")
    if geoms is None:
        rigid = model.body_weldid[model.geom_bodyid] == model.body_weldid[body]
        shaped = model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE
        touching = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        chosen = np.flatnonzero(rigid & shaped & touching)
    else:
        chosen = np.array([_geom_of(model, name, body, geom) for geom in geoms], dtype=np.int64)
    _refuse_pairs(model, chosen)
    corners = _corners(model, body, chosen)
    if pose is None:
        pose = _underside(name, corners)
    pose = np.array(pose, dtype=float)
    fits = pose.shape == (4, 4) and np.isfinite(pose).all()
    if not fits or not np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-6):
        raise SoleError(
            f"body '{name}': pose must be a rigid motion (4, 4) from the sole frame to the body's"
        )
    if len(corners):
        _check_size(name, (corners - pose[:3, 3]) @ pose[:3, :3], sole)
    return MujocoFoot(name=name, body=body, pose=pose, geoms=chosen)


def _id_of(model: Any, kind: Any, name: str, word: str) -> int:
    import mujoco

    found = int(mujoco.mj_name2id(model, kind, name))
    if found >= 0:
        return found
    count = model.nbody if word == "body" else model.ngeom
    names = [mujoco.mj_id2name(model, kind, k) for k in range(count)]
    known = [str(n) for n in names if n]
    near = get_close_matches(name, known, 3) or known[:12]
    raise SoleError(
        f"the model has no {word} '{name}'; there {'is' if len(near) == 1 else 'are'} "
        f"{', '.join(near) or 'none with a name'}"
    )


def _geom_of(model: Any, name: str, body: int, geom: str) -> int:
    import mujoco

    found = _id_of(model, mujoco.mjtObj.mjOBJ_GEOM, geom, "geom")
    if model.body_weldid[model.geom_bodyid[found]] != model.body_weldid[body]:
        raise SoleError(f"geom '{geom}' is not fixed to body '{name}'")
    return found


def _refuse_pairs(model: Any, geoms: IntArray) -> None:
    for one, two in zip(model.pair_geom1, model.pair_geom2, strict=True):
        if one in geoms or two in geoms:
            names = [model.geom(int(g)).name or f"geom {g}" for g in (one, two)]
            raise SoleError(
                f"the model has a contact pair of {names[0]} and {names[1]}, which contype and "
                "conaffinity do not switch off: remove the <pair> above a sole"
            )


def _corners(model: Any, body: int, geoms: IntArray) -> FloatArray:
    """Return the corners (k, 3) of the boxes around geoms, in the axes of `body`."""
    import mujoco

    signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, 8).T
    found, own = [np.empty((0, 3))], mujoco.MjData(model)
    mujoco.mj_kinematics(model, own)
    turn, place = own.xmat[body].reshape(3, 3), own.xpos[body]
    for geom in geoms:
        centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
        world = own.geom_xpos[geom] + (centre + signs * half) @ own.geom_xmat[geom].reshape(3, 3).T
        found.append((world - place) @ turn)
    return np.concatenate(found)


def _underside(name: str, corners: FloatArray) -> FloatArray:
    if not len(corners):
        raise SoleError(
            f"body '{name}' has no geom that touches anything: give the pose (4, 4) of the sole "
            "frame in it"
        )
    low, high = corners.min(axis=0), corners.max(axis=0)
    pose = np.eye(4)
    pose[:3, 3] = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]]
    return pose


def _check_size(name: str, corners: FloatArray, sole: CondensedSole | Body) -> None:
    """Refuse a sole that extends beyond the corners (k, 3) of its foot, in the sole frame."""
    outline = sole.points[:, :2]
    if isinstance(sole, CondensedSole):
        glued = sole.mesh.points[np.unique(sole.mesh.bond)]
        outline = np.concatenate([outline, glued[:, :2]])
    low, high = outline.min(axis=0), outline.max(axis=0)
    foot = corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)
    over = max(float((high - foot[1]).max()), float((foot[0] - low).max()))
    if over > SLACK:
        (a, b), (c, d) = 1e3 * (high - low), 1e3 * (foot[1] - foot[0])
        raise SoleError(
            f"the sole ({a:.1f} x {b:.1f} mm) extends {1e3 * over:.1f} mm beyond body '{name}' "
            f"({c:.1f} x {d:.1f} mm): make it smaller, or move it by pose"
        )
