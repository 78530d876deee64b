"""A run as one page that opens anywhere. `data.py` says what is known of a run; a live desk shows the same data."""
