"""Faults on purpose: an environment that fails, delays or repeats where a test says so."""
