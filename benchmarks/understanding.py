"""How long the reader takes over a goal of 60 words, of every kind of sentence that it reads.

python benchmarks/understanding.py
"""

from __future__ import annotations

import statistics
import sys
import time

from roles.screen.language.reader import read

TODAY = "2026-03-02 10:30"
GOALS = (
    "Throw out all my notes except the ones about the team lunch, then archive every mail from Ann and Bob that "
    "came in last month and move the files a.txt, b.txt and c.txt to the folder Old. If invoice INV-12 is unpaid, "
    'claim it with the vendor and the amount. Otherwise, write "done" to Mina Lindgren in chat and do not save the '
    "draft of the claim, please.",
    "Which invoices of Acme are overdue? Put their numbers into a note called Overdue, and mail the two largest "
    "ones, number and total, to accounting@example.com with the subject Acme. For every invoice of Umbra Software "
    "that isn't settled, make a note with the invoice number as its title and the total in it. Postpone the "
    "supplier call by one hour and turn off all lamps in the kitchen.",
    "The printer on the third floor eats the paper and nobody has looked at it for weeks now although everybody in "
    "the house knows it. Somebody ought to tell the helpdesk what happens there every single morning, or else we "
    "shall all have to walk down to the second floor again whenever there is something to be printed, which most of "
    "us do not like at all.",
)
"""Two that are understood, and one that is not: what is refused must not take longer."""
ALLOWED = 20.0
"""Milliseconds."""


def main() -> int:
    begun = time.process_time()
    read("Open the note", TODAY)
    print(f"first call, with the lexicon  {(time.process_time() - begun) * 1000:6.1f} ms")
    worst = 0.0
    for goal in GOALS:
        times = []
        for _ in range(30):
            begun = time.process_time()
            reading = read(goal, TODAY)
            times.append((time.process_time() - begun) * 1000)
        worst = max(worst, statistics.median(times))
        words = f"{len(goal.split())} words, {'understood' if reading.understood else 'refused'}"
        print(f"{words:<29} {statistics.median(times):6.1f} ms, at most {max(times):.1f} ms")
    return int(worst > ALLOWED)


if __name__ == "__main__":
    sys.exit(main())
