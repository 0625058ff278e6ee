"""Every option, stated once: flags, Python keywords, checks, model headers and ``--help`` follow from these tables.

`spec`       how a field is declared, parsed and checked
`learning`   `LearnOptions`: how to learn
`text`       `TextOptions`: how text becomes features
`losses`     the losses by name
`conflicts`  options that contradict each other
`run`        the options of a run: files, passes, progress; those of one command each, and where the work is done
`bandit`     `BanditOptions`: how to decide
`methods`, `members`, `views`  the tables of learners, members of the committee, and views of a row
`vw_flags`   what becomes of each flag of Vowpal Wabbit

Imports neither numpy nor numba: ``sonlearn --help`` must answer at once.
"""

from sonlearn.options.bandit import BanditOptions
from sonlearn.options.learning import LearnOptions
from sonlearn.options.run import RunOptions
from sonlearn.options.text import TextOptions

__all__ = ["BanditOptions", "LearnOptions", "RunOptions", "TextOptions"]
