"""What would have become of a run had a role decided otherwise: runs forked at a decision and followed to their end."""
