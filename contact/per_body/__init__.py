"""Contact forces per body: the six numbers of a foot that slips, instead of three per node."""

from contact.per_body.certified_foot import CertifiedFoot, CertifiedStep
from contact.per_body.nodal_step import nodal_problem
from contact.per_body.slipping_foot import FootStep, SlippingFoot

__all__ = ["CertifiedFoot", "CertifiedStep", "FootStep", "SlippingFoot", "nodal_problem"]
