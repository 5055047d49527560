"""Hybrid position/force control of LOLA's feet, with the dynamics of the centre of mass.

[SygullaEtAl2017]. Of each foot the height and the inclination are force controlled,
w_f = (sin gamma_x, sin gamma_y, z) relative to the centre of mass; x, y and yaw keep to the plan.
In each period:

1. Balance: the zero-moment point that returns the divergent component of motion to the plan, or
   one that gives torques against the inclination of the waist (the paper's inertial unit). The
   force m (c'' + g) there is shared between the feet, and torques are cut to what the treads give:
   lambda_d = (T_x, T_y, F_z) of each foot.
2. Force law (14)-(15): delta e' + e = 0 with e = lambda_d - lambda and the contact model U,

       w_f' = U^-1 (lambda_d' + e/delta).

3. Blending (16)-(17): b_f goes to 0 while a foot swings, and its motion decays with K_x.
4. Dynamics of the centre of mass (18)-(20), while one foot touches: M Delta_a = R_f e is asked of
   the body by moving the foot with -Delta_a. The speeds are limited, and forgotten at the limits
   of a foot's motion and with K_a,x in double support.
5. The motions w (21) become joint angles by the legs' Jacobians, with torques of inverse dynamics
   for lambda_d. Swing feet are aimed at their places in the world as in `robot.control.stabiliser`.

The paper's IV.C lets (19) act at early contacts; but s_a = 0 as soon as both feet touch. It is
done as its equations say.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import exp
from typing import Any

import numpy as np

from robot.control.contact_model import ContactModel, loop_damping
from robot.control.controller import Sensed
from robot.control.force_choice import DAMPED, KAPPAS, ForceChoice
from robot.control.force_kernels import Felt, ForceLimits, ForceMemory, control_feet
from robot.control.pad_edges import PadEdges
from robot.control.plan_table import table_of
from robot.control.stabiliser import StabiliserGains, leg_columns
from robot.control.stabiliser_kernels import LOADED, FeetArrays, Tuning
from robot.gait import MotionPlan
from robot.simulator import Command
from robot.soles import FeetOnSoles
from sole.base.arrays import IntArray
from sole.base.compiled import packed
from sole.base.constants import GRAVITY
from sole.base.errors import ConfigError, SoleError


class ForceControl:
    """The controller of this module.

    Parameters
    ----------
    feet : robot and soles, which give U. plan : what it follows.
    choice : gains. gains : margin, aim and their times as in the stabiliser.
    pads : as in `ContactModel`; needed if U = "pads".
    period : T, time between two calls [s].

    Raises
    ------
    ConfigError
        The sampled force law is unstable, kappa T/delta >= 2; or the vertical loop is: the message
        says its damping.
    SoleError
        Rigid soles, treads too small for the margin, legs with fewer than six joints.
    """

    def __init__(
        self,
        feet: FeetOnSoles,
        plan: MotionPlan,
        *,
        choice: ForceChoice | None = None,
        gains: StabiliserGains | None = None,
        pads: tuple[IntArray, IntArray] | None = None,
        period: float = 1e-3,
    ) -> None:
        import pinocchio as pin

        choice = ForceChoice() if choice is None else choice
        gains = StabiliserGains() if gains is None else gains
        if choice.U == "pads" and pads is None:
            raise SoleError(
                "force control with U = 'pads' needs the pads of the feet, got none: give pads, or "
                "take U = 'whole'"
            )
        robot = feet.robot
        self.robot, self.plan, self.period = robot, plan, period
        self.choice = settled(choice, feet, period)
        assert self.choice.kappa is not None
        self.contact = ContactModel(
            feet,
            self.choice.kappa,
            pads if choice.U == "pads" else None,
            points=choice.U == "points",
        )
        self.model, self.data = robot.model, robot.model.createData()
        self.frames = tuple(foot.frame for foot in robot.feet)
        inner = feet.edges + np.array([[gains.margin], [-gains.margin]])
        if (inner[:, 0] >= inner[:, 1]).any():
            raise SoleError(
                f"a tread is too small for force control, which keeps {1e3 * gains.margin:g} mm "
                "from its edges: use larger soles"
            )
        self.pad_edges: PadEdges | None = None
        if choice.U == "pads" and pads is not None:
            boxes = self.contact.pad_boxes(feet, pads)
            self.pad_edges = PadEdges(inner.copy(), boxes, pads[0], gains.margin)
        thickness = np.array(feet.thicknesses)
        self.feet = FeetArrays(inner, np.zeros((2, 6, 6)), thickness, leg_columns(robot))
        self.tuning = Tuning(
            robot.mass, period, choice.k, 0.0, gains.D, gains.D_z, gains.T, gains.swing,
            exp(-period / gains.lag),
        )  # fmt: skip
        pin.ccrba(self.model, self.data, plan.q_ref[0], np.zeros(self.model.nv))
        inertia = self.data.Ig.inertia
        names = "delta", "K_x", "b", "g_a", "K_ax", "K_p", "K_d"
        self.limits = ForceLimits(
            angle=choice.most_angle,
            height=choice.most_height,
            speed=choice.most_speed,
            imu=float(choice.balance == "imu"),
            theta_x=float(inertia[0, 0]),
            theta_y=float(inertia[1, 1]),
            **{name: getattr(self.choice, name) for name in names},
        )
        self.reset()

    def reset(self) -> None:
        """Forget everything but the plan."""
        self.started = False
        shapes = (2,), (2, 3), (2,), (2, 3), (2, 3), (2, 6), (self.model.nv,), (2, 3)
        self.memory = ForceMemory(*(np.zeros(shape) for shape in shapes))
        self.memory.blend[:] = 1.0
        if self.pad_edges is not None:
            self.pad_edges.reset()

    def arrays(self) -> dict[str, Any]:
        """Return the memory of the controller, for `np.savez`."""
        kept = {name: np.array(value) for name, value in self.memory._asdict().items()}
        more = {} if self.pad_edges is None else self.pad_edges.arrays()
        return {"started": np.array(self.started), **kept, **more}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Continue from `arrays()`, bit for bit."""
        self.started = bool(arrays["started"])
        self.memory = ForceMemory(**{n: np.array(arrays[n]) for n in ForceMemory._fields})
        if self.pad_edges is not None:
            self.pad_edges.restore(arrays)

    def update(self, sensed: Sensed, t: float) -> Command:
        """Return joint references and feed-forward torques for t + period."""
        import pinocchio as pin

        plan = self.plan
        now, then = plan.row(t), plan.row(t + self.period)
        tau, J = table_of(plan, self.model, self.frames).row(then, max(1, then - now))
        c = pin.centerOfMass(self.model, self.data, sensed.q, sensed.v)
        felt = Felt(
            c, self.data.vcom[0], np.array(sensed.q[:7]), np.array(sensed.v[3:6]),
            np.array(sensed.wrenches), self.contact.inverses(sensed.switches),
        )  # fmt: skip
        if self.pad_edges is not None:
            touching = felt.measured[:, 2] > LOADED * self.robot.mass * GRAVITY
            edges = self.pad_edges.update(sensed.switches, touching, self.period)
            self.feet = self.feet._replace(edges=edges)
        first, self.started = not self.started, True
        positions, velocities, torques = control_feet(
            packed(felt), now, then, first, tau, J, packed(plan.arrays), packed(self.feet),
            packed(self.tuning), packed(self.limits), packed(self.memory),
        )  # fmt: skip
        return Command(positions=positions, velocities=velocities, torques=torques)


