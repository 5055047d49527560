"""How to put soles under your own robot: a rigid body lands on stairs, one foot higher.

The state is saved and restored half way. The robot is one rigid body here. For your own robot,
replace J6 and M in the lines with an arrow.
"""

from io import BytesIO
from typing import NamedTuple

import numpy as np

from contact.frames import rotation_of
from contact.ground import Stairs
from contact.step import Body, CompliantStep, SoleState, StepMotion
from contact.swept_step import fast_step
from sole.condense import condense
from sole.material import Material
from sole.mesh import mesh_shape
from sole.shape import box

G, MASS, INERTIA = np.array([0, 0, -9.81]), 58.0, np.array([4.0, 4.0, 1.0])  # m/s^2, kg, kg m^2
FEET = np.array([[0.15, 0.1, -0.6], [-0.15, -0.1, -0.7]])  # from the centre of mass [m]


class Robot(NamedTuple):
    """Axes R, centre of mass c (world), twist v (6,) in these axes, and its soles."""

    R: np.ndarray
    c: np.ndarray
    v: np.ndarray
    soles: SoleState


def advance(stepper: CompliantStep, robot: Robot, dt: float) -> tuple[Robot, np.ndarray]:
    """Return the robot after dt and the mean forces (2, 3) on its feet, world [N]."""
    R, c, v, soles = robot
    cross = [np.cross(a, np.eye(3)) for a in FEET]  # x @ w = w cross a
    J = np.vstack([np.block([[np.eye(3), x], [np.zeros((3, 3)), np.eye(3)]]) for x in cross])  # <-
    M_inv = np.diag(1 / np.array([MASS, MASS, MASS, *INERTIA]))  # <-
    free = v + dt * np.array([*(R.T @ G), *(-np.cross(v[3:], INERTIA * v[3:]) / INERTIA)])  # <-
    motion = StepMotion(J @ v, J @ free, J @ M_inv @ J.T, dt)
    done = stepper.step(soles, [R, R], c + FEET @ R.T, motion)
    new = free + dt * M_inv @ (J.T @ done.wrenches.ravel())
    turned = R @ rotation_of(dt * new[3:])  # theta = 1: the twist at the end moves the pose
    twist = np.array([*(turned.T @ R @ new[:3]), *new[3:]])
    return Robot(turned, c + dt * R @ new[:3], twist, done.state), done.wrenches[:, :3] @ R.T


def main(steps: int = 600, size: float = 0.03, dt: float = 1e-3) -> tuple[np.ndarray, bool]:
    """Return the forces (steps, 2, 3) [N], and whether the restored run repeats the same bits."""
    rubber = Material(young_modulus=2e6, poisson_ratio=0.4)
    pad = Body.of(condense(mesh_shape(box(0.23, 0.13, 0.02), size, size), rubber), eta=5e-3)
    stepper, file = fast_step([pad, pad], Stairs(run=0.3, rise=0.1, x=0.05)), BytesIO()
    robot, forces = Robot(np.eye(3), np.array([0.05, 0, 0.725]), np.zeros(6), stepper.start()), []
    for k in range(steps + steps // 2):
        if k == steps // 2:
            np.savez(file, R=robot.R, c=robot.c, v=robot.v, **robot.soles.arrays())
        if k == steps:  # once more, from the file
            a = np.load(BytesIO(file.getvalue()))
            robot = Robot(a["R"], a["c"], a["v"], SoleState.from_arrays(a))
        robot, force = advance(stepper, robot, dt)
        forces.append(force)
    return np.array(forces[:steps]), np.array_equal(forces[-1], forces[steps - 1])


if __name__ == "__main__":
    f, same = main()
    print(f"left {f[-1, 0, 2]:.1f} N, right {f[-1, 1, 2]:.1f} N; restored bit for bit: {same}")
