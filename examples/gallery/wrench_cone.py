"""Which yaw torque a rigid foot can transmit while it is sheared: slices of the wrench cone."""

import numpy as np
from matplotlib.figure import Figure

from contact.wrench_cone import WrenchCone

foot = WrenchCone.of_rectangle(half_length=0.112, half_width=0.065, friction=0.4)
fx, tz = np.meshgrid(np.linspace(-170, 170, 281), np.linspace(-30, 30, 241))
zero = np.zeros_like(fx)

figure = Figure(figsize=(9, 3.8), layout="constrained")
for axes, pitch in zip(figure.subplots(1, 3, sharey=True), (0.0, 20.0, 40.0), strict=True):
    states = np.stack([fx, zero, zero + 400, zero, zero + pitch, tz], axis=-1)
    margin = foot.margin(states.reshape(-1, 6)).value.reshape(fx.shape)
    drawn = axes.contourf(fx, tz, margin, np.linspace(0, 1, 11), cmap="viridis")
    axes.set(xlabel="shear f_x [N]", title=f"pitch moment {pitch:g} N m")
    axes.set(xlim=(-170, 170), ylim=(-30, 30))
    if pitch == 0:
        axes.set_ylabel("yaw torque [N m]")
figure.colorbar(drawn, ax=figure.axes, label="margin [1]")
figure.savefig("wrench_cone.png", dpi=100)
