"""Condensed soles in Drake: a plain loop with the same numbers is the reference."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from box_mesh import box_mesh

from contact.step import Body
from robot.bridge.drake import add_soles
from robot.bridge.soles_in_loop import SolesInLoop
from sole.base.errors import SoleError
from sole.condense import condense
from sole.material import Material

G, MASS, HEIGHT, DT = 9.81, 20.0, 0.02, 1e-3


@pytest.fixture(scope="module")
def pad():
    mesh = box_mesh(0.2, 0.1, HEIGHT, (4, 3, 1))
    return condense(mesh, [Material(young_modulus=1e6, poisson_ratio=0.4)])


@pytest.fixture
def drake():
    return pytest.importorskip("pydrake.all", reason="pip install 'compliant-sole[drake]'")


def falling(drake, pad, finalise=True, dt=DT, shaped=False):
    """A block with an arm on a damped, driven hinge, 2 mm above the ground."""
    builder = drake.DiagramBuilder()
    plant = builder.AddSystem(drake.MultibodyPlant(dt))
    if shaped:
        plant.RegisterAsSourceForSceneGraph(builder.AddSystem(drake.SceneGraph()))
    block = plant.AddRigidBody("block", drake.SpatialInertia.SolidBoxWithMass(MASS, 0.2, 0.1, 0.08))
    arm = plant.AddRigidBody("arm", drake.SpatialInertia.SolidBoxWithMass(1.0, 0.1, 0.1, 0.3))
    joint = drake.RevoluteJoint("hinge", block.body_frame(), arm.body_frame(), [0, 1, 0], 0.5)
    joint = plant.AddJoint(joint)
    plant.AddJointActuator("drive", joint)
    if shaped:
        place, rubbing = drake.RigidTransform(), drake.CoulombFriction(0.8, 0.8)
        plant.RegisterCollisionGeometry(block, place, drake.Box(0.2, 0.1, 0.08), "box", rubbing)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, -G])
    if finalise:
        plant.Finalize()
    return builder, plant


def test_a_block_falls_as_in_a_plain_loop(drake, pad):
    builder, plant = falling(drake, pad)
    soles = add_soles(builder, plant, ["block"], [pad])
    torque = builder.AddSystem(drake.ConstantVectorSource([0.3]))
    builder.Connect(torque.get_output_port(), plant.get_actuation_input_port())
    builder.Connect(torque.get_output_port(), soles.GetInputPort("actuation"))
    simulator = drake.Simulator(builder.Build())
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    pose = drake.RigidTransform([0.0, 0.0, HEIGHT + 0.002])
    plant.SetFreeBodyPose(context, plant.GetBodyByName("block"), pose)
    start = plant.GetPositionsAndVelocities(context)
    steps = 60
    simulator.AdvanceTo(steps * DT - DT / 2)
    expected, wrench = plain(drake, pad, start, steps)
    assert plant.GetPositionsAndVelocities(context) == pytest.approx(expected, abs=1e-7)
    own = soles.GetMyContextFromRoot(simulator.get_context())
    told = soles.GetOutputPort("wrenches").Eval(own)  # of the next step
    assert told == pytest.approx(plain(drake, pad, start, steps + 1)[1], abs=1e-4)
    assert wrench[2] > 50.0


def plain(drake, pad, x, steps):
    """The same with q and v integrated here."""
    _, plant = falling(drake, pad)
    context, soles = plant.CreateDefaultContext(), SolesInLoop([pad], DT)
    body, D = plant.GetBodyByName("block"), np.zeros(plant.num_velocities())
    D[-1] = 0.5
    for _ in range(steps):
        plant.SetPositionsAndVelocities(context, x)
        q, v = plant.GetPositions(context), plant.GetVelocities(context)
        M = plant.CalcMassMatrix(context) + DT * np.diag(D)
        f = plant.CalcGravityGeneralizedForces(context) - plant.CalcBiasTerm(context) - D * v
        f[-1] += 0.3
        J = plant.CalcJacobianSpatialVelocity(
            context, drake.JacobianWrtVariable.kV, body.body_frame(), np.zeros(3),
            plant.world_frame(), body.body_frame(),
        )  # fmt: skip
        J = np.vstack([J[3:], J[:3]])
        pose = plant.EvalBodyPoseInWorld(context, body).GetAsMatrix4()
        w = soles.wrenches(M, f, v, J, pose[None])[0]
        v = v + DT * np.linalg.solve(M, f + J.T @ w)
        q = q + DT * plant.MapVelocityToQDot(context, v)
        q[:4] /= np.linalg.norm(q[:4])
        x = np.r_[q, v]
    R = pose[:3, :3]
    return x, np.r_[R @ w[:3], R @ w[3:]]


def test_a_copied_context_goes_on_with_the_same_bits(drake, pad):
    builder, plant = falling(drake, pad)
    soles = add_soles(builder, plant, ["block"], [Body.of(pad)])  # as a part of a sole is given
    source = builder.AddSystem(drake.ConstantVectorSource([0.0]))
    builder.Connect(source.get_output_port(), plant.get_actuation_input_port())
    diagram = builder.Build()
    simulator = drake.Simulator(diagram)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    pose = drake.RigidTransform([0.0, 0.0, HEIGHT])
    plant.SetFreeBodyPose(context, plant.GetBodyByName("block"), pose)
    simulator.AdvanceTo(30.5 * DT)
    kept = simulator.get_context().Clone()
    simulator.AdvanceTo(50.5 * DT)
    again = drake.Simulator(diagram, kept)
    again.AdvanceTo(50.5 * DT)
    states = [
        plant.GetPositionsAndVelocities(plant.GetMyContextFromRoot(s.get_context()))
        for s in (simulator, again)
    ]
    assert np.array_equal(*states)
    assert soles.GetOutputPort("wrenches").size() == 6


def test_bad_input_is_refused_in_one_line(drake, pad):
    def bad(match, bodies=("block",), pads=None, poses=None, **more):
        builder, plant = falling(drake, pad, **more)
        with pytest.raises(SoleError, match=match) as told:
            add_soles(builder, plant, bodies, [pad] if pads is None else pads, poses=poses)
        assert "\n" not in str(told.value)

    bad("no body 'blok'; there are block, arm", ("blok",))
    bad("1 bodies and 2 soles", pads=[pad, pad])
    bad("give each body one", ("block", "block"), pads=[pad, pad])
    bad("'block' has collision geometry, which would carry load next to its sole", shaped=True)
    bad("1 rigid motions", poses=[np.diag([2.0, 1.0, 1.0, 1.0])])
    bad("1 rigid motions", poses=[np.full((4, 4), np.nan)])
    bad("not finalised", finalise=False)
    bad("continuous", dt=0.0)


def test_without_drake_the_install_line_is_given(pad, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydrake", None)
    with pytest.raises(SoleError, match=r"pip install 'compliant-sole\[drake\]'"):
        add_soles(None, None, ["block"], [pad])
