"""Start one command and say what it took: the small parent that a measured process needs.

    python -I -S bench/launch.py '{"command": [...], "cores": [0], "out": FILE}'

A process's peak memory begins with that of the one that starts it, so a bench with matrices in memory cannot measure a
small program; this one imports hardly anything. Prints seconds on the clock, user and system seconds, peak megabytes
and the exit status, as JSON.
"""

import json
import os
import sys
import time


def main() -> None:
    """Run the command with its standard output in a file, on the cores that are named."""
    order = json.loads(sys.argv[1])
    if order["cores"]:
        os.sched_setaffinity(0, order["cores"])
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    actions = [(os.POSIX_SPAWN_OPEN, 1, order["out"] or os.devnull, writing, 0o600)]
    begin = time.perf_counter()
    process = os.posix_spawn(order["command"][0], order["command"], os.environ, file_actions=actions)
    _, status, usage = os.wait4(process, 0)
    wall = time.perf_counter() - begin
    peak = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 1024)
    print(json.dumps([wall, usage.ru_utime, usage.ru_stime, peak, os.waitstatus_to_exitcode(status)]))


if __name__ == "__main__":
    main()
