"""The Evaluator: gates with their evidence, and the final check."""