def settled(choice: ForceChoice, feet: FeetOnSoles, T: float) -> ForceChoice:
    """Return the choice with kappa given, if the loops that it makes are stable.

    Raises
    ------
    ConfigError
        See `ForceControl`.
    """
    k = max(abs(float(U[2, 2])) for U in ContactModel(feet, 1.0).U)

    def damping(kappa: float) -> float:
        return loop_damping(k, feet.robot.mass, choice.delta, choice.g_a, kappa, T)

    kappa = choice.kappa
    if kappa is None:
        tried = [one for one in KAPPAS if one * T / choice.delta < 1]
        good = [one for one in tried if damping(one) >= DAMPED]
        kappa = good[0] if good else max(tried, key=damping, default=KAPPAS[0])
    if kappa * T / choice.delta >= 2:
        raise ConfigError(
            f"control.force: kappa T/delta = {kappa:g} {T:g}/{choice.delta:g} = "
            f"{kappa * T / choice.delta:.3g} must be below 2, or the sampled force law diverges: "
            "increase delta or take a shorter period"
        )
    if (found := damping(kappa)) <= 0:
        raise ConfigError(
            f"control.force: the vertical loop on soles of {k:.3g} N/m has the damping "
            f"{found:.3f}: it is unstable; lower g_a (now {choice.g_a:g}), increase kappa (now "
            f"{kappa:g}) or take softer soles"
        )
    return replace(choice, kappa=kappa)
