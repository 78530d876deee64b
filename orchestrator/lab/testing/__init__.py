"""For tests of crews: worlds with a hand, decisions replaced by script, runs that can be asserted on.

The pytest plugin, `orchestrator/lab/testing/pytest_plugin.py`, gives all of it as fixtures; nothing here needs pytest.
"""
