"""The controller: a table of situations and signals, the hub that follows it, and threads. Imports no interface."""
