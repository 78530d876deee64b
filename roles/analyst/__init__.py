"""The Analyst: reads what is known and answers, with sums that are computed and not guessed."""
