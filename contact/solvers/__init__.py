"""Solvers of the contact problem: `solve` combines them; each also works alone."""

from contact.solvers.gauss_seidel import GaussSeidel
from contact.solvers.infeasible import DirectionCertificate, check_direction
from contact.solvers.lcp import PolyhedralLcp
from contact.solvers.newton import NewtonSolver
from contact.solvers.newton_system import fill_newton
from contact.solvers.solve_problem import check_options, solve
from contact.solvers.solver_progress import SolveProgress, show_waiting
from contact.solvers.solver_work import count_work
from contact.solvers.sticking import (
    SoleFactor,
    StickFactor,
    solve_at_rest,
)

__all__ = [
    "DirectionCertificate",
    "GaussSeidel",
    "NewtonSolver",
    "PolyhedralLcp",
    "SoleFactor",
    "SolveProgress",
    "StickFactor",
    "check_direction",
    "check_options",
    "count_work",
    "fill_newton",
    "show_waiting",
    "solve",
    "solve_at_rest",
]
