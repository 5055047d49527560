"""What a run holds over time: every series with its dimensions, unit and meaning.

One row per recorded step. `time`, configuration, poses and energies are those of the step's end;
wrenches, torques and accelerations are means over it. Dimensions: position (nq), velocity (nv),
joint (n), foot (F), body (B: what may touch), xyz, wrench (fx fy fz tx ty tz), rpy.
"""

from __future__ import annotations

from typing import NamedTuple


class Channel(NamedTuple):
    """Dimensions after time, SI unit ("1" if none) and meaning of a series."""

    dims: tuple[str, ...]
    unit: str
    meaning: str


CHANNELS: dict[str, Channel] = {
    "time": Channel((), "s", "at the end of the step"),
    "q": Channel(("position",), "m, rad", "configuration; base quaternion x y z w"),
    "v": Channel(("velocity",), "m/s, rad/s", "base in its own axes, then joints"),
    "acceleration": Channel(("velocity",), "m/s^2, rad/s^2", "(v+ - v)/dt"),
    "torque": Channel(("joint",), "N m", "of the joints"),
    "saturated": Channel(("joint",), "1", "whether a joint is at its torque limit"),
    "reference": Channel(("joint",), "rad", "joint positions asked for"),
    "reference_velocity": Channel(("joint",), "rad/s", "joint velocities asked for"),
    "wrench_foot": Channel(
        ("foot", "wrench"), "N, N m", "ground on foot about its origin, axes of the foot"
    ),
    "wrench_world": Channel(
        ("foot", "wrench"), "N, N m", "ground on foot about its origin, world axes"
    ),
    "cop": Channel(("foot", "xy"), "m", "on the tread plane, axes of the foot; NaN unloaded"),
    "zmp": Channel(("xyz",), "m", "of all contacts, at the mean height of their pressure; world"),
    "com": Channel(("xyz",), "m", "centre of mass, world"),
    "com_velocity": Channel(("xyz",), "m/s", "of the centre of mass"),
    "dcm": Channel(("xy",), "m", "com + com_velocity/omega, omega in the header"),
    "waist_position": Channel(("xyz",), "m", "origin of the floating base, world"),
    "waist_rpy": Channel(("rpy",), "rad", "R = Rz(yaw) Ry(pitch) Rx(roll) of the floating base"),
    "waist_tilt": Channel((), "rad", "angle between its z axis and the vertical"),
    "waist_acceleration": Channel(("xyz",), "m/s^2", "of its origin, world axes, no gravity"),
    "foot_position": Channel(("foot", "xyz"), "m", "origin of the foot frame, world"),
    "foot_rotation": Channel(("foot", "quaternion"), "1", "foot to world, x y z w"),
    "foot_velocity": Channel(("foot", "xyz"), "m/s", "of the foot frame's origin, world axes"),
    "foot_acceleration": Channel(
        ("foot", "xyz"), "m/s^2", "of the foot frame's origin, world axes"
    ),
    "body_wrench": Channel(("body", "wrench"), "N, N m", "ground on body, axes of the body"),
    "sole_motion": Channel(
        ("body", "motion"), "m, rad", "rigid motion that fits the tread's displacements best"
    ),
    "sole_displacement": Channel(("body",), "m", "largest of a tread node relative to the foot"),
    "pressure": Channel(("body",), "Pa", "largest normal force of a node over its tread area"),
    "slip": Channel(("body",), "m", "sliding path so far, mean of the nodes by normal force"),
    "touching": Channel(("body",), "1", "nodes with a contact force"),
    "sliding": Channel(("body",), "1", "nodes that slide"),
    "kinetic": Channel((), "J", "energy of the robot, rotors included"),
    "potential": Channel((), "J", "energy of the robot, 0 at z = 0"),
    "elastic": Channel((), "J", "energy in the soles"),
    "joint_work": Channel((), "J", "of the joint torques so far"),
    "friction_work": Channel((), "J", "of the tangential contact forces so far; exact: <= 0"),
    "push_work": Channel((), "J", "of the normal contact forces so far"),
    "viscous_loss": Channel((), "J", "in viscous soles so far"),
    "numerical_loss": Channel((), "J", "by the time step in soles and robot so far"),
    "stop_work": Channel((), "J", "of the joints' stops so far"),
    "outer_work": Channel((), "J", "of pushes from outside so far"),
    "bush_work": Channel((), "J", "of the bushes between ankles and feet so far"),
    "unaccounted": Channel((), "J", "energy that the motion's discretisation made so far"),
    "residual": Channel((), "1", "worst certificate of the contact solver since the last row"),
    "iterations": Channel((), "1", "of the contact solver"),
    "contacts": Channel((), "1", "in the contact problem"),
    "solved": Channel((), "1", "whether it has met its tolerance since the last row"),
}

FRAMES: dict[str, Channel] = {
    "frame_time": Channel((), "s", "of the nodal snapshots"),
    "node_force": Channel(("node", "xyz"), "N", "ground on node, axes of its body"),
    "node_displacement": Channel(("node", "xyz"), "m", "relative to the foot, axes of its body"),
}

# What only exact contact has: a penalty law solves nothing and knows no velocity of its points.
SOLVED = ("slip", "sliding", "residual", "iterations", "solved")

# Sums over steps: differences of rows say what happened between them, whatever was left out.
RUNNING_SUMS = (
    "slip",
    "joint_work",
    "friction_work",
    "push_work",
    "viscous_loss",
    "numerical_loss",
    "stop_work",
    "outer_work",
    "bush_work",
)
