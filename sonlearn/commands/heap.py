"""What the C library's allocator does with memory that is freed, for a process that learns."""

from __future__ import annotations

import ctypes

#: `mallopt` of glibc: what it is asked to set, by the numbers of <malloc.h>.
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
#: Freed bytes at the end of the heap that are kept. A batch of rows as a view shows them takes 1 to 4 MB.
KEPT = 8 << 20
#: Larger blocks are mapped by themselves, and given back when they are freed.
MAPPED = 4 << 20


def keep_freed_memory() -> bool:
    """Have freed memory used again; return whether the allocator is one that can be told so (glibc's).

    Each batch allocates what the one before has freed. Left to itself, glibc gives such memory back to the system and
    asks for it again, page by page, which took a tenth of the time of a committee with two threads. One heap for all
    threads holds less than one for each, and there is next to no contention: kernels do not allocate.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # no glibc; on Windows a library has to be named
        return False
    settings = {_ARENA_MAX: 1, _TRIM_THRESHOLD: KEPT, _MMAP_THRESHOLD: MAPPED}
    return [mallopt(what, value) for what, value in settings.items()] == [1, 1, 1]
