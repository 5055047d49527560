"""From a `Humanoid` to a `RobotModel`: Pinocchio's model, joint by joint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from robot.model.description import LEFT, RIGHT, Humanoid, LinkSpec, PadSpec
from robot.model.finish import finish_robot
from robot.model.link_solids import BoxSpec, CapsuleSpec, SphereSpec
from robot.model.robot_model import SIDES, FootPad, RobotFoot, RobotModel, Solid
from sole.base.arrays import FloatArray

ROOT_JOINT = "root_joint"


def build_robot(humanoid: Humanoid) -> RobotModel:
    """Return the robot of a `Humanoid` with both sides.

    Joints are numbered depth first, the children of a link by the name of their joint. Pinocchio
    reads a URDF in this order, so an exported robot keeps its joint numbers.

    Raises
    ------
    InertiaError
        The mass matrix is singular; the message names the link.
    """
    import pinocchio as pin

    model = pin.Model()
    model.name = humanoid.name
    joint_of: dict[str, int] = {}
    solids: list[Solid] = []
    for link in _depth_first(humanoid.links):
        joint = _add_joint(pin, model, link, joint_of)
        joint_of[link.name] = joint
        model.appendBodyToJoint(joint, _inertia(pin, link), pin.SE3.Identity())
        frame = model.addJointFrame(joint)
        model.addBodyFrame(link.name, joint, pin.SE3.Identity(), frame)
        solids += _solids(link, joint)
    for point in (*humanoid.points, humanoid.imu):
        _add_frame(pin, model, point.name, point.link, np.array(point.origin))
    feet = tuple(_foot(pin, model, humanoid, side) for side in SIDES)
    q0 = pin.neutral(model)
    for joint_name, angle in humanoid.half_sitting.items():
        q0[model.joints[model.getJointId(joint_name)].idx_q] = angle
    return finish_robot(
        model,
        name=humanoid.name,
        about=humanoid.about,
        q0=q0,
        feet=feet,
        waist=humanoid.links[0].name,
        imu=humanoid.imu.name,
        contact_points=[p.name for p in humanoid.points if p.contact],
        solids=solids,
        notes=(
            *(f"published: {line}" for line in humanoid.sources),
            *(f"ours: {line}" for line in humanoid.guesses),
        ),
    )


def _depth_first(links: tuple[LinkSpec, ...]) -> Iterator[LinkSpec]:
    """Yield links in Pinocchio's order: a link, then below it by the name of the joint."""
    stack = [links[0]]
    while stack:
        link = stack.pop()
        yield link
        children = [child for child in links[1:] if child.parent == link.name]
        stack += sorted(children, key=lambda child: child.joint, reverse=True)


def _add_joint(pin: Any, model: Any, link: LinkSpec, joint_of: dict[str, int]) -> int:
    if not link.parent:
        return int(model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), ROOT_JOINT))
    kinds = {"x": pin.JointModelRX, "y": pin.JointModelRY, "z": pin.JointModelRZ}
    joint = model.addJoint(
        joint_of[link.parent],
        kinds[link.axis](),
        pin.SE3(np.eye(3), np.array(link.origin)),
        link.joint,
        np.array([link.torque]),
        np.array([link.velocity]),
        np.array([link.range[0]]),
        np.array([link.range[1]]),
    )
    armature = model.armature
    armature[model.joints[joint].idx_v] = link.rotor
    model.armature = armature
    return int(joint)


def _placement(spec: BoxSpec | CapsuleSpec | SphereSpec) -> FloatArray:
    """Return the pose (4, 4) of a solid in its link."""
    pose = np.eye(4)
    if isinstance(spec, CapsuleSpec):
        low, high = np.array(spec.ends)
        z = (high - low) / np.linalg.norm(high - low)
        # the axis least along z makes a well-conditioned frame
        x = np.cross(np.eye(3)[int(np.abs(z).argmin())], z)
        x /= np.linalg.norm(x)
        pose[:3, :3] = np.column_stack([x, np.cross(z, x), z])
        pose[:3, 3] = (low + high) / 2
    else:
        pose[:3, 3] = spec.center
    return pose


