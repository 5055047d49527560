"""The errors of the project, with messages that a user can act on.

Every error that a user can cause derives from `SoleError`. Its message says what was got, what
was expected and what to do; the command line prints it as one line and exits with code 2.
"""

from __future__ import annotations

__all__ = [
    "ConfigError",
    "ConvergenceError",
    "EquilibriumError",
    "LinearRangeWarning",
    "MaterialError",
    "MeshError",
    "ResourceError",
    "SchemaError",
    "ShapeError",
    "SoleError",
]


class SoleError(ValueError):
    """Base class of all errors of this project; the message is one line.

    A `ValueError`, so that the TOML reader can prefix the path of the key.
    """


class ConfigError(SoleError):
    """A TOML file or a command-line value is invalid."""


class ShapeError(SoleError):
    """An outline, a solid or a thickness profile that cannot be a sole."""


class MeshError(SoleError):
    """A mesh that cannot be used: groups missing, inverted or disconnected parts."""


class MaterialError(SoleError):
    """Elastic constants outside their physical range or the range of an element."""


class SchemaError(SoleError):
    """A file of the wrong kind, truncated, or of an unknown version."""


class ResourceError(SoleError):
    """The job needs more memory or disk than is available."""


class ConvergenceError(SoleError):
    """A result failed its own check; `best` holds the best iterate reached."""

    def __init__(self, message: str, best: object = None) -> None:
        super().__init__(message)
        self.best = best


class EquilibriumError(SoleError):
    """No equilibrium exists under the given load; the message names the limit."""


class LinearRangeWarning(UserWarning):
    """A sole deforms beyond linear elasticity; the commands print it as a remark of their own."""
