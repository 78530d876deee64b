"""`deskcrew serve`: the runs of a folder, watched and worked from browsers and programs. The journals are the truth."""
