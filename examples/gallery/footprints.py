"""A planned walk from above: footprints, centre of mass and ZMP."""

from math import radians

from matplotlib.figure import Figure

from robot.gait import GaitOptions, foot_corners, foot_size_of, plan_walk, robot_walk
from robot.model import load_robot

robot = load_robot("hrp2-like")
plan = plan_walk(robot, robot_walk(robot, 6, 0.2, turn=radians(12)), GaitOptions(dt=5e-3))
size = foot_size_of(robot)

figure = Figure(figsize=(7.5, 4.2), layout="constrained")
axes = figure.add_subplot()
for stance in plan.schedule.footsteps.stances:
    for hold, colour in zip(stance.feet, ("tab:blue", "tab:red"), strict=True):
        axes.fill(*foot_corners(hold, size).T, facecolor="none", edgecolor=colour, lw=0.8)
axes.plot(*plan.zmp.T, "tab:green", lw=1, label="ZMP of the body")
axes.plot(*plan.com[:, :2].T, "tab:orange", lw=2, label="centre of mass")
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal", title="six steps of 0.2 m, 12 deg each")
axes.legend()
figure.savefig("footprints.png", dpi=100)
