"""For tests of crews: worlds with a hand, decisions replaced by script, runs that can be asserted on.

The pytest plugin, `deskcrew/pytest_plugin.py`, gives all of it as fixtures; nothing here needs pytest.
"""
