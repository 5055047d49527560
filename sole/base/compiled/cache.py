"""Machine code on disk: one file for each kernel, argument types and processor.

    FOLDER/contact.step.look_kernels.looked-<digest>.nbc

The digest is that of the kernel's stamp (`sole.base.compiled.stamp`), its argument types and the
processor. So no file ever is out of date, and processes never disturb each other: they write the
same file, each under a name of its own, and rename it. A file that cannot be read or written is as
good as none: the kernel is compiled.

numba's own cache notices edits of the kernel's file only, wants to write where it reads, and lets
two processes overwrite each other's index.
"""

from __future__ import annotations

import contextlib
import io
import pickle
import sys
import warnings
from typing import Any

from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.compiler import compile_result as numba_result
from numba.core.environment import Environment as NumbaEnvironment
from numba.core.environment import _rebuild_env
from numba.core.errors import NumbaWarning
from numba.core.runtime.nrt import rtsys as runtime
from numba.core.serialize import dumps as numba_dumps

from sole.base.compiled.checked_files import read_checked, write_checked
from sole.base.compiled.checked_files import writable as _writable
from sole.base.compiled.folders import code_folders
from sole.base.compiled.kept_parts import restored, stored
from sole.base.compiled.parts import called_by, environments
from sole.base.compiled.processor import processor
from sole.base.compiled.stamp import described, digest, stamp_of
from sole.base.compiled.units import Unit, add_units, units_below

dumps: Any = numba_dumps  # half annotated
rtsys: Any = runtime
Environment: Any = NumbaEnvironment
rebuild_environment: Any = _rebuild_env
rebuild: Any = CompileResult._rebuild
compile_result: Any = numba_result
SUFFIX = ".nbc"
HASHES = b"_numba_hashsecret"  # symbols that numba makes when it learns to compile hashes
PART = ".part"  # lowered, to be linked
DESCRIBED = ("fndesc", "environment", "signature", "objectmode", "lifted", "referenced_envs")


class _Unpickler(pickle.Unpickler):
    """Reads machine code without importing the parts of numba that its functions come from."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what pickle asks for, but for numba's way to environments ours."""
        if (module, name) == ("numba.core.environment", "_rebuild_env"):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: Any, name: str) -> Any:
    """Return an environment of a compiled function: it reads the constants alone.

    Only code in object mode, which there is none of here, looks into the module.
    """
    if module in sys.modules or not module.startswith("numba."):
        return rebuild_environment(module, constants, name)
    kept = Environment._memo.get(name)
    if kept is not None:
        return kept
    made = Environment({"__name__": module})
    made.consts[:] = constants
    made.env_name = name
    Environment._memo[name] = made
    return made


class KernelCache(_Cache):
    """What numba asks for machine code of one kernel."""

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        plain = kernel.py_func
        self._name = f"{plain.__module__}.{plain.__qualname__}".replace("<locals>.", "")
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder that is written to."""
        folder = _writable()
        return None if folder is None else str(folder)

    def enable(self) -> None:
        """Use the disk."""
        self._enabled = True

    def disable(self) -> None:
        """Leave the disk alone."""
        self._enabled = False

    def flush(self) -> None:
        """Forget this kernel's machine code in the folder that is written to."""
        folder = _writable()
        for file in () if folder is None else folder.glob(f"{self._name}-*"):
            file.unlink(missing_ok=True)

    def file_name(self, types: Any, suffix: str = SUFFIX) -> str | None:
        """Return the name of the file for these argument types; None if there can be none."""
        try:
            stamp = stamp_of(self._kernel)
            key = digest(stamp, described(types), processor())
        except TypeError:
            return None
        return f"{self._name}-{key[:20]}{suffix}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled function of these argument types, or None.

        Machine code needs numba's runtime alone. All that numba can compile is imported, in a third
        of a second, when something has to be compiled.
        """
        rtsys.initialize(target_context)
        name = self.file_name(sig) if self._enabled else None
        for file in [] if name is None else [folder / name for folder in code_folders()]:
            content = read_checked(file)
            if content is None:
                continue
            if HASHES in content:
                target_context.refresh()
            try:
                units, reduced = _Unpickler(io.BytesIO(content)).load()
                add_units(target_context.codegen(), (Unit(*unit) for unit in units))
                return rebuild(target_context, *reduced)
            except Exception as error:  # whatever is wrong with it, compiling it is right
                warnings.warn(f"{file}: not usable, {error!r}", NumbaWarning, stacklevel=2)
        return None

    def load_part(self, sig: Any, target_context: Any) -> Any:
        """Return the lowered function of these argument types, or None."""
        target_context.refresh()
        name = self.file_name(sig, PART) if self._enabled else None
        for file in [] if name is None else [folder / name for folder in code_folders()]:
            content = read_checked(file)
            if content is None:
                continue
            try:
                libraries, *described = pickle.loads(content)
                library = restored(target_context.codegen(), libraries)
                return compile_result(
                    **dict(zip(DESCRIBED, described, strict=True)), library=library
                )
            except Exception as error:  # whatever is wrong with it, lowering it is right
                warnings.warn(f"{file}: not usable, {error!r}", NumbaWarning, stacklevel=2)
        return None

    def save_part(self, sig: Any, data: Any) -> None:
        """Keep a lowered function."""
        folder = _writable()
        name = self.file_name(sig, PART) if self._enabled else None
        libraries = None if folder is None or name is None else stored(data.library)
        if folder is None or name is None or libraries is None:
            return
        data.fndesc.typemap = data.fndesc.calltypes = None  # numba does so, too: they are large
        data = data._replace(referenced_envs=environments(called_by(data.library)))
        described = [getattr(data, name) for name in DESCRIBED]
        with contextlib.suppress(OSError):
            write_checked(folder / name, dumps((libraries, *described)))

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function."""
        folder = _writable()
        name = self.file_name(sig) if self._enabled else None
        if folder is None or name is None or data.library.has_dynamic_globals:
            return
        with contextlib.suppress(OSError):  # a full disk must not stop a run
            units = [tuple(unit) for unit in units_below(data.library)]
            write_checked(folder / name, dumps((units, data._reduce())))
