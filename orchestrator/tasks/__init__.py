"""Task files: goals with worlds, limits and conditions; the judge, the oracle, and the checks of such files."""
