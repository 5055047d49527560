"""The elastic sole: shape, mesh, stiffness, static condensation, material sweep.

Knows no friction, no ground and no robot. Import the module you need, e.g.
``from sole.condense import condense``; importing the package itself costs nothing.
"""

__version__ = "0.1.0"
