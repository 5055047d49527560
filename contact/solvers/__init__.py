"""Solvers of the contact problem: `solve` combines them; each also works alone."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.solvers.affine import StickBase, StickRun
    from contact.solvers.affine_kernels import RunArrays, open_run, solve_maps, sum_fields
    from contact.solvers.gauss_seidel import (
        NEGLECTED,
        SHARED,
        GaussSeidel,
        generator_state,
    )
    from contact.solvers.infeasible import DirectionCertificate, check_direction
    from contact.solvers.lcp import PolyhedralLcp
    from contact.solvers.newton import NewtonSolver
    from contact.solvers.newton_system import fill_newton
    from contact.solvers.pack_kernels import Pack, make_pack
    from contact.solvers.resting_points import solve_at_rest
    from contact.solvers.sole_factor import SoleFactor, forget_parts
    from contact.solvers.solve_problem import check_options, solve
    from contact.solvers.solve_soles_kernels import SolvedSoles, solve_nothing
    from contact.solvers.solve_step_kernels import solve_step_soles
    from contact.solvers.solver_progress import SolveProgress, show_waiting
    from contact.solvers.solver_work import count_work
    from contact.solvers.step_contacts_kernels import keep_lost
    from contact.solvers.step_sweeps import SweptSoles, sweep_step
    from contact.solvers.sticking import StickFactor
    from contact.solvers.stubborn_contacts import settle_stubborn
    from contact.solvers.velocity_sweeps import SoleStiffness, no_stiffness
    from contact.solvers.velocity_sweeps_kernels import StiffnessArrays, find_held_bodies
else:
    # Later: at once, `sole info PRESS` would import 34 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "NEGLECTED",
    "SHARED",
    "DirectionCertificate",
    "GaussSeidel",
    "NewtonSolver",
    "Pack",
    "PolyhedralLcp",
    "RunArrays",
    "SoleFactor",
    "SoleStiffness",
    "SolveProgress",
    "SolvedSoles",
    "StickBase",
    "StickFactor",
    "StickRun",
    "StiffnessArrays",
    "SweptSoles",
    "check_direction",
    "check_options",
    "count_work",
    "fill_newton",
    "find_held_bodies",
    "forget_parts",
    "generator_state",
    "keep_lost",
    "make_pack",
    "no_stiffness",
    "open_run",
    "settle_stubborn",
    "show_waiting",
    "solve",
    "solve_at_rest",
    "solve_maps",
    "solve_nothing",
    "solve_step_soles",
    "sum_fields",
    "sweep_step",
]
