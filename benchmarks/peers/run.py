"""Other contact solvers on the same W, for comparison: Pinocchio's and Siconos'.

Each runs in a process of its own, since Pinocchio needs a large stack and Siconos lives in
Debian's Python (package python3-siconos). Warm start and stopping residual are ours, settings
the best of the documented ones, time that of the solve call alone: not the process, nor copying
and, for Pinocchio, not the first factor of W.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sole.base.arrays import FloatArray
from sole.base.errors import SoleError

DEBIAN = "/usr/bin/python3"
BENCHMARKS = Path(__file__).resolve().parents[1]
PLACES = (BENCHMARKS.parent, BENCHMARKS)  # where Debian's Python finds our packages and this one
MODULE: Mapping[str, str] = {
    "pinocchio-admm": "peers.pinocchio",
    "pinocchio-pgs": "peers.pinocchio",
    "siconos-nsgs": "peers.siconos",
    "siconos-nsn-ac": "peers.siconos",
}
PEERS = tuple(MODULE)
BUDGET = 60.0  # [s] per peer and problem: no new call begins after it


@dataclass(frozen=True, eq=False, kw_only=True)
class PeerRun:
    """What a peer returned.

    Parameters
    ----------
    reactions : (K, 3), our order.
    iterations, seconds : of the call that met the tolerance, or of the best.
    settings : the variant of its settings that was the fastest.
    tolerance : what the peer was asked for, so that our residual met ours.
    """

    reactions: FloatArray
    iterations: int
    seconds: float
    settings: str
    tolerance: float


def missing(name: str) -> str | None:
    """Return why peer `name` cannot run here; None if it can."""
    if name not in MODULE:
        raise SoleError(f"peer '{name}' is unknown; known are {', '.join(PEERS)}")
    if name.startswith("pinocchio"):
        if importlib.util.find_spec("pinocchio") is None:
            return "pinocchio is not installed: pip install 'compliant-sole[robots]'"
        return None
    return None if _siconos() else "Siconos is not installed: apt-get install python3-siconos"


def run_peer(
    name: str,
    W: FloatArray,
    q: FloatArray,
    mu: FloatArray,
    start: FloatArray | None = None,
    tolerance: float = 1e-6,
    *,
    budget: float = BUDGET,
) -> PeerRun:
    """Solve u = W r + q with a peer until our natural map is below `tolerance`, or its best.

    Parameters
    ----------
    W : (3K, 3K), order (t1, t2, n).
    q : (3K,) or (K, 3).
    mu : (K,).
    start : warm start (K, 3); None: zero.
    budget : [s], after which no new call begins; a call that never ends is stopped at four times.

    Raises
    ------
    SoleError
        The peer is missing, crashed, or never returned.
    """
    reason = missing(name)
    if reason is not None:
        raise SoleError(reason)
    W, q = np.asarray(W, dtype=float), np.asarray(q, dtype=float).ravel()
    rho, size = 1.0 / (float(np.trace(W)) / len(W) or 1.0), float(np.linalg.norm(q)) or 1.0
    force = rho * size  # forces are measured in this unit
    r = np.zeros(len(q)) if start is None else np.asarray(start, dtype=float).ravel() / force
    with tempfile.TemporaryDirectory(prefix="peer-") as folder:
        source, target = Path(folder, "problem.npz"), Path(folder, "result.npz")
        np.savez(
            source,
            name=np.array(name),
            W=W * rho,
            q=q / size,
            mu=np.asarray(mu, dtype=float),
            start=r,
            tolerance=tolerance,
            budget=budget,
        )
        failure = _run(name, source, target, 4 * budget)
        if not target.exists():
            raise SoleError(f"{name} returned nothing: {failure or 'no reason given'}")
        with np.load(target) as found:
            return PeerRun(
                reactions=found["r"].reshape(-1, 3) * force,
                iterations=int(found["iterations"]),
                seconds=float(found["seconds"]),
                settings=str(found["settings"]),
                tolerance=float(found["tolerance"]),
            )


def _run(name: str, source: Path, target: Path, limit: float) -> str:
    """Run the process of a peer on one thread; return what went wrong, '' if nothing."""
    python = sys.executable if name.startswith("pinocchio") else DEBIAN
    one = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    environment = {
        **os.environ,
        **one,
        "PYTHONPATH": os.pathsep.join(map(str, PLACES)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    try:
        done = subprocess.run(
            [python, "-m", MODULE[name], str(source), str(target)],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=limit,
        )
    except subprocess.TimeoutExpired:
        return f"stopped after {limit:.0f} s"
    last = (done.stderr.strip().splitlines() or [""])[-1]
    return "" if done.returncode == 0 else f"exit code {done.returncode}; {last}"


@functools.cache
def _siconos() -> bool:
    """Return whether Debian's Python has Siconos."""
    if not Path(DEBIAN).exists():
        return False
    program = "import siconos.numerics"
    done = subprocess.run([DEBIAN, "-c", program], capture_output=True, check=False)
    return done.returncode == 0
