"""The checks of `sole doctor`: Python, packages, extras, system libraries, rendering, machine.

A check that may crash (a wheel whose system library is missing, VTK without EGL) runs in its
own process.
"""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, metadata, requires, version
from pathlib import Path

from sole.base.compiled import writable_folder
from sole.base.extras import install_line
from sole.base.report import Quantity, Report
from sole.base.shadows import describe_rivals, find_rivals, mend_rivals
from sole.base.system_libraries import mending_command, missing

__all__ = ["attempt", "examine", "extras", "machine", "packages"]


PYTHON = (3, 11)

# Each prints nothing and exits with 0 if all is well.
TRIALS = {
    "gmsh": "import gmsh; gmsh.initialize(['-noenv'], interruptible=False); gmsh.finalize()",
    "pinocchio": "import pinocchio; pinocchio.Model()",
    "off-screen rendering": (
        "import pyvista; p = pyvista.Plotter(off_screen=True, window_size=(64, 64));"
        "p.add_mesh(pyvista.Sphere()); image = p.screenshot(return_img=True);"
        "assert image.std() > 0, 'the picture is empty'"
    ),
}
DISTRIBUTION_OF = {"gmsh": "gmsh", "pinocchio": "pin", "off-screen rendering": "pyvista"}


def examine() -> tuple[Report, str]:
    """Return the report and the shell command that installs what is missing ('' if nothing)."""
    lines: dict[str, Quantity] = {}
    warnings: list[str] = []
    mend: list[str] = []

    python_fits = sys.version_info >= PYTHON
    needed = ".".join(map(str, PYTHON))
    lines["python"] = Quantity(platform.python_version(), "", "" if python_fits else f">= {needed}")
    if not python_fits:
        warnings.append(f"Python >= {needed} is needed")
        mend.append(f"make PYTHON=python{needed} install")

    lacking = missing()
    names = ", ".join(library.soname for library in lacking)
    lines["system libraries"] = Quantity("missing" if lacking else "all found", "", names)
    if lacking:
        warnings.append(f"system libraries missing: {names}")
        mend.append(mending_command(lacking))

    if rivals := find_rivals():
        warnings.append(f"{describe_rivals(rivals)}: give it its own environment")
        mend.append(mend_rivals(rivals))

    installed, wrong = packages()
    lines |= installed
    if wrong:
        warnings.append(f"packages missing or too old: {', '.join(wrong)}")
        quoted = " ".join(f"'{requirement}'" for requirement in wrong)
        mend.append(f"{sys.executable} -m pip install {quoted}")

    for name, program in TRIALS.items():
        if DISTRIBUTION_OF[name] not in installed or installed[DISTRIBUTION_OF[name]].value == "-":
            continue
        outcome = attempt(program)
        lines[name if name not in lines else f"{name} works"] = Quantity(
            "no" if outcome else "yes", "", outcome
        )
        if outcome:
            warnings.append(f"{name}: {outcome}")
            if not mend:
                distribution = DISTRIBUTION_OF[name]
                mend.append(f"{sys.executable} -m pip install --force-reinstall {distribution}")

    lines |= {f"extra {name}": state for name, state in extras().items()}
    lines |= machine()
    return Report("sole doctor", lines, tuple(warnings)), " && ".join(mend)


def packages(distribution: str = "compliant-sole") -> tuple[dict[str, Quantity], list[str]]:
    """Return the version of every declared dependency and the unmet requirements.

    Extras are listed if present and never required.
    """
    from packaging.requirements import Requirement

    found: dict[str, Quantity] = {}
    wrong: list[str] = []
    try:
        lines = requires(distribution) or []
    except PackageNotFoundError:
        return {distribution: Quantity("-", "", "not installed")}, [distribution]
    for line in lines:
        requirement = Requirement(line)
        extra = requirement.marker is not None and "extra" in str(requirement.marker)
        if requirement.name == distribution:
            continue
        try:
            present = version(requirement.name)
        except PackageNotFoundError:
            if not extra:
                found[requirement.name] = Quantity("-", "", f"missing, needed {line}")
                wrong.append(line)
            continue
        fits = requirement.specifier.contains(present, prereleases=True)
        remark = "optional" if extra else ""
        found[requirement.name] = Quantity(present, "", remark if fits else f"needed {line}")
        if not fits:
            wrong.append(f"{requirement.name}{requirement.specifier}")
    return dict(sorted(found.items())), wrong


def extras(distribution: str = "compliant-sole") -> dict[str, Quantity]:
    """Return "installed" or "absent: <the command that installs it>" for every declared extra.

    An extra is absent if one of its packages is missing; the remark says how many are.
    """
    from packaging.requirements import Requirement

    try:
        names = metadata(distribution).get_all("Provides-Extra") or []
        declared = [Requirement(line) for line in requires(distribution) or []]
    except PackageNotFoundError:
        return {}
    found = {}
    for extra in sorted(names):
        needed = [
            r.name
            for r in declared
            if r.marker is not None
            and r.marker.evaluate({"extra": extra})
            and not r.marker.evaluate({"extra": ""})
        ]
        lacking = sorted({name for name in needed if not _is_installed(name)})
        if not needed:
            found[extra] = Quantity(f"not for Python {platform.python_version()}")
        elif lacking:
            few = lacking[0] if len(needed) == 1 else f"{len(lacking)} of {len(needed)} packages"
            found[extra] = Quantity(f"absent: {install_line(extra)}", "", f"lacks {few}")
        else:
            found[extra] = Quantity("installed")
    return found


def _is_installed(distribution: str) -> bool:
    try:
        version(distribution)
    except PackageNotFoundError:
        return False
    return True


def attempt(program: str, timeout: float = 180.0) -> str:
    """Run a Python program in its own process; return '' if it succeeds, else the reason."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {timeout:g} s"
    if done.returncode == 0:
        return ""
    if done.returncode < 0:
        return f"ended by {signal.Signals(-done.returncode).name}"
    said = done.stderr.strip().splitlines()
    return said[-1] if said else f"exit code {done.returncode}"


def machine() -> dict[str, Quantity]:
    """Return the machine's processor, threads, memory and folder of machine code."""
    import psutil

    GiB = 2.0**30
    memory = psutil.virtual_memory()
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    threads = os.environ.get("OPENBLAS_NUM_THREADS") or os.environ.get("OMP_NUM_THREADS")
    folder = writable_folder()
    return {
        "processor": Quantity(_processor()),
        "threads": Quantity(
            allowed, "", f"limited to {threads} by the environment" if threads else ""
        ),
        "memory": Quantity(round(memory.total / GiB, 1), "GiB"),
        "memory free": Quantity(round(memory.available / GiB, 1), "GiB"),
        "machine code": Quantity(
            str(folder) if folder else "no folder to write to",
            "",
            "" if folder else "kernels are compiled again in every run; set NUMBA_CACHE_DIR",
        ),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
