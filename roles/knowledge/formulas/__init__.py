"""Formulas over what is known: typed values, exact arithmetic, and the language in which they are written."""
