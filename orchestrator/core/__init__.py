"""The controller: a table of situations and signals, the hub that follows it, lanes and threads. Imports no interface."""
