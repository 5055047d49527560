"""A STEP file is read on trial by a child process before OpenCASCADE reads it here.

OpenCASCADE crashes on some damaged files. On others, whose entities refer to entities that are not
there, it reads memory of its own: the result, or an endless loop, depends on what the process did
before. It reports them on its standard output.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from sole.base.bounded_child import bounded_child
from sole.base.errors import ShapeError

SECONDS = 120  # of processor time that the child may take
_REPORT = re.compile(rb"ERR StepReaderData\s*:\s*([^*\n]*)")
_TRIAL = """
import os
import gmsh
gmsh.initialize(readConfigFiles=False, interruptible=False)
try:
    gmsh.model.occ.importShapes(sys.argv[1], format="step")
finally:
    os._exit(0)
"""


def refuse_bad_step(path: Path) -> None:
    """Raise ShapeError if OpenCASCADE crashes on a file, finds no end or reports faults in it."""
    with bounded_child(_TRIAL, [str(path)], seconds=SECONDS, stdout=subprocess.PIPE) as child:
        said = child.communicate()[0]
    reported = _REPORT.search(said)
    if child.returncode < 0:
        why = f"OpenCASCADE crashes on it or takes over {SECONDS} s, signal {-child.returncode}"
    elif reported:
        why = f"OpenCASCADE reports {b' '.join(reported[1].split()).decode(errors='replace')}"
    else:
        return
    raise ShapeError(f"{path}: not a readable STEP file ({why}); export it again")
