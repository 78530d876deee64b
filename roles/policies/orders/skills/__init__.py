"""Ten skills over widgets, one small machine each."""
