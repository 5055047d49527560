"""Kernels of numba that are lowered once and become machine code where Python calls them.

A call from another kernel links the `Part`; a call from Python makes a `LinkedProgram` of it. Both
are kept on disk (`sole.base.compiled.cache`). `linking_works` says whether this numba is one whose
inner parts are known; with any other, kernels are compiled as numba does by itself.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numba
import numba.core.callwrapper
import numba.core.compiler
import numba.core.environment
import numba.core.types
from numba.core import dispatcher, event, registry, targetconfig
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import ForceLiteralArg, TypingError
from numba.core.sigutils import normalize_signature as numba_signature

from sole.base.compiled.by_place import declared
from sole.base.compiled.own_names import number_functions
from sole.base.compiled.parts import (
    LinkedProgram,
    environments,
    is_kernel,
    name_kernel,
    parts_made,
)
from sole.base.compiled.stamp import digest
from sole.base.compiled.twins import as_kernel, lower_kernels, twin
from sole.base.compiled.units import load_units, set_apart

KNOWN = "0.68."  # versions of numba whose inner parts this was written for
CPUDispatcher: Any = registry.CPUDispatcher  # numba is half annotated
ConfigStack: Any = targetconfig.ConfigStack
FunctionCompiler: Any = vars(dispatcher)["_FunctionCompiler"]
Environment: Any = numba.core.environment.Environment
PyCallWrapper: Any = numba.core.callwrapper.PyCallWrapper
compiler: Any = numba.core.compiler
types: Any = numba.core.types
normalize_signature: Any = numba_signature

number_functions()
lower_kernels()


def linking_works() -> bool:
    """Whether kernels can be linked: numba's inner parts are those that are known."""
    return str(numba.__version__).startswith(KNOWN)


class _Lowerer(FunctionCompiler):  # type: ignore[misc]
    """Lowers a function, without wrappers for calls from Python or C and without machine code.

    Whether Python's lock is released matters to those wrappers alone (`_program`). Without it here,
    numba's own functions that kernels of both kinds call are lowered once.
    """

    def _customize_flags(self, flags: Any) -> Any:
        flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = True
        flags.release_gil = False
        return flags


