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
import numba.core.caching
import numba.core.codegen
import numba.core.environment
import numba.core.runtime
from llvmlite import ir

from sole.base.compiled.borrowed import without_counts
from sole.base.compiled.straight_lines import tidied
from sole.base.compiled.unused import drop_unused

Cache: Any = vars(numba.core.caching)["Cache"]  # of numba's own functions that are kept on disk
JITCodeLibrary: Any = numba.core.codegen.JITCodeLibrary  # numba is half annotated
lookup_environment: Any = numba.core.environment.lookup_environment
rtsys: Any = vars(numba.core.runtime)["rtsys"]
ENVIRONMENT = "_ZN08NumbaEnv"  # how names of environments begin
ADDRESS = "numba.dynamic.globals."  # names of addresses of Python objects
LARGE = 220  # instructions of a part, as numba lowers it, from which on it is a unit
UNRESOLVED = ".numba.unresolved$"  # of pointers to functions that call each other in a circle


named_kernels: WeakValueDictionary[str, Any] = WeakValueDictionary()  # by addresses in modules


def name_kernel(kernel: Any) -> None:
    """Note the name that numba gives the address of a kernel which another one names."""
    named_kernels[f"{ADDRESS}{id(kernel):x}"] = kernel


def is_kernel(name: str) -> bool:
    """Whether an address in a module is that of a kernel; the second in a module ends in `.1`."""
    return ADDRESS + name[len(ADDRESS) :].partition(".")[0] in named_kernels


class Part(JITCodeLibrary):  # type: ignore[misc]
    """Functions as they were lowered, and what they call; optimised only where they are linked.

    Counts of references that they do not need are gone already.
    """

    _program: Any = None
    _bitcode: bytes | None = None  # of the module, which changes no more
    _shared_module: Any
    _final_module: Any
    size = 0  # instructions, as numba lowers them
    symbol = ""  # of its function, if it becomes machine code apart from its callers
    file = ""  # then how names of its files begin
    need: Any  # loads the units that a part needs (`sole.base.compiled.units`)

    def add_ir_module(self, module: Any) -> None:
        """Add the functions of a module, without what nobody uses."""
        drop_unused(module)
        self.size += sum(len(block.instructions) for f in module.functions for block in f.blocks)
        super().add_ir_module(module)

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Add nothing from now on."""
        self._raise_if_finalized()
        if self.size < LARGE:  # a large part has its own arrays, and is linked once
            self._final_module = without_counts(self._final_module, self._codegen._pass_builder())
        self._finalize_dynamic_globals()
        self._finalized = True

    @property
    def is_in_circle(self) -> bool:
        """Whether what it calls calls it, by an address that is found where all are linked."""
        names = (value.name for value in self._final_module.global_variables)
        return any(name.startswith(UNRESOLVED) for name in names)

    def bitcode(self) -> bytes:
        """Return the module as LLVM's bytes; every kernel that calls it keeps them with its own."""
        if self._bitcode is None:
            self._bitcode = self._final_module.as_bitcode()
        return self._bitcode

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
            self.need(self)
            self._program = LinkedProgram(self._codegen, self.name, self)
        return int(self._program.get_pointer_to_function(name))


class LinkedProgram(JITCodeLibrary):  # type: ignore[misc]
    """Machine code of a part and of all that it calls."""

    def __init__(self, codegen: Any, name: str, part: Part) -> None:
        super().__init__(codegen, name)
        self.part = part
        self.enable_object_caching()

    def _optimize_functions(self, module: Any) -> None:
        module.data_layout = self._codegen._data_layout  # they are optimised with the rest

    def finalize(self) -> None:
        """Link, optimise and make machine code; what is apart must be there already."""
        self._codegen._check_llvm_bugs()
        self._raise_if_finalized()
        libraries = [] if self.part.symbol else linked_with(self.part)
        link(self._final_module, libraries)
        for library in self._linking_libraries:  # of its wrapper
            _link(self._final_module, library)
        for library in (*libraries, *self._linking_libraries):
            self._reload_init.update(library._reload_init)
        self._keep_recursive()
        if self.part.symbol:  # nothing but the door for Python, which only passes arguments on
            tidied(self._final_module, self._codegen._pass_builder())
        else:
            self._optimize_final_module()
        self._final_module.verify()
        self._finalize_final_module()

    def _keep_recursive(self) -> None:
        """Keep functions that are called by address, as functions of numba's in a circle are."""
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
    return _reached(library, beyond_apart=True)


def linked_with(part: Part) -> list[Any]:
    """Return a part and all that is linked with it: what it calls, without what is apart."""
    found = _reached(part, beyond_apart=False)
    return [one for one in found if one is part or not _is_apart(one)]


def apart_from(part: Part) -> list[Part]:
    """Return the parts that are apart and that a part, or what is linked with it, calls."""
    found = _reached(part, beyond_apart=False)
    return [one for one in found if one is not part and _is_apart(one)]


def _is_apart(library: Any) -> bool:
    return isinstance(library, Part) and library.symbol != ""


def _reached(library: Any, *, beyond_apart: bool) -> list[Any]:
    found: list[Any] = []
    seen: set[Any] = set()

    def visit(one: Any) -> None:
        seen.add(one)
        if isinstance(one, Part) and (beyond_apart or one is library or not one.symbol):
            for other in one._linking_libraries:  # other libraries have linked all themselves
                if other not in seen:
                    visit(other)
        found.append(one)

    visit(library)
    return found[::-1]


def link(module: Any, libraries: list[Any]) -> None:
    """Link libraries into a module, of all but the first only what is called."""
    for first in libraries[:1]:
        module.link_in(first._final_module, preserve=True)
    for library in libraries[1:]:
        _link(module, library)


def _link(module: Any, library: Any) -> None:
    if isinstance(library, Part):
        module.link_in(library.copied())
    else:
        module.link_in(library._get_module_for_linking(), preserve=True)


def are_made() -> bool:
    """Whether what numba lowers now becomes parts."""
    return bool(_made)


@contextmanager
def parts_made(codegen: Any) -> Iterator[None]:
    """Let numba make parts of all that it lowers meanwhile, also of its own functions."""
    if codegen._library_class is Part:
        yield
        return
    before, set_env = codegen._library_class, codegen.set_env
    load, save = Cache.load_overload, Cache.save_overload

    def set_if_there(name: str, environment: Any) -> None:
        if codegen._engine.is_symbol_defined(name):
            set_env(name, environment)

    codegen._library_class, codegen.set_env = Part, set_if_there
    Cache.load_overload = Cache.save_overload = lambda *_: None  # no machine code to keep
    _made.append(True)
    try:
        yield
    finally:
        _made.pop()
        codegen._library_class = before
        Cache.load_overload, Cache.save_overload = load, save
        del codegen.set_env


_made: list[bool] = []