def _size(spec: BoxSpec | CapsuleSpec | SphereSpec) -> FloatArray:
    if isinstance(spec, BoxSpec):
        return np.array(spec.size)
    if isinstance(spec, CapsuleSpec):
        return np.array([spec.radius, np.linalg.norm(np.subtract(*spec.ends)), 0.0])
    return np.array([spec.radius, 0.0, 0.0])


def _volume(spec: BoxSpec | CapsuleSpec | SphereSpec) -> float:
    a, b, c = _size(spec)
    if isinstance(spec, BoxSpec):
        return float(a * b * c)
    return float(np.pi * a**2 * b + 4 / 3 * np.pi * a**3)


def _inertia(pin: Any, link: LinkSpec) -> Any:
    """Return the inertia of a link, its mass distributed evenly over its solids.

    Overlaps of solids count twice.
    """
    total = pin.Inertia.Zero()
    volume = sum(_volume(s) for s in link.solids)
    for spec in link.solids:
        mass = link.mass * _volume(spec) / volume
        a, b, c = (float(s) for s in _size(spec))
        if isinstance(spec, BoxSpec):
            own = pin.Inertia.FromBox(mass, a, b, c)
        elif isinstance(spec, CapsuleSpec):
            own = pin.Inertia.FromCapsule(mass, a, b)
        else:
            own = pin.Inertia.FromSphere(mass, a)
        pose = _placement(spec)
        total += own.se3Action(pin.SE3(pose[:3, :3], pose[:3, 3]))
    return total


_KINDS = {BoxSpec: "box", CapsuleSpec: "capsule", SphereSpec: "sphere"}


def _solids(link: LinkSpec, joint: int) -> list[Solid]:
    return [
        Solid(
            kind=_KINDS[type(spec)],
            link=link.name,
            joint=joint,
            placement=_placement(spec),
            size=_size(spec),
        )
        for spec in link.solids
    ]


def _add_frame(pin: Any, model: Any, name: str, link: str, origin: FloatArray) -> int:
    body = model.frames[model.getBodyId(link)]
    placement = body.placement * pin.SE3(np.eye(3), origin)
    frame = pin.Frame(
        name, body.parentJoint, model.getBodyId(link), placement, pin.FrameType.OP_FRAME
    )
    return int(model.addFrame(frame))


def _foot(pin: Any, model: Any, humanoid: Humanoid, side: str) -> RobotFoot:
    spec = humanoid.foot
    mirror = np.array([1.0, -1.0 if side == "right" else 1.0])
    name, link = f"{side}_sole", _sided(spec.link, side)
    origin = np.array(spec.sole) * [1.0, mirror[1], 1.0]
    frame = _add_frame(pin, model, name, link, origin)
    placed = model.frames[frame]
    return RobotFoot(
        side=side,
        link=link,
        frame_name=name,
        frame=frame,
        joint=placed.parentJoint,
        sole_to_joint=placed.placement.homogeneous,
        half_size=np.array([spec.length, spec.width]) / 2,
        pads=tuple(_pad(pin, model, pad, side, frame) for pad in spec.all_pads),
    )


def _pad(pin: Any, model: Any, pad: PadSpec, side: str, sole: int) -> FootPad:
    y = -pad.y if side == "right" else pad.y
    signs = np.array([(1, 1), (-1, 1), (-1, -1), (1, -1)])
    corners = np.array([pad.x, y]) + signs * [pad.length / 2, pad.width / 2]
    frame = sole
    if pad.link:
        frame = _frame_at_zero(pin, model, _sided(pad.link, side), sole, f"{side}_toe_sole")
    return FootPad(corners=corners, frame=frame)


def _frame_at_zero(pin: Any, model: Any, link: str, sole: int, name: str) -> int:
    """Return the frame of a toe that coincides with the sole frame at zero joint angles."""
    if model.existFrame(name):
        return int(model.getFrameId(name))
    data = model.createData()
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    toe = data.oMf[model.getBodyId(link)]
    return _add_frame(pin, model, name, link, toe.actInv(data.oMf[sole]).translation)


def _sided(name: str, side: str) -> str:
    return name if side == "left" else RIGHT + name.removeprefix(LEFT)
