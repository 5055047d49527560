"""Assembly of a walk from its scenario: robot, soles, plan, simulator and controller."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from contact.ground import Ground
from contact.papers.penalty import PenaltyLaw
from contact.step import StepOptions
from robot.control import Controller
from robot.fused import BufferSenses, TickBlocks, fast_simulator
from robot.gait import Standing, Walking, WalkPlan
from robot.model import RobotModel, robot_of
from robot.online import OnlineControl, OnlinePlan
from robot.retime import RetimeChoice, RetimedGait, retime_gait
from robot.scenery import check_outside, touching_of, with_boxes, with_bushes, with_grips
from robot.sensing import Sensors
from robot.simulator import Coupling, JointCascade, RobotState, Simulator
from robot.soles import FeetOnSoles, on_soles
from robot.walk.controllers import controller_of, estimator_of
from robot.walk.corner_soles import corner_sole
from robot.walk.drives import cascade_of, servo_of, stops_of
from robot.walk.free_start import with_free_start
from robot.walk.known_names import ground_of
from robot.walk.known_plans import KnownPlans
from robot.walk.plan_kind import with_plan_kind
from robot.walk.reachable import plan_within_reach
from robot.walk.scenario import Scenario
from robot.walk.scenario_tables import SoleChoice
from robot.walk.walk import Walk
from sole.base.arrays import FloatArray
from sole.base.blas_threads import one_blas_thread
from sole.condense import CondensedSole, condense, load_condensed
from sole.material import Material
from sole.mesh import SoleMesh

if TYPE_CHECKING:
    import pinocchio as pin


Soles = tuple[CondensedSole, CondensedSole | None]


@one_blas_thread()  # the same bits whatever the number of threads
def assemble_walk(
    scenario: Scenario,
    folder: Path | None = None,
    soles: Soles | None = None,
    plans: KnownPlans | None = None,
    robot: RobotModel | None = None,
) -> Walk:
    """Build the walk of a scenario and let it settle; paths are relative to `folder`.

    `soles` : left and right sole that replace those of the scenario; right None: the mirror image.
    `plans` : of walks before, to be shared. `robot` : that of the scenario, if it is loaded.

    Raises
    ------
    SoleError
        The parts do not fit together; the message names them.
    """
    s, folder = scenario, Path() if folder is None else folder
    robot = robot_of(s.robot, s.urdf, folder) if robot is None else robot
    feet = feet_of(s, robot, folder, soles)
    planned = plan_of if plans is None else partial(plans.of, plan_of=plan_of)
    ground = ground_of(s, folder)
    s, lifted = with_free_start(s, feet, ground)
    s = with_plan_kind(s, feet.robot, ground)
    s, plan, changed = plan_within_reach(s, feet, planned)
    online, gait = None, s.gait
    if s.plan.follows and isinstance(gait, Walking | Standing):  # a scenario refuses others
        online = OnlinePlan(feet.robot, plan, s.plan, gait.step_of(feet.robot).lift)
    cascade = cascade_of(s, feet.robot)
    simulator, start = world_of(s, robot.model, feet, plan.at(0.0).q, ground, cascade)
    check_outside(simulator, start.q)
    noisy = s.sensing.kind == "noisy"

    def rebuild(now: Scenario, feet: FeetOnSoles) -> Controller:
        if online is None:
            return controller_of(now, feet, plan, ground)
        return OnlineControl(online, controller_of(now, feet, online, ground))

    from sole.mesh import warn_of_tread

    made = Walk(
        scenario=s,
        feet=feet,
        simulator=simulator,
        plan=plan,
        online=online,
        cascade=cascade,
        controller=rebuild(s, feet),
        rebuild=rebuild,
        sensors=Sensors(feet, s.sensing.noise, s.seed, s.control.period) if noisy else None,
        estimator=estimator_of(s, feet, plan.at(0.0).q) if noisy else None,
        start=start,
        blocks=TickBlocks,
        look=BufferSenses,
        notes=(
            *robot.warnings,
            *robot.doubts,
            *warn_of_tread(feet.soles[0].mesh),
            *lifted,
            *changed,
        ),
    )
    made.settle(s.settle)
    return made


def plan_of(scenario: Scenario, feet: FeetOnSoles) -> WalkPlan:
    """Return the plan of a scenario's gait, retimed if it asks for that."""
    if scenario.retime is not None:
        return retimed_of(scenario, feet).plan
    s = scenario
    crouches = s.plan.follows and s.gait.com_height is None
    return s.gait.plan(
        feet.robot,
        s.control.period,
        feet.thicknesses,
        s.start.foothold,
        feet.edges,
        arrive=s.plan.arrive if s.plan.follows else 1.0,
        crouch=s.plan.crouch if crouches else 0.0,
    )


