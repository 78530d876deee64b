"""The Technician: scripts in a sandbox, whose changes are reviewed before they are made."""
