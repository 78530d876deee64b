"""One run from its start to its report: opened, resumed, answered, replayed, kept free of secrets."""
