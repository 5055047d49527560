"""Heights of both soles while a robot climbs stairs of 5 cm."""

from matplotlib.figure import Figure

from robot.gait import GaitOptions, plan_walk, robot_walk
from robot.model import load_robot

robot = load_robot("hrp2-like")
plan = plan_walk(robot, robot_walk(robot, 4, 0.25, rise=0.05), GaitOptions(dt=5e-3))

figure = Figure(figsize=(7.5, 4.2), layout="constrained")
axes = figure.add_subplot()
single = plan.supports.sum(axis=1) == 1
axes.fill_between(plan.times, 0, 32, where=single, color="0.93", lw=0, label="single support")
for k, side in enumerate(("left", "right")):
    axes.plot(plan.times, 100 * plan.feet[:, k, 2, 3], label=f"{side} sole")
axes.set(xlabel="time [s]", ylabel="height [cm]", ylim=(0, 32), xlim=(0, plan.end))
axes.set_title("four steps up stairs of 5 cm")
axes.legend(loc="upper left")
figure.savefig("swing_feet.png", dpi=100)
