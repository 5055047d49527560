"""The contact problem u = W r + q under Coulomb's law, its operators W and its certificate."""

from contact.problem.compliance_kernels import ComplianceArrays, displace_nodes
from contact.problem.compliances import Compliances
from contact.problem.delassus import (
    Delassus,
    DenseDelassus,
    Judgement,
    SparseDelassus,
    check_finite,
)
from contact.problem.delassus_kernels import (
    SoleArrays,
    compute_motions,
    compute_twists,
    compute_velocities,
    gather_forces,
    row_velocity,
    turned_block,
    velocity_at,
)
from contact.problem.law_kernels import (
    extrapolate_start,
    sum_law_residuals,
    sum_laws,
    write_start,
)
from contact.problem.problem import (
    ASYMMETRY,
    LARGEST,
    TINY,
    Problem,
    check_magnitudes,
)
from contact.problem.semidefinite import factor_is_cheap, positive_semidefinite
from contact.problem.sole_delassus import SoleDelassus
from contact.problem.solution import (
    Certificate,
    ContactStatus,
    Outcome,
    Solution,
    Solver,
    certify,
    make_certificate,
    solution_of,
)

__all__ = [
    "ASYMMETRY",
    "LARGEST",
    "TINY",
    "Certificate",
    "ComplianceArrays",
    "Compliances",
    "ContactStatus",
    "Delassus",
    "DenseDelassus",
    "Judgement",
    "Outcome",
    "Problem",
    "SoleArrays",
    "SoleDelassus",
    "Solution",
    "Solver",
    "SparseDelassus",
    "certify",
    "check_finite",
    "check_magnitudes",
    "compute_motions",
    "compute_twists",
    "compute_velocities",
    "displace_nodes",
    "extrapolate_start",
    "factor_is_cheap",
    "gather_forces",
    "make_certificate",
    "positive_semidefinite",
    "row_velocity",
    "solution_of",
    "sum_law_residuals",
    "sum_laws",
    "turned_block",
    "velocity_at",
    "write_start",
]
