"""Contact problems and solutions as files of FCLIB; solvers compared on a folder of them."""

from contact.fclib.bench import (
    Runner,
    SolverComparison,
    SolverRow,
    find_problems,
    judge_outcome,
    our_solvers,
    run_bench,
)
from contact.fclib.bench_report import (
    check_outputs,
    show_bench,
    write_outputs,
    write_tables,
)
from contact.fclib.fclib_file import (
    FclibFile,
    read_fclib,
    save_problem,
)
from contact.fclib.solution_archive import (
    SolutionRecord,
    load_solution,
    save_solution,
)
from contact.fclib.solve_fclib import solve_file

__all__ = [
    "FclibFile",
    "Runner",
    "SolutionRecord",
    "SolverComparison",
    "SolverRow",
    "check_outputs",
    "find_problems",
    "judge_outcome",
    "load_solution",
    "our_solvers",
    "read_fclib",
    "run_bench",
    "save_problem",
    "save_solution",
    "show_bench",
    "solve_file",
    "write_outputs",
    "write_tables",
]
