"""Contact solvers side by side on a folder of FCLIB problems: ours, Pinocchio's and Siconos'.

    python benchmarks/fclib_solvers.py FOLDER [--methods auto,newton] [--peers NAME ...]
        [--tolerance 1e-8] [--budget 60] [--seed 1] [-o table.csv] [--plot profile.png] [--json]

The tables of `sole contact bench` with the solvers of others in them (`peers`): all start from
zero, the residual that judges them is ours, recomputed. Ours end by their own limits of iterations,
the others by the budget. Peers that are not installed are left out with a note.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

from peers.run import BUDGET, PEERS, missing, run_peer

from contact.fclib import (
    FclibFile,
    Runner,
    SolverComparison,
    SolverRow,
    check_outputs,
    find_problems,
    judge_outcome,
    our_solvers,
    run_bench,
    show_bench,
    write_outputs,
    write_tables,
)
from contact.problem import certify
from contact.solvers import check_options, show_waiting
from sole.base.errors import SoleError
from sole.base.memory import require_memory
from sole.base.numba_settings import set_up_numba

LARGEST = 1e9  # [bytes] of a full W that is handed to a peer
COPIES = 6  # of a full W: ours, scaled, read by the peer, its order, its factors


def peer_row(source: FclibFile, peer: str, tolerance: float, budget: float) -> SolverRow:
    """Solve one problem with a peer; judged by our residual."""
    P = source.problem
    size = 8.0 * (3.0 * P.contacts) ** 2
    require_memory(COPIES * size, f"a full W of {P.contacts} contacts for {peer}", "fewer contacts")
    if size > LARGEST:
        raise SoleError(f"a full W of {P.contacts} contacts takes {size / 1e9:.2g} GB: left out")
    W = P.operator.dense()
    found = run_peer(peer, W, P.offset, P.friction, None, tolerance, budget=budget)
    residual = certify(P, found.reactions).natural_map
    return SolverRow(
        problem=source.path.name,
        contacts=source.contacts,
        solver=peer,
        iterations=found.iterations,
        seconds=found.seconds,
        residual=residual,
        outcome=judge_outcome(residual, tolerance),
        remark=found.settings,
    )


def peer_solvers(
    names: tuple[str, ...] | list[str], tolerance: float = 1e-8, budget: float = BUDGET
) -> tuple[dict[str, Runner], dict[str, str]]:
    """Return the peers that are installed, by name, and why the others are not there."""
    reasons = {name: missing(name) for name in names}
    present = {
        name: partial(peer_row, peer=name, tolerance=tolerance, budget=budget)
        for name, reason in reasons.items()
        if reason is None
    }
    return present, {name: reason for name, reason in reasons.items() if reason is not None}


def compare(arguments: argparse.Namespace) -> tuple[SolverComparison, dict[str, str]]:
    """Run all solvers on all problems; return the rows, and which peers were absent and why."""
    given = (name.strip() for name in arguments.methods.split(","))
    methods = tuple(dict.fromkeys(name for name in given if name))
    for name in methods or ("auto",):
        check_options(name, arguments.tolerance)
    if not arguments.budget > 0:
        raise SoleError(f"--budget must be positive, got {arguments.budget:g} s")
    outputs = [path for path in (arguments.output, arguments.plot) if path is not None]
    check_outputs(outputs)
    files = find_problems(arguments.folder)
    theirs, absent = peer_solvers(arguments.peers, arguments.tolerance, arguments.budget)
    with show_waiting("comparing", show=not arguments.json, unit="solve") as progress:
        result = run_bench(
            files,
            {**our_solvers(methods, arguments.tolerance, arguments.seed), **theirs},
            tolerance=arguments.tolerance,
            progress=progress,
            keep=lambda part: write_tables(part, outputs),
        )
    write_outputs(result, outputs)
    return result, absent


def main(words: list[str] | None = None) -> SolverComparison:
    """Parse the command line, compare, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path, help="with problems (*.hdf5, *.h5)")
    parser.add_argument(
        "--methods", default="auto,gauss-seidel,newton,interior-point", help="ours, with commas"
    )
    parser.add_argument(
        "--peers", nargs="*", default=list(PEERS), help=f"of {', '.join(PEERS)} (all installed)"
    )
    parser.add_argument(
        "--tolerance", type=float, default=1e-8, help="on the natural map over rho |q|"
    )
    parser.add_argument("--budget", type=float, default=BUDGET, help="s per peer and problem")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the contacts")
    parser.add_argument("--output", "-o", type=Path, help="table .csv")
    parser.add_argument("--plot", type=Path, help="performance profile .png")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    arguments = parser.parse_args(words)
    result, absent = compare(arguments)
    show_bench(result, as_json=arguments.json, quiet=False)
    for name, reason in absent.items():
        print(f"missing: {name}: {reason}", file=sys.stderr)
    return result


if __name__ == "__main__":
    set_up_numba()
    try:
        main()
    except SoleError as error:
        sys.exit(f"error: {error}")
