"""Named tuples: `typing.NamedTuple`, made in a third of the time. A run makes 80 classes of them.

They have an attribute of instances beside: `sonlearn.jit.stored` remembers with a tuple of arrays which types it has.
Copies and files do not have it.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; importing typing takes longer than all else here
if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple
else:
    import collections

    class _Maker(type):
        """Makes a named tuple where a class is derived from `NamedTuple`."""

        def __new__(cls, name, bases, space):
            if not bases:
                return super().__new__(cls, name, bases, space)
            types = space.get("__annotations__", {})
            defaults = [space.pop(field) for field in types if field in space]
            base = collections.namedtuple(name, types, defaults=defaults, module=space["__module__"])
            return type(name, (base,), {"__getstate__": _no_state, **space})

    def _no_state(self):
        """What is pickled beside the items."""

    class NamedTuple(metaclass=_Maker):
        """What classes are derived from."""