def retime_scenario(
    scenario: Scenario, folder: Path | None = None, soles: Soles | None = None
) -> tuple[RobotModel, RetimedGait]:
    """Return the robot of a scenario with its soles, and its gait retimed.

    Arguments and errors as for `assemble_walk`; without a table [retime] its defaults hold.
    """
    folder = Path() if folder is None else folder
    feet = feet_of(scenario, robot_of(scenario.robot, scenario.urdf, folder), folder, soles)
    return feet.robot, retimed_of(scenario, feet)


def retimed_of(scenario: Scenario, feet: FeetOnSoles) -> RetimedGait:
    """Return the retimed gait of a scenario on given feet."""
    s = scenario
    choice = RetimeChoice() if s.retime is None else s.retime
    period, start = s.control.period, s.start.foothold
    return retime_gait(s.gait, feet.robot, choice, period, feet.thicknesses, start, feet)


def feet_of(
    scenario: Scenario, robot: RobotModel, folder: Path, soles: Soles | None = None
) -> FeetOnSoles:
    """Glue the given soles or those of a scenario to the robot; paths are relative to `folder`."""
    s = scenario
    return on_soles(
        robot,
        *(choose_soles(s, robot, folder) if soles is None else soles),
        place=s.sole.place,
        right_place=s.sole.right_place,
        rigid=s.sole.rigid or s.contact.kind != "compliant",
        eta=s.sole.eta,
        friction=s.sole.friction,
    )


def world_of(
    scenario: Scenario,
    bare: pin.Model,
    feet: FeetOnSoles,
    q: FloatArray,
    ground: Ground,
    cascade: JointCascade | None = None,
) -> tuple[Simulator, RobotState]:
    """Put the robot, its bushes and the boxes on the ground.

    Parameters
    ----------
    bare : the robot's model without the soles' inertia. feet : robot and soles.
    q : initial configuration of the robot. cascade : its drives; None: ideal servos.

    Returns
    -------
    The simulator and its state at rest: the robot at `q`, bushes unloaded, boxes in place.
    """
    s, robot = scenario, feet.robot
    model, below = robot.model, np.zeros(0)
    couplings: tuple[Coupling, ...] = ()
    if s.bush is not None:
        bushed = with_bushes(feet, bare, s.bush)
        model, couplings, below = bushed.model, bushed.couplings, bushed.places(q)
    scenery = with_boxes(model, s.box)
    points = (touching_of(touch, robot, s.box, scenery) for touch in s.touch)
    start = np.concatenate([q, below, scenery.places])
    couplings += with_grips(scenery.model, robot, start, s.grip)
    simulator = fast_simulator(
        scenery.model,
        (*feet.touching, *scenery.touching, *points),
        ground,
        servo_of(s, robot) if cascade is None else cascade.servo,
        StepOptions(
            theta=s.theta,
            tolerance=s.tolerance,
            seed=s.seed,
            sticking=s.contact.solver == "auto",
        ),
        stops=stops_of(s, robot),
        couplings=couplings,
        penalty=law_of(s),
    )
    return simulator, simulator.at(start)


def law_of(scenario: Scenario) -> PenaltyLaw | None:
    """Return the law of penalty contact, or None if contact is exact."""
    c = scenario.contact
    if c.kind != "penalty":
        return None
    return PenaltyLaw(c.kp, c.kv, scenario.sole.friction, c.epsilon)


def choose_soles(scenario: Scenario, robot: RobotModel, folder: Path) -> Soles:
    """Return the left sole and, unless it is the mirror image, the right one."""
    choice = scenario.sole
    if scenario.contact.points == "corners":
        return corner_sole(robot, choice.thickness, material_of(choice)), None
    if choice.file is not None:
        right = None if choice.right_file is None else load_condensed(folder / choice.right_file)
        return load_condensed(folder / choice.file), right
    return condense(pad_of(choice, robot), material_of(choice), element=choice.element), None


def pad_of(choice: SoleChoice, robot: RobotModel) -> SoleMesh:
    """Return the mesh of a pad with the outline of the left foot."""
    from sole.mesh import mesh_foot

    return mesh_foot(robot.left.shape(choice.thickness), choice.size, choice.size)


def material_of(choice: SoleChoice) -> Material:
    """Return the material of a pad."""
    return Material(
        young_modulus=choice.young, poisson_ratio=choice.poisson, density=choice.density
    )
