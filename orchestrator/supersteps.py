"""How many super-steps LangGraph may take for one run: what the limits allow, and no run is ever stopped by it.

A graph and each subgraph in it count for themselves and are held to the same number.
"""

from __future__ import annotations

from roles.limits import Limits
from roles.operator.graph import NODES_PER_STEP


def recursion_limit(limits: Limits) -> int:
    """The larger of what the hub's graph and what one delegation can take, with room to spare."""
    return max(_of_the_hub(limits), _of_a_delegation(limits)) + 100


def _of_the_hub(limits: Limits) -> int:
    """Two for each turn of the hub: its own, and its spoke's.

    A spoke plans, fetches a supplement (after which there is a plan), checks, or works. Work ends in a plan, in a supplement
    or at a check; beside others it is interrupted after each action, and waits once for a window whenever a lane ends.
    """
    planning = 2 * (limits.plans + 1)
    checking = limits.gates + 1
    ending = planning + checking
    working = ending + limits.parallel * (ending + limits.steps)
    return 2 * (planning + checking + working)


def _of_a_delegation(limits: Limits) -> int:
    """Every round ends in an action of the run, or in a decision that asks for help; recovery may go round once more for each."""
    return NODES_PER_STEP * (limits.steps + 1) * (1 + min(limits.max_recovery_attempts, 1))
