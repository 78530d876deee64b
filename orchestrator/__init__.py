"""The orchestrator. Its names for users are those of `deskcrew`."""
