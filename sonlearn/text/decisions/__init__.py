"""Text of decisions: VW's ``--cb`` and ``--cb_adf`` text, dsjson, tables, and classes as decisions.

::

    --cb K      action:cost:probability {action} [tag] | features      one line a decision, actions 1 to K
    --cb_adf    [shared [tag] | features]                              a block: one line an action, a blank line ends it
                [number:cost:probability] [tag] | features
    dsjson      {"_label_cost": c, "_label_probability": p, "_labelIndex": i, "c": {..., "_multi": [{...}, ...]}}
                or, as VW's --json has it, the members of c at the top

With ``--cb K`` further numbers name the actions that there were to choose from; without any there were all K. The
features of the shared line belong to every action. Without interactions of the user's own (``-q`` and the like), each
feature of an action also occurs multiplied with each shared one (`crossed`): else what is shared could not tell actions
apart.

Where VW reads on in silence, these are refused with line and column: a cost that is no number, a probability outside
(0, 1], an action beyond K, two costs in a decision, a shared line that is not the first of its block or has no action
after it. A malformed line refuses its whole decision.

`reader` reads sources and hands lines to the form that they have: `blocks` (VW's text), `dsjson` or `classes`; it reads
tables itself. `rows` has what the forms share: also the products of features of actions with shared ones.
"""

from sonlearn.text.decisions.reader import DecisionReader

__all__ = ["DecisionReader"]
