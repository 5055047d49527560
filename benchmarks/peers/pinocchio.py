"""Pinocchio's ADMM and PGS on a dense W; runs in a process of its own (benchmarks/peers/run.py).

Order of a contact: (t1, t2, n), as ours. Large problems overflow an ordinary stack inside
Pinocchio, so the work is done in a thread with a large one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from peers.loop import Call, run
from sole.base.arrays import FloatArray

STACK = 1 << 30  # [bytes], reserved, not touched
ITERATIONS = 20000
TOLERANCES = tuple(
    f"{kind}_{what}_tol"
    for kind in ("absolute", "relative")
    for what in ("feasibility", "complementarity")
)


def variants(problem: dict[str, Any]) -> Iterator[tuple[str, Call]]:
    """Yield the documented settings of the solver that `problem["name"]` asks for."""
    import pinocchio as pin

    kind = "ADMM" if str(problem["name"]) == "pinocchio-admm" else "PGS"
    W, q, mu, start = (problem[key] for key in ("W", "q", "mu", "start"))
    model = pin.Model()
    models, datas = pin.StdVec_ConstraintModel(), pin.StdVec_ConstraintData()
    for friction in mu:
        contact = pin.PointContactConstraintModel(model, 0)
        contact.setFriction(float(friction))
        general = pin.ConstraintModel(contact)
        models.append(general)
        datas.append(general.createData())
    operator = pin.DelassusOperatorDense(W)

    def call_with(**options: Any) -> Call:
        def call(tolerance: float) -> tuple[FloatArray, int, float]:
            settings = getattr(pin, f"{kind}SolverSettings")()
            settings.max_iterations = ITERATIONS
            for name in TOLERANCES:
                setattr(settings, name, tolerance)
            for name, value in options.items():
                setattr(settings, name, value)
            solver = getattr(pin, f"{kind}ConstraintSolver")()
            result = getattr(pin, f"{kind}SolverResult")()
            result.setConstraintImpulseGuess(start)
            begun = time.perf_counter()
            solver.solve(operator, q, models, datas, settings, result)
            seconds = time.perf_counter() - begun
            r = np.array(result.retrieveConstraintImpulses()).ravel()
            return r, int(result.iterations), seconds

        return call

    if kind == "ADMM":
        rule = pin.ADMMUpdateRule
        yield "update rule OSQP (default)", call_with()
        yield "update rule SPECTRAL", call_with(admm_update_rule=rule.SPECTRAL)
        yield "update rule LINEAR", call_with(admm_update_rule=rule.LINEAR)
    else:
        yield "over-relaxation 1 (default)", call_with()
        yield "over-relaxation 1.3", call_with(over_relaxation=1.3)


def main() -> None:
    """Run in a thread with a large stack; an exception must reach the exit code."""
    failure: list[BaseException] = []

    def work() -> None:
        try:
            run(variants)
        except BaseException as error:
            failure.append(error)

    threading.stack_size(STACK)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]


if __name__ == "__main__":
    main()
