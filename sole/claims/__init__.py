"""Claims of papers, the experiments that test them, and the verdicts that follow from numbers.

A package adds its claims by an entry point of the group `sole.claims`, whose value is a tuple of
`Claim`; `sole reproduce` finds them there. To add one:

1. Write the experiment: a function of an `Effort` that returns `Findings`. Import heavy packages
   inside it. Several claims may share one experiment: it runs once.
2. Write the `Claim` with its criteria, into the tuple of its paper. A criterion bounds one number
   of the findings. The verdict follows from them, and nobody writes it down.
3. A claim that waits for code has `missing` in place of an experiment. One that the text leaves
   open has `undecided`. One that no number could decide has `given`: why.

See docs/results/papers.md.
"""

from sole.claims.claim import (
    FAILED,
    IN_TREND,
    NO_VERDICT,
    NOT_BUILT,
    REFUTED,
    REPRODUCED,
    UNDECIDED,
    VERDICTS,
    Claim,
    Criterion,
    Effort,
    Experiment,
    Findings,
    Paper,
)
from sole.claims.claim_tables import claims_as_json, list_claims, markdown_rows, show_outcomes
from sole.claims.registry import CLAIMS_GROUP, find_claims, known_claims
from sole.claims.reproduction import ClaimOutcome, reproduce_claims

__all__ = [
    "CLAIMS_GROUP",
    "FAILED",
    "IN_TREND",
    "NOT_BUILT",
    "NO_VERDICT",
    "REFUTED",
    "REPRODUCED",
    "UNDECIDED",
    "VERDICTS",
    "Claim",
    "ClaimOutcome",
    "Criterion",
    "Effort",
    "Experiment",
    "Findings",
    "Paper",
    "claims_as_json",
    "find_claims",
    "known_claims",
    "list_claims",
    "markdown_rows",
    "reproduce_claims",
    "show_outcomes",
]
