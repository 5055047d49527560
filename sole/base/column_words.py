"""Columns of a table in words, for axes and titles of figures: no identifiers."""

from __future__ import annotations

import re

__all__ = ["as_title", "name_in_words", "raised"]

LONGEST = 46  # letters of an axis label


def name_in_words(name: str, sentence: str) -> str:
    """Return a short name of a column: its `sentence`, the first clause of it, or its own words.

    "k_z_z" with "foot stiffness: vertical" is that sentence; "waist_tilt" with a longer one is
    "waist tilt"; the ending "_100_hz" is "below 100 Hz".
    """
    clause = re.split(r"[,;:] ", sentence)[0]
    for words in (sentence, clause):
        if 2 < len(words) <= LONGEST and words[0].isalpha() and "|" not in words:
            return words
    return re.sub(r" (\d+) hz$", r" below \1 Hz", name.replace("_", " "))


def as_title(sentence: str) -> str:
    """Return a sentence with a capital letter and raised exponents."""
    text = raised(sentence)
    return text[:1].upper() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def raised(text: str) -> str:
    """Return a text with m² for m^2."""
    return text.replace("^2", "²").replace("^3", "³")
