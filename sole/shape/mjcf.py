"""MJCF: what MuJoCo compiles from it, written as the <robot> of a URDF in full precision.

MuJoCo itself applies default classes, includes, units, inertias from geoms. Its compiled model has
for each body the pose in its parent, and joints with anchor p, axis a and position r at that pose:

    T_body(q) = T_parent T_pose prod_k  Trans(p_k) Move(a_k, q_k - r_k) Trans(-p_k).

Each joint becomes a URDF joint whose frame is at p_k, turned back by r_k, so that q is MuJoCo's.
A body with several joints gets links without mass between them. What a URDF cannot hold is written
as an SRDF does: <group_state> for keyframes, <rotor_params> for armature. <note text> says what was
left out or assumed.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import ShapeError
from sole.base.extras import require_extra
from sole.base.files import LARGEST_MESH, existing_file
from sole.base.quiet import captured

ENDLESS = "1e307"  # rad or m: a range that counts as none
READ = (".stl", ".obj", ".dae")  # meshes that can be drawn and outlined
UNNAMED = "MuJoCo Model"  # a model without a name
BASE = "root_joint"  # Pinocchio's name of the free base


def read_mjcf(path: Path) -> ET.Element:
    """Return the <robot> of an MJCF; joint positions are MuJoCo's, links are its bodies.

    Of several bodies in the world the one that carries most joints is the robot. Its own joints
    become the free base. A base that the file tilts gets an upright link above it.

    Raises
    ------
    ShapeError
        MuJoCo refuses the file, a mesh is missing, or the robot has ball joints or loops.
    SoleError
        The extra is not installed.
    """
    require_extra("mujoco", f"{path}: MJCF")
    import mujoco

    try:
        with captured(2), captured(1):
            spec = mujoco.MjSpec.from_file(str(path))
            for mesh in spec.meshes:
                if mesh.file:
                    _require_mesh(path, mesh.name, Path(spec.modelfiledir, spec.meshdir, mesh.file))
            model = spec.compile()
    except ShapeError:
        raise
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        reason = " ".join(str(error).removeprefix("Error:").split())
        raise ShapeError(f"{path}: MuJoCo cannot read it ({reason})") from error
    return _Writer(mujoco, spec, model, path).written()


def _require_mesh(path: Path, name: str, file: Path) -> None:
    try:
        existing_file(file, ShapeError, most=LARGEST_MESH)
    except ShapeError as error:
        raise ShapeError(f"{path}: mesh '{name or file.stem}': {error}") from error


class _Writer:
    """A compiled model on its way to XML."""

    def __init__(self, mujoco: Any, spec: Any, model: Any, path: Path) -> None:
        self.mujoco, self.spec, self.model, self.path = mujoco, spec, model, path
        self.base = self._base()
        root_of = model.body_rootid
        self.bodies = [b for b in range(1, model.nbody) if root_of[b] == self.base]
        self.notes: list[str] = []
        self.joints = [j for j in range(model.njnt) if root_of[model.jnt_bodyid[j]] == self.base]
        self.links = _names("body", [model.body(b).name for b in range(model.nbody)])
        self.names = _names("joint", [model.joint(j).name for j in range(model.njnt)])
        for j in self.joints:  # a frame is found by its name, be it a joint's or a link's
            if self.names[j] in self.links:
                self.names[j] += "_joint"
        named = spec.modelname not in ("", UNNAMED)
        self.root = ET.Element("robot", name=spec.modelname if named else path.stem)

    def _base(self) -> int:
        model = self.model
        tops = [b for b in range(1, model.nbody) if model.body_parentid[b] == 0]
        if not tops:
            raise ShapeError(f"{self.path}: an MJCF without bodies")
        carried = np.bincount(model.body_rootid[model.jnt_bodyid], minlength=model.nbody)
        return max(tops, key=lambda b: int(carried[b]))

    def written(self) -> ET.Element:
        """Return the <robot>."""
        self._refuse_loops()
        own = [j for j in self.joints if self.model.jnt_bodyid[j] == self.base]
        upright = _pose(self.mujoco, np.zeros(3), self.model.body_quat[self.base])
        if not np.allclose(upright, np.eye(4), rtol=0.0, atol=1e-12):
            above = f"{self.links[self.base]}_upright"
            ET.SubElement(self.root, "link", name=above)
            self._joint(above, self.links[self.base], upright)
        for body in self.bodies:
            self._link(body)
        for body in self.bodies[1:]:
            self._carried(body)
        self._couplings()
        rotors = ET.SubElement(self.root, "rotor_params")
        for j in self.joints:
            if j not in own:
                rotor = _text(self.model.dof_armature[self.model.jnt_dofadr[j]])
                ET.SubElement(rotors, "joint", name=self.names[j], mass=rotor, gear_ratio="1")
        for key in range(self.model.nkey):
            self._posture(key, own, upright)
        if own and not self._is(own[0], "FREE"):
            listed = ", ".join(self.names[j] for j in own)
            self.notes.append(f"a free base takes the place of the joints {listed}")
        for note in dict.fromkeys(self.notes):
            ET.SubElement(self.root, "note", text=f"{self.path}: {note}")
        return self.root

    def _is(self, j: int, kind: str) -> bool:
        """Return whether a joint is a FREE, BALL, SLIDE or HINGE one."""
        return bool(self.mujoco.mjtJoint(self.model.jnt_type[j]).name == f"mjJNT_{kind}")

    def _refuse_loops(self) -> None:
        model, kinds = self.model, self.mujoco.mjtEq
        for e in range(model.neq):
            ends = model.eq_obj1id[e], model.eq_obj2id[e]
            if kinds(model.eq_type[e]) not in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
                continue
            if self.mujoco.mjtObj(model.eq_objtype[e]) == self.mujoco.mjtObj.mjOBJ_SITE:
                ends = tuple(model.site_bodyid[list(ends)])
            if model.eq_active0[e] and all(model.body_rootid[b] == self.base for b in ends):
                raise ShapeError(
                    f"{self.path}: <equality> joins '{self.links[ends[0]]}' and "
                    f"'{self.links[ends[1]]}' to a loop; expected a tree of bodies: take the loop "
                    "out"
                )

    def _link(self, body: int) -> None:
        model = self.model
        link = ET.SubElement(self.root, "link", name=self.links[body])
        if model.body_mass[body] > 0.0:
            R = _pose(self.mujoco, np.zeros(3), model.body_iquat[body])[:3, :3]
            i = (R * model.body_inertia[body]) @ R.T
            inertial = ET.SubElement(link, "inertial")
            ET.SubElement(inertial, "origin", xyz=_text(model.body_ipos[body]), rpy="0 0 0")
            ET.SubElement(inertial, "mass", value=_text(model.body_mass[body]))
            at = {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yy": (1, 1), "yz": (1, 2)}
            moments = {f"i{key}": _text(i[k]) for key, k in (at | {"zz": (2, 2)}).items()}
            ET.SubElement(inertial, "inertia", moments)
        paired = {*model.pair_geom1, *model.pair_geom2}
        first = model.body_geomadr[body]
        for geom in range(first, first + model.body_geomnum[body]):
            solid = model.geom_contype[geom] | model.geom_conaffinity[geom] or geom in paired
            for pose, tag, sizes in self._shapes(geom, link.get("name", "")):
                element = ET.SubElement(link, "collision" if solid else "visual")
                _origin(element, pose)
                ET.SubElement(ET.SubElement(element, "geometry"), tag, sizes)

    def _shapes(self, geom: int, link: str) -> Iterator[tuple[FloatArray, str, dict[str, str]]]:
        """Yield the shapes of a geom: pose (4, 4) in the link, tag and attributes."""
        model, kinds = self.model, self.mujoco.mjtGeom
        pose = _pose(self.mujoco, model.geom_pos[geom], model.geom_quat[geom])
        kind, (a, b, _) = kinds(model.geom_type[geom]), model.geom_size[geom]
        if kind == kinds.mjGEOM_BOX:
            yield pose, "box", {"size": _text(2 * model.geom_size[geom])}
        elif kind == kinds.mjGEOM_SPHERE:
            yield pose, "sphere", {"radius": _text(a)}
        elif kind in (kinds.mjGEOM_CYLINDER, kinds.mjGEOM_CAPSULE):
            yield pose, "cylinder", {"radius": _text(a), "length": _text(2 * b)}
            if kind == kinds.mjGEOM_CAPSULE:  # a URDF has none
                for z in (-b, b):
                    yield pose @ _moved(np.array([0.0, 0.0, z])), "sphere", {"radius": _text(a)}
        elif kind == kinds.mjGEOM_MESH and (file := self._file(model.geom_dataid[geom])):
            scale = _text(model.mesh_scale[model.geom_dataid[geom]])
            pose = pose @ self._in_mesh(model.geom_dataid[geom])
            yield pose, "mesh", {"filename": file, "scale": scale}
        else:
            name = kind.name.removeprefix("mjGEOM_").lower()
            self.notes.append(f"a geom of kind {name} on '{link}' is left out")

    def _in_mesh(self, mesh: int) -> FloatArray:
        """Return the pose (4, 4) of a file's scaled coordinates in those that MuJoCo gave the mesh.

        MuJoCo takes v = R_i^T (s R_r^T (x - p_r) - p_i): r the file's reference, i the principal
        axes; the scale s is that of all axes unless R_r = 1.
        """
        model, given = self.model, self.spec.mesh(self.model.mesh(mesh).name)
        inner = _pose(self.mujoco, model.mesh_pos[mesh], model.mesh_quat[mesh])
        quaternion = given.refquat / np.linalg.norm(given.refquat)
        turned = np.linalg.inv(_pose(self.mujoco, np.zeros(3), quaternion))
        moved = turned @ _moved(-given.refpos * model.mesh_scale[mesh])
        return np.asarray(np.linalg.inv(inner) @ moved)

    def _file(self, mesh: int) -> str:
        """Return the path of a mesh's file; "" if it has none that can be read."""
        start = self.model.mesh_pathadr[mesh]
        if start < 0:
            return ""
        given, scale = self.spec.mesh(self.model.mesh(mesh).name), self.model.mesh_scale[mesh]
        if given.refquat[1:].any() and np.ptp(scale):
            return ""  # a turn before the scale
        file = self.model.paths[start:].split(b"\0", 1)[0].decode(errors="replace")
        return file if Path(file).suffix.lower() in READ else ""

    def _carried(self, body: int) -> None:
        """Write the joints between a body and its parent."""
        model = self.model
        here, link = self.links[model.body_parentid[body]], self.links[body]
        at = _pose(self.mujoco, model.body_pos[body], model.body_quat[body])
        first, count = model.body_jntadr[body], model.body_jntnum[body]
        for j in range(first, first + count):
            axis, anchor, slides = model.jnt_axis[j], model.jnt_pos[j], self._is(j, "SLIDE")
            if not slides and not self._is(j, "HINGE"):
                raise ShapeError(
                    f"{self.path}: joint '{self.names[j]}' is a ball joint; expected hinges and "
                    "slides: write three hinges"
                )
            ref = model.qpos0[model.jnt_qposadr[j]]
            back = _moved(-ref * axis) if slides else _turned(axis, -ref)
            last = j == first + count - 1 and not anchor.any()
            to = link if last else f"{self.names[j]}_axis"
            if not last:
                ET.SubElement(self.root, "link", name=to)
            self._joint(here, to, at @ _moved(anchor) @ back, j)
            here, at = to, _moved(-anchor)
        if here != link:
            self._joint(here, link, at)

    def _joint(self, parent: str, child: str, pose: FloatArray, j: int | None = None) -> None:
        """Write one joint; without `j` it is fixed."""
        model = self.model
        name = f"{child}_fixed" if j is None else self.names[j]
        element = ET.SubElement(self.root, "joint", name=name, type="fixed")
        ET.SubElement(element, "parent", link=parent)
        ET.SubElement(element, "child", link=child)
        _origin(element, pose)
        if j is None:
            return
        slides = self._is(j, "SLIDE")
        low, high = f"-{ENDLESS}", ENDLESS
        if model.jnt_limited[j]:
            low, high = map(_text, model.jnt_range[j])
        endless = high == ENDLESS and not slides
        element.set("type", "prismatic" if slides else "continuous" if endless else "revolute")
        ET.SubElement(element, "axis", xyz=_text(model.jnt_axis[j]))
        limits = {"effort": _text(self._effort(j)), "velocity": "0"}
        ET.SubElement(
            element, "limit", limits if endless else {"lower": low, "upper": high, **limits}
        )

    def _effort(self, j: int) -> float:
        """Return the largest force of a joint's drives [N m, N]; 0: unknown."""
        model, kinds, limits = self.model, self.mujoco.mjtTrn, []
        if model.jnt_actfrclimited[j]:
            limits.append(np.abs(model.jnt_actfrcrange[j]).max())
        driven = (kinds.mjTRN_JOINT, kinds.mjTRN_JOINTINPARENT)
        for a in range(model.nu):
            if kinds(model.actuator_trntype[a]) not in driven or model.actuator_trnid[a, 0] != j:
                continue
            gear = abs(model.actuator_gear[a, 0])
            if model.actuator_forcelimited[a]:
                limits.append(gear * np.abs(model.actuator_forcerange[a]).max())
            plain = self.mujoco.mjtBias(model.actuator_biastype[a]).name == "mjBIAS_NONE"
            if plain and model.actuator_ctrllimited[a] and model.actuator_gainprm[a, 0]:
                most = np.abs(model.actuator_ctrlrange[a]).max()
                limits.append(gear * abs(model.actuator_gainprm[a, 0]) * most)
        return float(min(limits, default=0.0))

    def _couplings(self) -> None:
        """Write joints that follow another one as <mimic>: q1 - r1 = a0 + a1 (q2 - r2)."""
        model = self.model
        for e in range(model.neq):
            one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
            if self.mujoco.mjtEq(model.eq_type[e]).name != "mjEQ_JOINT" or one not in self.joints:
                continue
            factors, name = model.eq_data[e, :5], self.names[one]
            joint = self.root.find(f"./joint[@name='{name}']")
            if two < 0 or factors[2:].any() or not model.eq_active0[e] or joint is None:
                self.notes.append(f"the <equality> of joint '{name}' is left out: it moves freely")
                continue
            r1, r2 = model.qpos0[model.jnt_qposadr[[one, two]]]
            offset = _text(r1 + factors[0] - factors[1] * r2)
            multiplier = _text(factors[1])
            ET.SubElement(
                joint, "mimic", joint=self.names[two], multiplier=multiplier, offset=offset
            )

    def _posture(self, key: int, own: list[int], upright: FloatArray) -> None:
        """Write a keyframe."""
        import pinocchio as pin

        model = self.model
        name = model.key(key).name or f"key {key}"
        state = ET.SubElement(self.root, "group_state", name=name, group="all")
        for j in self.joints:
            place = model.jnt_qposadr[j]
            if j not in own:
                value = _text(model.key_qpos[key, place])
                ET.SubElement(state, "joint", name=self.names[j], value=value)
            elif self._is(j, "FREE"):
                q = model.key_qpos[key, place : place + 7]
                base = _pose(self.mujoco, q[:3], q[3:]) @ np.linalg.inv(upright)
                values = pin.SE3ToXYZQUAT(pin.SE3(base[:3, :3], base[:3, 3]))
                ET.SubElement(state, "joint", name=BASE, value=_text(values))


