"""Shipped data: policies, tasks, worlds and help documents."""
