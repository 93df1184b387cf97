"""Features of whole trees: families of them by name, found in lists of parses by `runoff.tasks.parsing.extract`.

>>> chosen("rule,bigram"), families_of(["heavy:NP 5"])
(('rule', 'bigram'), ('heavy',))
"""

from runoff.tasks.parsing.features.families import ALL, COLLINS, LATER, chosen, counts_presence, families_of

__all__ = ["ALL", "COLLINS", "LATER", "chosen", "counts_presence", "families_of"]