def _names(kind: str, names: list[str]) -> list[str]:
    """Return names for all: a nameless one is called after its kind and number."""
    return [name or f"{kind}{number}" for number, name in enumerate(names)]


def _pose(mujoco: Any, position: FloatArray, quaternion: FloatArray) -> FloatArray:
    """Return (4, 4) of a position (3,) and a quaternion (w, x, y, z)."""
    R, pose = np.zeros(9), _moved(position)
    mujoco.mju_quat2Mat(R, np.asarray(quaternion, dtype=float))
    pose[:3, :3] = R.reshape(3, 3)
    return pose


def _moved(by: FloatArray) -> FloatArray:
    pose = np.eye(4)
    pose[:3, 3] = by
    return pose


def _turned(axis: FloatArray, angle: float) -> FloatArray:
    import pinocchio as pin

    pose = np.eye(4)
    pose[:3, :3] = pin.exp3(angle * np.asarray(axis))
    return pose


def _origin(element: ET.Element, pose: FloatArray) -> None:
    import pinocchio as pin

    rpy = pin.rpy.matrixToRpy(np.array(pose[:3, :3]))
    ET.SubElement(element, "origin", xyz=_text(pose[:3, 3]), rpy=_text(rpy))


def _text(values: Any) -> str:
    return " ".join(repr(float(v)) for v in np.atleast_1d(values))
