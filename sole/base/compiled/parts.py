"""Machine code of whole programs: LLVM optimises a kernel with all that it calls, once.

numba makes machine code of every function that a kernel calls, and optimises each of them again in
every caller. Of functions that Python never calls nobody needs it. Here they stay `Part`s, as numba
lowered them, and are linked into a `LinkedProgram` for each kernel that Python does call:

    step_fused, called from Python      a LinkedProgram: linked, optimised, machine code
      step_stuck_soles                  a Part, linked into all Programs that call it
        solve_maps                      a Part
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakValueDictionary

import llvmlite.binding as ll  # type: ignore[import-untyped]
import numba.core.codegen
import numba.core.environment
import numba.core.runtime
from llvmlite import ir

from sole.base.compiled.borrowed import without_counts

JITCodeLibrary: Any = numba.core.codegen.JITCodeLibrary  # numba is half annotated
lookup_environment: Any = numba.core.environment.lookup_environment
rtsys: Any = vars(numba.core.runtime)["rtsys"]
ENVIRONMENT = "_ZN08NumbaEnv"  # how names of environments begin
ADDRESS = "numba.dynamic.globals."  # names of addresses of Python objects
UNRESOLVED = ".numba.unresolved$"  # and of pointers to functions that call themselves


named_kernels: WeakValueDictionary[str, Any] = WeakValueDictionary()  # by addresses in modules


def name_kernel(kernel: Any) -> None:
    """Note the name that numba gives the address of a kernel which another one names."""
    named_kernels[f"{ADDRESS}{id(kernel):x}"] = kernel


class Part(JITCodeLibrary):  # type: ignore[misc]
    """Functions as they were lowered, and what they call; optimised only where they are linked.

    Counts of references that they do not need are gone already.
    """

    _program: Any = None
    _shared_module: Any
    _final_module: Any

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Add nothing from now on."""
        self._raise_if_finalized()
        self._final_module = without_counts(self._final_module, self._codegen._pass_builder())
        self._finalize_dynamic_globals()
        self._finalized = True

    def copied(self) -> Any:
        """Return a copy of the module, to be linked into others: what is not called is left out."""
        self._ensure_finalized()
        module = self._final_module.clone()
        for function in module.functions:
            if not function.is_declaration and function.linkage == ll.Linkage.external:
                function.linkage = "linkonce_odr"
        return module

    def _get_module_for_linking(self) -> Any:
        """Return this and all that it calls as one module, for libraries of numba's own."""
        if self._shared_module is None:
            module = self.copied()
            for library in called_by(self)[1:]:
                _link(module, library)
            self._shared_module = module
        return self._shared_module

    def get_pointer_to_function(self, name: str) -> int:
        """Return a function's address; only what is defined here is made machine code of."""
        if all(f.name != name or f.is_declaration for f in self._final_module.functions):
            return 0
        if self._program is None:
            self._program = LinkedProgram(self._codegen, self.name, self)
        return int(self._program.get_pointer_to_function(name))


class LinkedProgram(JITCodeLibrary):  # type: ignore[misc]
    """Machine code of a part and of all that it calls."""

    def __init__(self, codegen: Any, name: str, part: Part) -> None:
        super().__init__(codegen, name)
        self._part = part
        self.enable_object_caching()

    def finalize(self) -> None:
        """Link, optimise and make machine code."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        libraries = called_by(self._part)
        self._final_module.link_in(self._part._final_module, preserve=True)
        for library in libraries[1:]:
            _link(self._final_module, library)
        for library in libraries:
            self._reload_init.update(library._reload_init)
        self._keep_recursive()
        self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def _keep_recursive(self) -> None:
        """Keep functions that are called by address, as those that call themselves are."""
        for pointer in self._final_module.global_variables:
            if pointer.name.startswith(UNRESOLVED):
                self._final_module.get_function(
                    pointer.name[len(UNRESOLVED) :]
                ).linkage = "weak_odr"

    def serialize_using_object_code(self) -> tuple[str, str, tuple[bytes, bytes]]:
        """Return the machine code, with a module of its names alone: nobody links programs."""
        self._ensure_finalized()
        names = ir.Module(self.name)
        names.triple = self._final_module.triple
        for function in self._final_module.functions:
            if not function.is_declaration:
                empty = ir.Function(names, ir.FunctionType(ir.VoidType(), ()), function.name)
                ir.IRBuilder(empty.append_basic_block()).ret_void()
        for value in self._final_module.global_variables:
            if value.name.startswith(ENVIRONMENT) and not value.is_declaration:
                ir.GlobalVariable(names, ir.IntType(8), value.name).initializer = ir.IntType(8)(0)
        bitcode = ll.parse_assembly(str(names)).as_bitcode()
        return self.name, "object", (self._get_compiled_object(), bitcode)


def environments(libraries: list[Any]) -> list[Any]:
    """Return the environments of the functions in some libraries, of those that have a module."""
    names = {value.name for one in libraries for value in one._final_module.global_variables}
    found = [lookup_environment(name) for name in sorted(names) if name.startswith(ENVIRONMENT)]
    return [one for one in found if one is not None and one.can_cache()]


def called_by(library: Any) -> list[Any]:
    """Return a library and all that it calls, callers before what they call.

    LLVM links of a part only what has been called before.
    """
    found: list[Any] = []
    seen: set[Any] = set()

    def visit(one: Any) -> None:
        seen.add(one)
        if isinstance(one, Part):  # others have linked all themselves
            for other in one._linking_libraries:
                if other not in seen:
                    visit(other)
        found.append(one)

    visit(library)
    return found[::-1]


def stored(part: Part) -> list[tuple[str, bytes]] | None:
    """Return name and bitcode of a part and of all that it calls; None if it must not be kept."""
    libraries = [one for one in called_by(part) if one is not rtsys.library]
    for one in libraries:
        if not isinstance(one, Part) or one._reload_init:
            return None
        if not all(name in named_kernels for name in one._dynamic_globals):
            return None
    return [(one.name, one._final_module.as_bitcode()) for one in libraries]


def restored(codegen: Any, content: list[tuple[str, bytes]]) -> Part:
    """Return the part that `stored` made this of; what two parts call is restored once."""
    libraries = [_restored(codegen, name, bitcode) for name, bitcode in content]
    if not libraries[0]._linking_libraries:
        libraries[0]._linking_libraries = [rtsys.library, *reversed(libraries[1:])]
    return libraries[0]


def _restored(codegen: Any, name: str, bitcode: bytes) -> Part:
    if (known := _known.get(bitcode)) is not None:
        return known
    part = _known[bitcode] = Part(codegen, name)
    part._final_module = ll.parse_bitcode(bitcode)
    part._finalized = True
    return part


_known: dict[bytes, Part] = {}


def _link(module: Any, library: Any) -> None:
    if isinstance(library, Part):
        module.link_in(library.copied())
    else:
        module.link_in(library._get_module_for_linking(), preserve=True)


@contextmanager
def parts_made(codegen: Any) -> Iterator[None]:
    """Let numba make parts of all that it lowers meanwhile, also of its own functions."""
    if codegen._library_class is Part:
        yield
        return
    before, set_env = codegen._library_class, codegen.set_env

    def set_if_there(name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            set_env(name, environment)

    codegen._library_class, codegen.set_env = Part, set_if_there
    try:
        yield
    finally:
        codegen._library_class = before
        del codegen.set_env
