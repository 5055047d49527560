"""Rows that note where they are worked out, take time, fail, hang, or kill who works on them.

`install` registers them as a package of its own does, for processes that tests start.
"""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import ClassVar

import numpy as np

from sole.studies import AxisQuantity, Column

OPTIONS = {"log": "", "seconds": 0.0, "fails": (), "kills": (), "hangs": (), "threads": False}
OPTIONS |= {"deaths": 1_000_000, "dies_loading": False}


class ProbeRows:
    columns: ClassVar = {"twice": Column("Pa", "2 E"), "trace": Column("m/N", "trace of C")}
    quantities: ClassVar = {"friction": AxisQuantity("", "friction", low=0.0)}
    fingerprint = None
    needs_sole = True

    def __init__(self, options, folder):
        self.options = {**OPTIONS, **options}

    def __setstate__(self, state):
        if state["options"]["dies_loading"]:
            os.kill(os.getpid(), signal.SIGKILL)
        self.__dict__.update(state)

    def begun(self, place):
        """How often a row was begun."""
        lines = Path(self.options["log"]).read_text().splitlines()
        return sum(line.split()[0] == str(place) for line in lines)

    def row(self, shared, case):
        place = case.index
        with Path(self.options["log"]).open("a") as log:
            log.write(f"{place} {os.getpid()} {threads() if self.options['threads'] else ''}\n")
        if place in self.options["kills"] and self.begun(place) <= self.options["deaths"]:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(3600.0 if place in self.options["hangs"] else self.options["seconds"])
        if place in self.options["fails"]:
            raise ZeroDivisionError("oops")
        return {
            "twice": 2 * case.young,
            "trace": float(np.trace(shared.sole.compliance)) / case.scale,
        }


def threads() -> str:
    """Threads of BLAS and of numba in this process, as in "1,1"."""
    import numba
    from threadpoolctl import threadpool_info

    blas = max(lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas")
    return f"{blas},{numba.get_num_threads()}"


def install(folder: Path) -> dict[str, str]:
    """Write the metadata of a package with these rows; return the environment that shows it."""
    info = folder / "probe_rows-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: probe-rows\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sole.rows]\nprobe = probe_rows:ProbeRows\n")
    root = Path(__file__).resolve().parent.parent
    path = [str(folder), str(root), str(root / "tests"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in path if p)}
