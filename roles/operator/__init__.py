"""The Operator: the twelve stages between a subtask and its report. Source: seed 000."""
