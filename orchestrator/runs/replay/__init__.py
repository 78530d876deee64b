"""Runs that are worked again: what was decided is written down, taken as it was, and compared with what comes of it now."""
