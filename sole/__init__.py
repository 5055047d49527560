"""The elastic sole: shape, mesh, stiffness, static condensation, material sweep.

It knows no friction, no ground and no robot. Import what you need from its door, e.g.
``from sole.condense import condense``; importing the package itself costs milliseconds.
"""

from sole.base.shadows import refuse_shadows

__version__ = "0.2.0"

refuse_shadows()
