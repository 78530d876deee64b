"""Episodes: a shipped or own task as an environment to learn and to measure in, without a crew."""
