"""The journal of a run: every event once, in order, with the screenshots that are kept."""