class LinkedKernel(CPUDispatcher):  # type: ignore[misc]
    """A function that kernels link and that Python calls as machine code."""

    def __init__(self, plain: Any, locals: Any = None, targetoptions: Any = None) -> None:
        super().__init__(plain, locals, targetoptions)
        self._compiler: Any = _Lowerer(
            plain, self.targetdescr, self.targetoptions, self.locals, compiler.Compiler
        )
        self._parts: dict[tuple[Any, ...], Any] = {}
        name_kernel(self)

    def compile(self, sig: Any) -> Any:
        """Return what to call: machine code, or inside of another compilation a key of the part."""
        with global_compiler_lock:
            args, return_type = normalize_signature(sig)
            if ConfigStack.top_or_none() is not None:
                return self._part(args, return_type).entry_point
            if (known := self.overloads.get(args)) is not None:
                return known.entry_point
            if not self._can_compile:
                raise RuntimeError("compilation disabled")
            result = self._cache.load_overload(sig, self.targetctx)
            if result is None:
                from sole.base.compiled.less_work import garbage_left, work_less

                work_less()  # imports half of numba: nothing for what is loaded
                self._cache_misses[sig] += 1
                told = event.trigger_event("numba:compile", data=self._told(args, return_type))
                with told, garbage_left():
                    result = self._program(self._part(args, return_type))
                self._cache.save_overload(sig, result)
            else:
                self._cache_hits[sig] += 1
            self.add_overload(result)
            return result.entry_point

    def _part(self, args: tuple[Any, ...], return_type: Any) -> Any:
        """Return the lowered function, which other kernels find by its `entry_point`."""
        if args in self._parts:
            return self._parts[args]
        result = self._cache.load_part(args, self.targetctx)
        if result is None:
            other = twin(self._parts, args)
            with as_kernel(self.py_func, other):
                result = self._lowered(args, return_type)
            if result.library.is_in_circle:  # its callers would have to be linked with it
                raise TypeError(f"{self.py_func.__qualname__}: kernels cannot call in a circle")
            if other is None or result.library is not other.library:
                set_apart(result.library, result.fndesc, self._cache.file_name(args, ""))
            self._cache.save_part(args, result)
        result = result._replace(entry_point=_Key())
        self.targetctx.insert_user_function(result.entry_point, result.fndesc, [result.library])
        self._parts[args] = result
        return result

    def _lowered(self, args: tuple[Any, ...], return_type: Any) -> Any:
        from sole.base.compiled.less_work import errors_without_sizes

        with (
            self._compiling_counter,
            event.trigger_event("numba:compile", data=self._told(args, return_type)),
            parts_made(self.targetctx.codegen()),
            errors_without_sizes(),
        ):
            try:
                return self._compiler.compile(args, return_type)
            except ForceLiteralArg as error:
                raise error.bind_fold_arguments(
                    lambda args, kws: self._compiler.fold_argument_types(args, kws)[1]
                ) from None

    def _program(self, part: Any) -> Any:
        """Return machine code of a lowered function, which Python can call."""
        from sole.base.compiled.unboxed import lent

        described = copy(part.fndesc)
        door = "D" + digest(*part.signature.args)[:12]  # twins are one function, not one door
        described.env_name += f".{door}"  # its constants are not those of the function
        environment = Environment.from_fndesc(described)
        flags = compiler.Flags()
        self.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        context = compiler._make_subtarget(self.targetctx, flags).subtarget(
            environment=environment, fndesc=described
        )
        load_units(part.library)
        library = LinkedProgram(context.codegen(), part.library.name, part.library)
        nogil = bool(self.targetoptions.get("nogil"))
        # Where what the wrapper calls is noted.
        with context.push_code_library(library), lent(described.restype):
            module = context.create_module("wrapper")
            callee = declared(context, module, described, described.llvm_func_name)
            described.mangled_name += door
            PyCallWrapper(
                context, module, callee, described, environment, call_helper=None, release_gil=nogil
            ).build()
            library.add_ir_module(module)
        entry = context.get_executable(library, described, environment)
        for address in library._dynamic_globals:
            if is_kernel(address):  # of a part from disk it may be that of another process
                raise TypeError(f"{self.py_func.__qualname__}: a kernel cannot be a value")
        for used in environments([library]):
            library.codegen.set_env(used.env_name, used)
        return part._replace(
            entry_point=entry,
            library=library,
            fndesc=described,
            environment=environment,
            type_annotation="",
            reload_init=list(library._reload_init),
        )

    def address(self, args: tuple[Any, ...]) -> int:
        """Return where the function itself is, behind the door for Python."""
        self.compile(args)
        door = self.overloads[args]
        name = door.fndesc.mangled_name.rpartition("D")[0]  # as `_program` made it
        return int(door.library.codegen._engine._ee.get_function_address(name))

    def _told(self, args: tuple[Any, ...], return_type: Any) -> dict[str, Any]:
        return {"dispatcher": self, "args": args, "return_type": return_type}

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Return how a kernel calls this one: constants are numbers like others if that will do.

        numba lowers a function anew for every constant that it is called with.
        """
        if kws or not any(isinstance(one, types.Literal) for one in args):
            return super().get_call_template(args, kws)
        try:
            return super().get_call_template(tuple(map(_plain, args)), kws)
        except (ForceLiteralArg, TypingError):  # as an index of a tuple it must be a constant
            return super().get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """Return the key of a part, for kernels that call it."""
        args, _ = normalize_signature(sig)
        return self._parts[tuple(args)].entry_point

    @property
    def nopython_signatures(self) -> list[Any]:
        """What it has been compiled for."""
        return [result.signature for result in {**self.overloads, **self._parts}.values()]


def _plain(kind: Any) -> Any:
    """Return the type of numbers that a constant is one of; other types as they are."""
    return types.unliteral(kind) if isinstance(kind, types.Literal) else kind


class _Key:
    """What numba finds a lowered function by."""
