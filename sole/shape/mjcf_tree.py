"""A compiled model of MuJoCo as the <robot> of a URDF, in full precision.

The model has for each body the pose in its parent, and joints with anchor p, axis a and position r
at that pose:

    T_body(q) = T_parent T_pose prod_k  Trans(p_k) Move(a_k, q_k - r_k) Trans(-p_k).

Each joint becomes a URDF joint whose frame is at p_k, turned back by r_k, so that q is MuJoCo's.
A link is a body, its frame moved to p of the body's last joint; links without mass carry the joints
before that. What a URDF cannot hold is written as an SRDF does: <group_state> for keyframes,
<rotor_params> for armature. <note text> says what was left out or assumed.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import ShapeError

ENDLESS = 1e307  # rad or m: a range that counts as none
READ = (".stl", ".obj", ".dae")  # meshes that can be drawn and outlined
UNNAMED = "MuJoCo Model"  # a model without a name
BASE = "root_joint"  # Pinocchio's name of the free base


class MjcfTree:
    """A compiled model on its way to XML."""

    def __init__(self, mujoco: Any, spec: Any, model: Any, path: Path) -> None:
        self.mujoco, self.spec, self.model, self.path = mujoco, spec, model, path
        self.links = [model.body(b).name or f"body{b}" for b in range(model.nbody)]
        self.notes: list[str] = []
        self.base = self._base()
        self.bodies = [int(b) for b in np.flatnonzero(model.body_rootid == self.base)]
        in_robot = model.body_rootid[model.jnt_bodyid] == self.base
        self.own = np.flatnonzero(model.jnt_bodyid == self.base)
        self.joints = np.setdiff1d(np.flatnonzero(in_robot), self.own)
        # A frame is found by its name, be it a joint's or a link's.
        names = [model.joint(j).name or f"joint{j}" for j in range(model.njnt)]
        self.names = [f"{name}_joint" if name in self.links else name for name in names]
        named = spec.modelname not in ("", UNNAMED)
        self.root = ET.Element("robot", name=spec.modelname if named else path.stem)

    def written(self) -> ET.Element:
        """Return the <robot>."""
        self._refuse_loops()
        upright, base = self._pose("body", self.base), self.links[self.base]
        upright.translation[:] = 0.0
        if not upright.isIdentity(1e-12):
            ET.SubElement(self.root, "link", name=f"{base}_upright")
            self._joint(f"{base}_upright", base, upright)
        for body in self.bodies:
            self._link(body)
            if body != self.base:
                self._carried(body)
        self._couplings()
        rotors = ET.SubElement(self.root, "rotor_params")
        for j in self.joints:
            rotor = _text(self.model.dof_armature[self.model.jnt_dofadr[j]])
            ET.SubElement(rotors, "joint", name=self.names[j], mass=rotor, gear_ratio="1")
        for key in range(self.model.nkey):
            self._posture(key, upright)
        if len(self.own) and self._joint_kind(self.own[0]) != "free":
            listed = ", ".join(self.names[j] for j in self.own)
            self.notes.append(f"a free base takes the place of the joints {listed}")
        for note in dict.fromkeys(self.notes):
            ET.SubElement(self.root, "note", text=f"{self.path}: {note}")
        return self.root

    def _base(self) -> int:
        model = self.model
        tops = np.flatnonzero(model.body_parentid == 0)[1:]
        if not len(tops):
            raise ShapeError(f"{self.path}: an MJCF without bodies")
        carried = np.bincount(model.body_rootid[model.jnt_bodyid], minlength=model.nbody)
        base = int(max(tops, key=lambda b: carried[b]))
        apart = [self.links[b] for b in tops if b != base and model.body_subtreemass[b] > 0.0]
        if apart:
            self.notes.append(f"bodies apart from the robot are left out: {', '.join(apart)}")
        return base

    def _kind(self, family: str, value: int) -> str:
        """Return the name of one of MuJoCo's types: "box" for mjGEOM_BOX of mjtGeom."""
        return str(getattr(self.mujoco, f"mjt{family}")(value).name.split("_")[-1].lower())

    def _joint_kind(self, j: int) -> str:
        return self._kind("Joint", self.model.jnt_type[j])

    def _pose(self, kind: str, number: int) -> Any:
        """Return the pose of a body in its parent, or of a geom or mesh in its frame."""
        position, quaternion = (getattr(self.model, f"{kind}_{of}") for of in ("pos", "quat"))
        return _placed(position[number], quaternion[number])

    def _to_body(self, body: int) -> Any:
        """Return the pose of a body's frame in its link."""
        count = self.model.body_jntnum[body] if body != self.base else 0
        last = self.model.body_jntadr[body] + count - 1
        return _placed(-self.model.jnt_pos[last] if count else np.zeros(3))

    def _refuse_loops(self) -> None:
        model = self.model
        for e in range(model.neq):
            ends = model.eq_obj1id[e], model.eq_obj2id[e]
            if self._kind("Eq", model.eq_type[e]) not in ("connect", "weld"):
                continue
            if self._kind("Obj", model.eq_objtype[e]) == "site":
                ends = tuple(model.site_bodyid[list(ends)])
            if model.eq_active0[e] and all(model.body_rootid[b] == self.base for b in ends):
                one, two = (self.links[b] for b in ends)
                raise ShapeError(
                    f"{self.path}: <equality> joins '{one}' and '{two}' to a loop; expected a tree "
                    "of bodies: take the loop out"
                )

    def _link(self, body: int) -> None:
        model, to_body = self.model, self._to_body(body)
        link = ET.SubElement(self.root, "link", name=self.links[body])
        if model.body_mass[body] > 0.0:
            axes = _placed(model.body_ipos[body], model.body_iquat[body])
            i = (axes.rotation * model.body_inertia[body]) @ axes.rotation.T
            inertial = ET.SubElement(link, "inertial")
            ET.SubElement(inertial, "origin", xyz=_text(to_body.act(axes.translation)))
            ET.SubElement(inertial, "mass", value=_text(model.body_mass[body]))
            pairs = ((a, b) for a in range(3) for b in range(a, 3))
            moments = {f"i{'xyz'[a]}{'xyz'[b]}": _text(i[a, b]) for a, b in pairs}
            ET.SubElement(inertial, "inertia", moments)
        paired = {*model.pair_geom1, *model.pair_geom2}
        first = model.body_geomadr[body]
        for geom in range(first, first + model.body_geomnum[body]):
            solid = model.geom_contype[geom] | model.geom_conaffinity[geom] or geom in paired
            for pose, tag, sizes in self._shapes(geom):
                element = ET.SubElement(link, "collision" if solid else "visual")
                _origin(element, to_body * pose)
                ET.SubElement(ET.SubElement(element, "geometry"), tag, sizes)

    def _shapes(self, geom: int) -> Iterator[tuple[Any, str, dict[str, str]]]:
        """Yield the shapes of a geom: pose in the body, tag and attributes."""
        model, pose = self.model, self._pose("geom", geom)
        kind, (a, b, _) = self._kind("Geom", model.geom_type[geom]), model.geom_size[geom]
        if kind == "box":
            yield pose, kind, {"size": _text(2 * model.geom_size[geom])}
        elif kind == "sphere":
            yield pose, kind, {"radius": _text(a)}
        elif kind in ("cylinder", "capsule"):
            yield pose, "cylinder", {"radius": _text(a), "length": _text(2 * b)}
            for z in (-b, b) if kind == "capsule" else ():  # a URDF has none
                yield pose * _placed(np.array([0.0, 0.0, z])), "sphere", {"radius": _text(a)}
        elif kind == "mesh" and (file := self._file(model.geom_dataid[geom])):
            mesh = model.geom_dataid[geom]
            scale = _text(model.mesh_scale[mesh])
            yield pose * self._in_mesh(mesh), "mesh", {"filename": file, "scale": scale}
        else:
            link = self.links[model.geom_bodyid[geom]]
            self.notes.append(f"a geom of kind {kind} on '{link}' is left out")

    def _in_mesh(self, mesh: int) -> Any:
        """Return the pose of a file's scaled coordinates in those that MuJoCo gave the mesh.

        MuJoCo takes v = R_i^T (s R_r^T (x - p_r) - p_i): r the file's reference, i the principal
        axes; the scale s is that of all axes unless R_r = 1.
        """
        given = self.spec.mesh(self.model.mesh(mesh).name)
        turned = _placed(np.zeros(3), given.refquat).inverse()
        moved = turned * _placed(-given.refpos * self.model.mesh_scale[mesh])
        return self._pose("mesh", mesh).inverse() * moved

    def _file(self, mesh: int) -> str:
        """Return the path of a mesh's file; "" if it has none that can be read."""
        start, scale = self.model.mesh_pathadr[mesh], self.model.mesh_scale[mesh]
        given = self.spec.mesh(self.model.mesh(mesh).name)
        if start < 0 or (given.refquat[1:].any() and np.ptp(scale)):  # a turn before the scale
            return ""
        file = self.model.paths[start:].split(b"\0", 1)[0].decode(errors="replace")
        return file if Path(file).suffix.lower() in READ else ""

    def _carried(self, body: int) -> None:
        """Write the joints between a body and its parent."""
        model, parent = self.model, self.model.body_parentid[body]
        here, link = self.links[parent], self.links[body]
        at = self._to_body(parent) * self._pose("body", body)
        first, count = model.body_jntadr[body], model.body_jntnum[body]
        if not count:
            self._joint(here, link, at)
        for j in range(first, first + count):
            axis, kind, ref = (
                model.jnt_axis[j],
                self._joint_kind(j),
                model.qpos0[model.jnt_qposadr[j]],
            )
            if kind not in ("hinge", "slide"):
                raise ShapeError(
                    f"{self.path}: joint '{self.names[j]}' is a {kind} joint; expected hinges and "
                    "slides: write three hinges"
                )
            back = _placed(-ref * axis) if kind == "slide" else _turned(-ref * axis)
            to = link if j == first + count - 1 else f"{self.names[j]}_axis"
            if to != link:
                ET.SubElement(self.root, "link", name=to)
            self._joint(here, to, at * _placed(model.jnt_pos[j]) * back, j)
            here, at = to, _placed(-model.jnt_pos[j])

    def _joint(self, parent: str, child: str, pose: Any, j: int | None = None) -> None:
        """Write one joint; without `j` it is fixed."""
        name = f"{child}_fixed" if j is None else self.names[j]
        element = ET.SubElement(self.root, "joint", name=name, type="fixed")
        ET.SubElement(element, "parent", link=parent)
        ET.SubElement(element, "child", link=child)
        _origin(element, pose)
        if j is None:
            return
        slides, limited = self._joint_kind(j) == "slide", self.model.jnt_limited[j]
        limit = {"effort": _text(self._effort(j)), "velocity": "0"}
        if limited or slides:
            low, high = map(_text, self.model.jnt_range[j] if limited else (-ENDLESS, ENDLESS))
            limit |= {"lower": low, "upper": high}
        element.set("type", "prismatic" if slides else "revolute" if limited else "continuous")
        ET.SubElement(element, "axis", xyz=_text(self.model.jnt_axis[j]))
        ET.SubElement(element, "limit", limit)

    def _effort(self, j: int) -> float:
        """Return the largest force of a joint's drives [N m, N]; 0: unknown."""
        model, limits = self.model, []
        if model.jnt_actfrclimited[j]:
            limits.append(np.abs(model.jnt_actfrcrange[j]).max())
        for a in np.flatnonzero(model.actuator_trnid[:, 0] == j):
            if not self._kind("Trn", model.actuator_trntype[a]).startswith("joint"):
                continue
            gear, gain = np.abs([model.actuator_gear[a, 0], model.actuator_gainprm[a, 0]])
            if model.actuator_forcelimited[a]:
                limits.append(gear * np.abs(model.actuator_forcerange[a]).max())
            plain = self._kind("Bias", model.actuator_biastype[a]) == "none"
            if plain and model.actuator_ctrllimited[a] and gain:
                limits.append(gear * gain * np.abs(model.actuator_ctrlrange[a]).max())
        return float(min(limits, default=0.0))

    def _couplings(self) -> None:
        """Write joints that follow another one as <mimic>: q1 - r1 = a0 + a1 (q2 - r2)."""
        model = self.model
        for e in range(model.neq):
            one, two = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
            if self._kind("Eq", model.eq_type[e]) != "joint" or one not in self.joints:
                continue
            factors, name = model.eq_data[e, :5], self.names[one]
            joint = self.root.find(f"./joint[@name='{name}']")
            if two < 0 or factors[2:].any() or not model.eq_active0[e] or joint is None:
                self.notes.append(f"the <equality> of joint '{name}' is left out: it moves freely")
                continue
            r1, r2 = model.qpos0[model.jnt_qposadr[[one, two]]]
            numbers = {"multiplier": factors[1], "offset": r1 + factors[0] - factors[1] * r2}
            texts = {key: _text(value) for key, value in numbers.items()}
            ET.SubElement(joint, "mimic", joint=self.names[two], attrib=texts)

    def _posture(self, key: int, upright: Any) -> None:
        """Write a keyframe."""
        import pinocchio as pin

        model = self.model
        name, q = model.key(key).name or f"key {key}", model.key_qpos[key]
        state = ET.SubElement(self.root, "group_state", name=name, group="all")
        values = {self.names[j]: q[model.jnt_qposadr[j]] for j in self.joints}
        if len(self.own) and self._joint_kind(self.own[0]) == "free":
            place = model.jnt_qposadr[self.own[0]]
            base = _placed(q[place : place + 3], q[place + 3 : place + 7])
            values[BASE] = pin.SE3ToXYZQUAT(base * upright.inverse())
        for joint, value in values.items():
            ET.SubElement(state, "joint", name=joint, value=_text(value))


def _placed(position: FloatArray, quaternion: Sequence[float] = (1.0, 0.0, 0.0, 0.0)) -> Any:
    """Return the `pinocchio.SE3` of a position (3,) and a quaternion (w, x, y, z)."""
    import pinocchio as pin

    return pin.SE3(pin.Quaternion(*map(float, quaternion)).normalized(), np.array(position))


def _turned(by: FloatArray) -> Any:
    """Return the `pinocchio.SE3` of a rotation vector (3,)."""
    import pinocchio as pin

    return pin.SE3(pin.exp3(by), np.zeros(3))


def _origin(element: ET.Element, pose: Any) -> None:
    import pinocchio as pin

    rpy = pin.rpy.matrixToRpy(pose.rotation)
    ET.SubElement(element, "origin", xyz=_text(pose.translation), rpy=_text(rpy))


def _text(values: Any) -> str:
    return " ".join(repr(float(v)) for v in np.atleast_1d(values))
