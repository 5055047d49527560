"""Walks as rows of a study: what varies, what comes out, how strained the soles were."""

from typing import TYPE_CHECKING

from sole.base.lazy_door import load_later

if TYPE_CHECKING:
    from robot.studies.strains import with_strains
else:
    __getattr__ = load_later(globals())

__all__ = ["with_strains"]
