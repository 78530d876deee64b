"""Settings in layers, and the one place in which their words become environments, policies and sources."""
