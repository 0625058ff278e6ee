"""Options of a cluster, which several verbs have. Imports neither numpy nor numba."""

from __future__ import annotations

import dataclasses

from sonlearn.errors import OptionError
from sonlearn.options.spec import option


@dataclasses.dataclass(frozen=True)
class ClusterOptions:
    """Where the work of a verb is done, if not in this process."""

    cluster: str | None = option(
        None, "share the files out: tcp://HOST:PORT, a Dask scheduler; local: workers here (needs dask)",
        metavar="ADDRESS",
    )  # fmt: skip
    workers: int | None = option(
        None, "with --cluster: learners of partitions of the data, and workers of local (default: one for each core "
        "here, or worker there)", parse=int, low=1, high=1024, metavar="N",
    )  # fmt: skip
    rounds: int | None = option(
        None, "with --cluster: merge the learners so many times (default: after 8 parts each, 16 at least)",
        parse=int, low=1, high=100_000, metavar="R",
    )  # fmt: skip

    def __post_init__(self) -> None:
        for name in ("workers", "rounds"):
            value = getattr(self, name)
            if value is not None and self.cluster is None:
                raise OptionError(f"--{name} {value}: nothing is shared out; give --cluster local, or an address")
        if self.cluster is not None and self.cluster != "local" and "://" not in self.cluster:
            raise OptionError(f"--cluster {self.cluster}: expected local, or a scheduler's address: tcp://HOST:PORT")
