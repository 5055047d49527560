"""Walks as rows of a study: what varies, what comes out, how strained the soles were."""

__all__ = []
