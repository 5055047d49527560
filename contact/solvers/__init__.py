"""Solvers of the contact problem: `solve` combines them; each also works alone."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from contact.solvers.affine import StickBase, StickRun
    from contact.solvers.affine_kernels import RunArrays, open_run, solve_maps, sum_fields
    from contact.solvers.gauss_seidel import NEGLECTED, SHARED, GaussSeidel
    from contact.solvers.infeasible import DirectionCertificate, check_direction
    from contact.solvers.lcp import PolyhedralLcp
    from contact.solvers.newton import NewtonSolver
    from contact.solvers.newton_system import fill_newton
    from contact.solvers.resting_points import solve_at_rest
    from contact.solvers.sole_factor import SoleFactor, forget_parts
    from contact.solvers.solve_problem import check_options, solve
    from contact.solvers.solver_progress import SolveProgress, show_waiting
    from contact.solvers.solver_work import count_work
    from contact.solvers.step_sweeps import SweptSoles, sweep_step
    from contact.solvers.sticking import StickFactor
    from contact.solvers.stubborn_contacts import settle_stubborn
else:
    # Later: at once, `sole info PRESS` would import 34 modules more.
    __getattr__ = load_later(globals())

__all__ = [
    "NEGLECTED",
    "SHARED",
    "DirectionCertificate",
    "GaussSeidel",
    "NewtonSolver",
    "PolyhedralLcp",
    "RunArrays",
    "SoleFactor",
    "SolveProgress",
    "StickBase",
    "StickFactor",
    "StickRun",
    "SweptSoles",
    "check_direction",
    "check_options",
    "count_work",
    "fill_newton",
    "forget_parts",
    "open_run",
    "settle_stubborn",
    "show_waiting",
    "solve",
    "solve_at_rest",
    "solve_maps",
    "sum_fields",
    "sweep_step",
]
