"""Which humanoids come along: their outlines, feet and centres of mass, half-sitting."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from robot.model import RobotModel, humanoids, load_robot


class Stance(NamedTuple):
    """A robot in its posture: solids and pads as points (k, 3), and its CoM (3,), world [m]."""

    robot: RobotModel
    solids: list[np.ndarray]
    com: np.ndarray


def main(names: tuple[str, ...] = humanoids()) -> list[Stance]:
    """Load the robots and place their solids and the pads of their feet."""
    stances = []
    ball = np.random.default_rng(0).normal(size=(2000, 3))
    ball /= np.linalg.norm(ball, axis=1)[:, None]
    corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) / 2
    for robot in map(load_robot, names):
        data = robot.model.createData()
        pin.framesForwardKinematics(robot.model, data, robot.q0)
        solids = []
        for solid in robot.solids:
            a, b, _ = solid.size
            lift = np.outer(np.sign(ball[:, 2]), [0.0, 0.0, b / 2])
            points = corners * solid.size if solid.kind == "box" else a * ball + lift
            solids.append(place(data.oMi[solid.joint].homogeneous @ solid.placement, points))
        for pad in robot.left.pads + robot.right.pads:
            flat = np.pad(pad.corners, ((0, 0), (0, 1)))
            solids.append(place(data.oMf[pad.frame].homogeneous, flat))
        stances.append(Stance(robot, solids, pin.centerOfMass(robot.model, data, robot.q0)))
    return stances


def place(pose: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Take points (k, 3) through a pose (4, 4)."""
    return points @ pose[:3, :3].T + pose[:3, 3]


if __name__ == "__main__":
    import matplotlib.pyplot as plt
    from scipy.spatial import ConvexHull

    for s in (stances := main()):
        print(f"{s.robot.name:10} {s.robot.mass:3.0f} kg, centre of mass at {s.com[2]:.3f} m")
    fig, axes = plt.subplots(2, 1, figsize=(8, 9.8), sharex=True, layout="constrained")
    for ax, across, sign, view in zip(axes, (1, 0), (1, -1), ("front: y", "left: -x"), strict=True):
        for k, s in enumerate(stances):
            for points in s.solids:
                flat = points[:, [across, 2]] * [sign, 1] + [0.9 * k, 0]
                hull = flat[ConvexHull(flat, qhull_options="QJ").vertices]
                ax.fill(*hull.T, facecolor="#9db7d540", edgecolor="#2f4b6e", lw=0.8)
            ax.plot(sign * s.com[across] + 0.9 * k, s.com[2], "o", color="crimson")
            ax.text(0.9 * k, -0.07, f"{s.robot.name}\n{s.robot.mass:.0f} kg", ha="center", va="top")
        ax.set(aspect="equal", xlabel=f"from the {view} [m]", ylabel="z [m]", ylim=(-0.3, 1.85))
    axes[0].set_title("half-sitting; dot: centre of mass")
    fig.savefig("robots.png", dpi=100, bbox_inches="tight")
