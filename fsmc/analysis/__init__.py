"""Facts about the graph of a policy: what can be reached, what can end, what goes round.

``Facts`` answers by state names and computes each answer when it is first asked for, in linear time and without
recursion. ``algorithms`` and ``dominators`` hold the textbook part, over numbered nodes; ``graph`` says what the moves
of a policy are.
"""

from fsmc.analysis.facts import Facts
from fsmc.analysis.graph import Move

__all__ = ["Facts", "Move"]
