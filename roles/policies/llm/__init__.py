"""Policies that ask a language model: what is said to it, what is made of its answers, and what it may cost."""
