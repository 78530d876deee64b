"""What the judge is made of: conditions, allowed changes, checkpoints. No role ever sees any of it."""
