"""What can go wrong, in words a user can act on.

Every error that a user can cause derives from `SoleError`. Its message says what was got,
what was expected and what to do; the command line prints it as one line and exits with 2.
"""

from __future__ import annotations


class SoleError(ValueError):
    """Root of all errors of this project; the message is one clear line.

    A `ValueError`, so that the TOML reader can put the path of the key in front of it.
    """


class ConfigError(SoleError):
    """A TOML file or a command-line value does not describe what it should."""


class ShapeError(SoleError):
    """An outline, a solid or a thickness profile that cannot be a sole."""


class MeshError(SoleError):
    """A mesh that cannot be used: groups missing, inverted or disconnected parts."""


class MaterialError(SoleError):
    """Elastic constants outside their physical range or the range of an element."""


class SchemaError(SoleError):
    """A file that is not what was asked for, truncated, or of an unknown version."""


class ResourceError(SoleError):
    """The job needs more memory or disk than there is."""


class ConvergenceError(SoleError):
    """A result failed its own check; `best` holds the best iterate reached."""

    def __init__(self, message: str, best: object = None) -> None:
        super().__init__(message)
        self.best = best


class EquilibriumError(SoleError):
    """No state of rest exists under the load asked for; the message names the limit."""
