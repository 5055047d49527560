"""Penalty contact by input-output feedback linearisation [RengifoEtAl2009].

The modules of this folder:

    law            kp, kv, mu, epsilon, and the forces that the law returns
    space          a mechanism as its contacts feel it: W = D^T A^-1 D and b
    forces         equations (17)-(20): penalty forces of one state or of many
    ball, brick    a bouncing ball and a sliding brick in closed form
    vertices       a free rigid body on contact vertices: A, H, D, B
    events         integration of piecewise smooth laws, stopped at every switch
    dropping       a point mass dropped on any normal law; spring_damper: the classical laws
    box_run        the body on vertices from event to event
    false_impacts  the same as a simulator steps it, and the epsilon that prevents false impacts

See docs/penalty.md.
"""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.papers.penalty.ball import (
        BallMotion,
        BouncingBall,
        contact_time,
        peak_acceleration,
        restitution,
        turn_time,
    )
    from contact.papers.penalty.box_run import (
        VertexRun,
        compute_vertex_forces,
        run_with_events,
    )
    from contact.papers.penalty.brick import (
        Brick,
        Slide,
        integrate_slide,
    )
    from contact.papers.penalty.dropping import (
        Drop,
        NormalLaw,
        drop,
    )
    from contact.papers.penalty.events import (
        SwitchedTrajectory,
        check_times,
        integrate_switched,
    )
    from contact.papers.penalty.false_impacts import (
        ramp_overshoot,
        release_overshoot,
        run_in_steps,
    )
    from contact.papers.penalty.forces import (
        desired_accelerations,
        penalty_forces,
        penalty_history,
        required_forces,
        required_forces_of_states,
        saturate_forces,
    )
    from contact.papers.penalty.law import PenaltyForces, PenaltyLaw
    from contact.papers.penalty.law_kernels import law_forces
    from contact.papers.penalty.space import ContactSpace
    from contact.papers.penalty.spring_damper import (
        HuntCrossley,
        Linearised,
        SpringDamper,
    )
    from contact.papers.penalty.vertices import (
        VertexBody,
        VertexDynamics,
        VertexState,
    )
else:
    # Later: at once, `sole walk` would import 156 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "BallMotion",
    "BouncingBall",
    "Brick",
    "ContactSpace",
    "Drop",
    "HuntCrossley",
    "Linearised",
    "NormalLaw",
    "PenaltyForces",
    "PenaltyLaw",
    "Slide",
    "SpringDamper",
    "SwitchedTrajectory",
    "VertexBody",
    "VertexDynamics",
    "VertexRun",
    "VertexState",
    "check_times",
    "compute_vertex_forces",
    "contact_time",
    "desired_accelerations",
    "drop",
    "integrate_slide",
    "integrate_switched",
    "law_forces",
    "peak_acceleration",
    "penalty_forces",
    "penalty_history",
    "ramp_overshoot",
    "release_overshoot",
    "required_forces",
    "required_forces_of_states",
    "restitution",
    "run_in_steps",
    "run_with_events",
    "saturate_forces",
    "turn_time",
]
