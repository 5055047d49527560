"""Our humanoids in half-sitting, as trees of joints; dots are their centres of mass."""

import pinocchio as pin
from matplotlib.figure import Figure

from robot.model import humanoids, load_robot

figure = Figure(figsize=(8, 5), layout="constrained")
axes = figure.add_subplot()
for k, name in enumerate(humanoids()):
    robot = load_robot(name)
    data = robot.model.createData()
    pin.framesForwardKinematics(robot.model, data, robot.q0)
    at = [joint.translation for joint in data.oMi]
    for joint in range(2, robot.model.njoints):
        (_, y0, z0), (_, y1, z1) = at[robot.model.parents[joint]], at[joint]
        axes.plot([k + y0, k + y1], [z0, z1], "o-", color="#2f4b6e", ms=3)
    for foot in robot.feet:
        _, y, z = data.oMf[foot.frame].translation
        axes.plot([k + y - 0.06, k + y + 0.06], [z, z], color="C1", lw=4)
    center = pin.centerOfMass(robot.model, data, robot.q0)
    axes.plot(k + center[1], center[2], "o", color="crimson", ms=8)
    axes.text(k, -0.12, f"{name}\n{robot.mass:.0f} kg", ha="center", va="top")
axes.set(aspect="equal", xticks=[], ylabel="z [m]", ylim=(-0.35, 1.7))
axes.set_title("from the front; orange: soles, red: centre of mass")
figure.savefig("humanoids.png", dpi=100)
