"""Suites: many tasks, seeds and configurations worked as one table that goes on where it was stopped."""
