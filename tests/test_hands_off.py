"""`.ci/hands_off.py`: red on every way into another library, green on ours and on the tree."""

from __future__ import annotations

import ast
import importlib.util

import pytest


@pytest.fixture(scope="module")
def gate(root):
    """The module `.ci/hands_off.py`."""
    spec = importlib.util.spec_from_file_location("hands_off", root / ".ci" / "hands_off.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def told(gate):
    """What the gate says of a program."""

    def look(program: str) -> list[str]:
        tree = ast.parse(program)
        return [words for _, words in gate.reaches(tree, gate.own_names([tree]), {"beside"})]

    return look


RED = {
    "attribute of a module": (
        "import numba\nnumba.config.OPT = 3",
        "an assignment to numba.config.OPT",
    ),
    "of a class": (
        "from numba.core.ccallback import CFunc\ndef f():\n    CFunc.compile = None",
        "an assignment to numba.core.ccallback.CFunc.compile",
    ),
    "under another name": (
        "import matplotlib.artist as m\nkind = m.Artist\nkind.set = 1",
        "an assignment to matplotlib.artist.Artist.set",
    ),
    "imported later": (
        "from importlib import import_module\nvtk = import_module('vtkmodules')\nvtk.find = len",
        "an assignment to vtkmodules.find",
    ),
    "by annotation": (
        "import matplotlib as m\nartist: object = m.artist\nartist.kwdoc = len",
        "an assignment to matplotlib.artist.kwdoc",
    ),
    "one of two": ("import scipy\nx, scipy.y = 1, 2", "an assignment to scipy.y"),
    "added to": ("import scipy\nscipy.count += 1", "an assignment to scipy.count"),
    "of a loop": ("import scipy\nfor scipy.x in (1,): pass", "an assignment to scipy.x"),
    "deleted": ("import scipy\ndel scipy.linalg", "an assignment to scipy.linalg"),
    "setattr": ("import typer\nsetattr(typer.core.Group, name, 1)", "setattr on typer.core.Group"),
    "vars": (
        "import numpy as np\nvars(np).setdefault('f2py', 1)",
        "an entry in the namespace of numpy",
    ),
    "vars by key": ("import numpy as np\nvars(np)['x'] = 1", "an entry in the namespace of numpy"),
    "__dict__": (
        "import h5py\nh5py.File.__dict__['x'] = 1",
        "an entry in the namespace of h5py.File",
    ),
    "private module": (
        "from numba.core._rest import x",
        "the private name _rest of numba.core._rest",
    ),
    "private import": ("from typer import _hidden", "the private name _hidden of typer"),
    "private attribute": ("import vtk\nvtk._find()", "the private name _find of vtk"),
    "private, of the same name as ours": (
        "import vtk\ndef _find(): pass\nvtk._find()",
        "the private name _find of vtk",
    ),
    "private, of an object": (
        "def f(figure):\n    return figure._dpi",
        "the private name _dpi of another package",
    ),
    "private, set on an object": (
        "def f(figure):\n    figure._dpi = 1\n    return figure._dpi",
        "the private name _dpi of another package",
    ),
    "private, by getattr": (
        "def f(option):\n    return getattr(option, '_param', None)",
        "the private name _param of another package",
    ),
    "private, in a namespace": (
        "def f(figure):\n    vars(figure)['_dpi'] = 1",
        "the private name _dpi of another package",
    ),
    "private, of Python": (
        "import threading\nthreading._shutdown()",
        "the private name _shutdown of another package",
    ),
    "sys.modules": ("import sys\nsys.modules['x'] = 1", "an entry in sys.modules"),
    "sys.modules, left": ("import sys\ndel sys.modules['x']", "an entry in sys.modules"),
    "sys.modules, many": ("import sys\nsys.modules.update(x=1)", "an entry in sys.modules"),
    "sys.modules, imported": (
        "from sys import modules as m\nm.pop('x')",
        "an entry in sys.modules",
    ),
    "sys.modules, called otherwise": (
        "import sys\nloaded = sys.modules\nloaded['x'] = 1",
        "an entry in sys.modules",
    ),
    "what sys.modules holds": (
        "import sys\nsys.modules['pyvista'].x = 1",
        "an assignment to pyvista.x",
    ),
}


@pytest.mark.parametrize("kind", RED)
def test_each_way_in_is_refused(told, kind):
    program, words = RED[kind]
    assert words in told(program)


GREEN = {
    "an object of theirs": "import pyvista\np = pyvista.Plotter()\np.background_color = 'w'",
    "our own": "class A:\n    def f(self):\n        self._x = 1\n        return self._x",
    "another of ours": "class A:\n    _kept = 1\ndef f(a):\n    return a._kept",
    "our module": "from sole.base import errors\nerrors.x = 1",
    "a script beside": "import beside\nbeside.QUICK = True",
    "public names of tuples": "def f(t):\n    return t._replace(a=1)",
    "an argument of the same name": "import scipy\ndef f(scipy):\n    scipy.x = 1",
    "reading sys.modules": "import sys\nx = 'numpy' in sys.modules",
    "a hook of Python's": "import sys\nsys.excepthook = print",
    "documented settings": "import matplotlib\nmatplotlib.rcParams['font.size'] = 9",
    "dunders": "import numba\nnumba.__version__",
}


@pytest.mark.parametrize("kind", GREEN)
def test_what_is_ours_or_public_passes(told, kind):
    assert told(GREEN[kind]) == []


@pytest.mark.nightly  # `make lint` runs the same
def test_the_tree_is_clean(gate, root):
    assert gate.check(root) == []


def test_a_file_that_reaches_in_is_named_with_its_line(gate, tmp_path):
    file = tmp_path / "sole" / "pictures" / "lean.py"
    file.parent.mkdir(parents=True)
    file.write_text("import matplotlib\n\nmatplotlib.kwdoc = str\n", encoding="utf-8")
    assert gate.check(tmp_path, ("sole",)) == [
        "sole/pictures/lean.py:3: an assignment to matplotlib.kwdoc"
    ]


def test_lint_calls_it(root):
    assert "check python .ci/hands_off.py" in (root / ".ci" / "check").read_text(encoding="utf-8")
