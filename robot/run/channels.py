"""The time series of a run: dimensions, unit and meaning of each.

There is one row per recorded step. `time`, configuration, poses and energies hold at the end of the
step; wrenches, torques and accelerations are means over it. Forces act on the bodies where they
were at the start of the step, and have their axes there: `body_position` and `body_rotation`, in
snapshots `frame_position`, `frame_rotation` and `node_position`. Dimensions: position (nq),
velocity (nv), joint (n), foot (F), body (B contact bodies), xyz, wrench (fx fy fz tx ty tz), rpy.
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
    "torque": Channel(("joint",), "N m", "torque of the drives"),
    "saturated": Channel(("joint",), "1", "whether a joint is at its torque limit"),
    "reference": Channel(("joint",), "rad", "commanded joint positions"),
    "reference_velocity": Channel(("joint",), "rad/s", "commanded joint velocities"),
    "wrench_foot": Channel(
        ("foot", "wrench"),
        "N, N m",
        "ground on foot about its origin, axes of the foot, step's start",
    ),
    "wrench_world": Channel(
        ("foot", "wrench"),
        "N, N m",
        "ground on foot about its origin at the step's start, world axes",
    ),
    "cop": Channel(("foot", "xy"), "m", "of `wrench_foot` on the tread plane; NaN if unloaded"),
    "zmp": Channel(("xyz",), "m", "of all contacts, at the mean height of their forces; world"),
    "com": Channel(("xyz",), "m", "centre of mass, world"),
    "com_velocity": Channel(("xyz",), "m/s", "of the centre of mass"),
    "dcm": Channel(("xy",), "m", "com + com_velocity/omega, omega in the header"),
    "waist_position": Channel(("xyz",), "m", "origin of the floating base, world"),
    "waist_rpy": Channel(("rpy",), "rad", "R = Rz(yaw) Ry(pitch) Rx(roll) of the floating base"),
    "waist_tilt": Channel((), "rad", "angle between the waist's z axis and the vertical"),
    "waist_acceleration": Channel(("xyz",), "m/s^2", "of the waist's origin, world, no gravity"),
    "foot_position": Channel(("foot", "xyz"), "m", "origin of the foot frame, world"),
    "foot_rotation": Channel(("foot", "quaternion"), "1", "foot to world, x y z w"),
    "foot_velocity": Channel(("foot", "xyz"), "m/s", "of the foot frame's origin, world axes"),
    "foot_acceleration": Channel(
        ("foot", "xyz"), "m/s^2", "of the foot frame's origin, world axes"
    ),
    "body_wrench": Channel(
        ("body", "wrench"), "N, N m", "ground on body about its origin, axes as in `body_rotation`"
    ),
    "body_position": Channel(
        ("body", "xyz"), "m", "origin at the start of the step, relative to what the body touches"
    ),
    "body_rotation": Channel(
        ("body", "quaternion"), "1", "body to what it touches (the world), likewise; x y z w"
    ),
    "sole_motion": Channel(
        ("body", "motion"), "m, rad", "best rigid fit of the tread's displacements"
    ),
    "sole_displacement": Channel(("body",), "m", "largest of a tread node relative to the foot"),
    "penetration": Channel(
        ("body",), "m", "largest depth of a node in the ground, at the start of the step"
    ),
    "pressure": Channel(("body",), "Pa", "largest normal force of a node over its tread area"),
    "slip": Channel(("body",), "m", "sliding distance so far, force-weighted mean of the nodes"),
    "touching": Channel(("body",), "1", "number of nodes with a contact force"),
    "contact_mode": Channel(
        ("body",), "1", "0 air, 1 point, 2 edge, 3 surface: the hull of the loaded nodes"
    ),
    "sliding": Channel(("body",), "1", "number of sliding nodes"),
    "kinetic": Channel((), "J", "energy of the robot, rotors included"),
    "potential": Channel((), "J", "energy of the robot, 0 at z = 0"),
    "elastic": Channel((), "J", "energy in the soles"),
    "joint_work": Channel((), "J", "work of the joint torques so far"),
    "friction_work": Channel(
        (), "J", "work of tangential contact forces so far; <= 0 to `residual`"
    ),
    "push_work": Channel((), "J", "work of the normal contact forces so far"),
    "viscous_loss": Channel((), "J", "energy lost in viscous soles so far"),
    "numerical_loss": Channel((), "J", "energy lost by the time step in soles and robot so far"),
    "stop_work": Channel((), "J", "work of the joint stops so far"),
    "outer_work": Channel((), "J", "work of external pushes so far"),
    "bush_work": Channel((), "J", "work of the bushes between ankles and feet so far"),
    "unaccounted": Channel((), "J", "energy error of the time integration so far"),
    "residual": Channel((), "1", "worst certificate of the contact solver since the last row"),
    "iterations": Channel((), "1", "iterations of the contact solver"),
    "contacts": Channel((), "1", "number of contacts in the contact problem"),
    "solved": Channel((), "1", "whether the solver has met its tolerance since the last row"),
}

FRAMES: dict[str, Channel] = {
    "frame_time": Channel((), "s", "time of the nodal snapshots"),
    "frame_position": Channel(("body", "xyz"), "m", "as `body_position`"),
    "frame_rotation": Channel(("body", "quaternion"), "1", "as `body_rotation`"),
    "node_force": Channel(("node", "xyz"), "N", "ground on node, axes as in `frame_rotation`"),
    "node_position": Channel(
        ("node", "xyz"), "m", "where the force acts, start of the step; axes of its body, likewise"
    ),
    "node_displacement": Channel(("node", "xyz"), "m", "relative to the foot, axes of its body"),
}

# Series of exact contact only: a penalty law has no solver and no velocities of its points.
SOLVED = ("slip", "sliding", "residual", "iterations", "solved")

# Sums over all steps: differences of rows cover the steps between them, recorded or not.
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
