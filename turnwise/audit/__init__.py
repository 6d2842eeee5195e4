"""Audits: attacks on environments and verifiers that look for wrong rewards."""
