"""Walks as rows of a study: what varies, what comes out, how strained the soles were."""

from robot.studies.strains import with_strains

__all__ = ["with_strains"]
