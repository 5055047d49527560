"""A haptic device that pulls a running walk: its handle is the target, the user feels the force.

While its button is pressed the handle holds a link; the device moves relative to where it was
then, times `scale`. What the user feels is the force on the robot, turned round, over `gain`.
A page that pulls keeps the link; the device waits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from robot.haptics import Device, EnergyWatch, GuardedDevice
from sole.base.errors import ConfigError

if TYPE_CHECKING:
    from robot.live.hands_on_walk import HandsOnWalk

STRONGEST = 3.3  # N that usual devices can return


class DevicePull:
    """One device on one walk; call `follow` once for every step.

    Parameters
    ----------
    hands : the walk. device : gives the handle and takes the force.
    joint : index of the joint whose link is held, 0 the waist. point : in its axes [m].
    stiffness : of the spring [N/m]. scale : metres in the scene per metre of the handle.
    gain : N on the robot per N felt. tell : called with faults of the device.
    """

    def __init__(
        self,
        hands: HandsOnWalk,
        device: Device,
        *,
        joint: int = 0,
        point: tuple[float, float, float] = (0.0, 0.0, 0.0),
        stiffness: float = 1000.0,
        scale: float = 1.0,
        gain: float = 50.0,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        if not (scale > 0 and gain > 0):
            raise ConfigError(f"scale and gain must be positive, got {scale:g} and {gain:g}")
        dt = hands.first.dt
        self.hands = hands
        self.device = GuardedDevice(device, period=dt, strongest=STRONGEST, tell=tell)
        self.joint, self.point, self.stiffness = joint, point, stiffness
        self.scale, self.gain = scale, gain
        self.watch = EnergyWatch()
        self.holding = False  # whether the present pull is the device's
        self.origin = self.zero = np.zeros(3)

    def follow(self) -> None:
        """Read the device, move the target or let go, and return the force."""
        hands, reading = self.hands, self.device.read()
        pressed = bool(reading.buttons and reading.buttons[0])
        self.holding = self.holding and hands.pulling  # a restart lets go
        if pressed and not self.holding and not hands.pulling:
            link = str(hands.walk.simulator.model.names[self.joint + 1])
            motion = hands.walk.points.motion(link, self.point, hands.state.q, hands.state.v)
            self.origin, self.zero = motion[0], reading.place
            more = {"joint": self.joint, "point": list(self.point), "stiffness": self.stiffness}
            hands.act({"do": "grab", "target": self.origin.tolist(), **more})
            self.holding = True
        elif pressed and self.holding:
            target = self.origin + self.scale * (reading.place - self.zero)
            hands.act({"do": "move", "target": target.tolist()})
        elif self.holding:
            hands.act({"do": "let go"})
            self.holding = False
        force = hands.pull_force if self.holding else np.zeros(3)
        self.watch.note(self.scale * reading.place, -force)
        self.device.write(-force / self.gain, np.zeros(3))

    def relax(self) -> None:
        """Give no force: the scene does not run."""
        self.watch.felt = np.zeros(3)
        self.device.write(np.zeros(3), np.zeros(3))

    def close(self) -> None:
        """Release the device, without a force."""
        self.device.close()
