"""Condensed soles in Drake: a LeafSystem between a discrete MultibodyPlant's state and its forces.

    soles = add_soles(builder, plant, ["left_foot"], [pad])

From the plant's state x and actuation u at the start of its step the system makes the contact step
(`robot.bridge.soles_in_loop`); its wrenches act in the step, and the soles move on together with
the plant. Drake steps semi-implicitly with implicit joint damping D:

    (M + dt D) (v+ - v) = dt (B u + tau_g - C v - D v + J'w),     q+ = q + dt N v+.

The soles are abstract state of the system's context: a copy of the context goes on alike. The
plant must know no collision geometry of the feet, or they stand on both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from contact.constants import FRICTION
from contact.ground import Ground
from contact.step import Body, SoleState, StepOptions
from robot.bridge.soles_in_loop import SolesInLoop
from sole.base.arrays import FloatArray
from sole.base.errors import SoleError
from sole.condense import CondensedSole

__all__ = ["add_soles"]


class _Held:
    """The abstract state: the soles between two steps."""

    def __init__(self, soles: SoleState) -> None:
        self.soles = soles


def add_soles(
    builder: Any,
    plant: Any,
    bodies: Sequence[str],
    pads: Sequence[CondensedSole | Body],
    *,
    poses: Sequence[FloatArray] | None = None,
    ground: Ground | None = None,
    friction: float = FRICTION,
    eta: float = 0.0,
    options: StepOptions | None = None,
) -> Any:
    """Add a system of soles to `builder` and connect it with a finalised `plant`.

    Its input "actuation" (nu,) takes the plant's actuation; connect it where the plant has drives.
    Its output "wrenches" (6B,) are those of the ground on the feet in the coming step, world axes,
    force first, about the soles' origins [N, N m].

    Parameters
    ----------
    builder : DiagramBuilder that owns the plant. bodies : names. pads : the sole of each;
        a part of a sole, as under a toe, is a `contact.step.Body` with its own friction and eta.
    poses : (4, 4) of the sole frames in the bodies' frames [m]; None: the bodies' frames.
    ground : None: the plane z = 0. friction : Coulomb's mu. eta : Kelvin-Voigt time [s].
    options : of the contact step.

    Raises
    ------
    SoleError
        Drake is not installed; a body is unknown; the plant is continuous, not finalised, or has
        collision geometry on a foot.
    """
    try:
        import pydrake  # noqa: F401
    except ImportError as error:
        raise SoleError("Drake is not installed: pip install 'compliant-sole[drake]'") from error
    if not plant.is_finalized():
        raise SoleError("the plant is not finalised: call plant.Finalize() before add_soles")
    if not plant.time_step() > 0:
        raise SoleError("the plant is continuous: make MultibodyPlant(time_step=1e-3)")
    if len(bodies) != len(pads) or not bodies or len(set(bodies)) != len(bodies):
        raise SoleError(f"got {len(bodies)} bodies and {len(pads)} soles: give each body one sole")
    places = [np.eye(4)] * len(bodies) if poses is None else [np.array(p) for p in poses]
    if len(places) != len(bodies) or not all(map(_is_rigid, places)):
        raise SoleError(f"poses must be {len(bodies)} rigid motions (4, 4)")
    feet = []
    for name in bodies:
        if not plant.HasBodyNamed(name):
            known = [plant.get_body(i).name() for i in plant.GetBodyIndices(_world_model())]
            known += [b.name() for b in _all_bodies(plant) if b.name() not in known]
            raise SoleError(f"the plant has no body '{name}'; there are {', '.join(known[1:13])}")
        body = plant.GetBodyByName(name)
        if plant.geometry_source_is_registered() and plant.GetCollisionGeometriesForBody(body):
            raise SoleError(
                f"body '{name}' has collision geometry, which would carry load next to its sole: "
                "remove it"
            )
        feet.append(body)
    own = [
        sole if isinstance(sole, Body) else Body.of(sole, eta=eta, friction=friction)
        for sole in pads
    ]
    loop = SolesInLoop(own, plant.time_step(), ground, options)
    system = builder.AddSystem(_system(plant, feet, places, loop))
    builder.Connect(plant.get_state_output_port(), system.GetInputPort("state"))
    builder.Connect(system.GetOutputPort("forces"), plant.get_applied_spatial_force_input_port())
    return system


def _is_rigid(pose: FloatArray) -> bool:
    if pose.shape != (4, 4) or not np.isfinite(pose).all():
        return False
    return bool(np.allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-6))


def _all_bodies(plant: Any) -> list[Any]:
    from pydrake.multibody.tree import BodyIndex

    return [plant.get_body(BodyIndex(k)) for k in range(plant.num_bodies())]


def _world_model() -> Any:
    from pydrake.multibody.tree import world_model_instance

    return world_model_instance()


def _system(plant: Any, feet: list[Any], poses: list[FloatArray], loop: SolesInLoop) -> Any:
    """Return the LeafSystem; its class is made here because Drake is imported late."""
    from pydrake.common.value import Value
    from pydrake.math import RigidTransform
    from pydrake.multibody.math import SpatialForce
    from pydrake.multibody.plant import ExternallyAppliedSpatialForce
    from pydrake.multibody.tree import JacobianWrtVariable
    from pydrake.systems.framework import LeafSystem

    n, dt = plant.num_velocities(), loop.dt
    damping = np.zeros(n)
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        first = joint.velocity_start()
        damping[first : first + joint.num_velocities()] = joint.default_damping_vector()
    B, scratch = plant.MakeActuationMatrix(), plant.CreateDefaultContext()
    frames, world = [foot.body_frame() for foot in feet], plant.world_frame()
    places = [RigidTransform(pose) for pose in poses]

    class SoleSystem(LeafSystem):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.loop = loop  # its `last` tells the contact of the last step
            self.DeclareVectorInputPort("state", plant.num_multibody_states())
            self.DeclareVectorInputPort("actuation", plant.num_actuated_dofs())
            kind = Value([ExternallyAppliedSpatialForce()])
            self._held = self.DeclareAbstractState(Value(_Held(loop.stepper.start())))
            self.DeclareAbstractOutputPort("forces", lambda: kind, self._forces)
            self.DeclareVectorOutputPort("wrenches", 6 * len(feet), self._wrenches)
            self.DeclarePeriodicUnrestrictedUpdateEvent(dt, 0.0, self._advance)
            self._known: Any = None  # arguments and result of the last step: a memo, no state

        def put_soles(self, context: Any, soles: SoleState) -> None:
            """Let the next step begin with these soles."""
            context.SetAbstractState(self._held, _Held(soles))

        def _made(self, context: Any) -> tuple[SoleState, FloatArray]:
            """Return soles after the step from `context` on, and the wrenches (B, 6) in it."""
            held = context.get_abstract_state(self._held).get_value()
            x: Any = self.GetInputPort("state").Eval(context)
            port = self.GetInputPort("actuation")
            u: Any = port.Eval(context) if port.HasValue(context) else np.zeros(B.shape[1])
            given = x.tobytes(), u.tobytes()
            if self._known is None or self._known[0] is not held or self._known[1] != given:
                self._known = held, given, self._step(held, x, u)
            found: tuple[SoleState, FloatArray] = self._known[2]
            return found

        def _step(self, held: _Held, x: FloatArray, u: FloatArray) -> Any:
            plant.SetPositionsAndVelocities(scratch, x)
            v = plant.GetVelocities(scratch)
            M = plant.CalcMassMatrix(scratch)
            f = B @ u + plant.CalcGravityGeneralizedForces(scratch)
            f -= plant.CalcBiasTerm(scratch) + damping * v
            J, stands = np.empty((6 * len(feet), n)), np.empty((len(feet), 4, 4))
            for b, (foot, frame, place) in enumerate(zip(feet, frames, places, strict=True)):
                pose = plant.EvalBodyPoseInWorld(scratch, foot) @ place
                stands[b] = pose.GetAsMatrix4()
                twist = plant.CalcJacobianSpatialVelocity(
                    scratch, JacobianWrtVariable.kV, frame, place.translation(), world, world
                )
                turn = stands[b, :3, :3].T
                J[6 * b : 6 * b + 3], J[6 * b + 3 : 6 * b + 6] = turn @ twist[3:], turn @ twist[:3]
            loop.state = held.soles
            w = loop.wrenches(M + dt * np.diag(damping), f, v, J, stands)
            turns = stands[:, :3, :3].transpose(0, 2, 1)
            return loop.state, (w.reshape(-1, 2, 3) @ turns).reshape(-1, 6)

        def _advance(self, context: Any, state: Any) -> None:
            after = _Held(self._made(context)[0])
            state.get_mutable_abstract_state(self._held).set_value(after)

        def _forces(self, context: Any, output: Any) -> None:
            found, wrenches = [], self._made(context)[1]
            for foot, place, w in zip(feet, places, wrenches, strict=True):
                force = ExternallyAppliedSpatialForce()
                force.body_index, force.p_BoBq_B = foot.index(), place.translation()
                force.F_Bq_W = SpatialForce(tau=w[3:], f=w[:3])
                found.append(force)
            output.set_value(found)

        def _wrenches(self, context: Any, output: Any) -> None:
            output.SetFromVector(self._made(context)[1].ravel())

    return SoleSystem()
