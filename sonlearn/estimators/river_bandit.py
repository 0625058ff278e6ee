"""A policy for River's bandits (extra ``river``): the arms of a contextual policy as actions with a name."""

from __future__ import annotations

from typing import Any

from river.bandit.base import ContextualPolicy

from sonlearn.errors import InputError
from sonlearn.estimators.bandit import SonlearnBandit


class SonlearnPolicy(ContextualPolicy):
    """A contextual policy for ``river.bandit``: ``pull(arm_ids, context)``, ``update(arm_id, context, reward)``.

    Arms may come and go. They have no features but their name, so each learns for itself.

    Parameters
    ----------
    explore : str
        How an arm is chosen; see `sonlearn.options.bandit.BanditOptions`.
    min_probability : float
        No arm has a probability below this share of one divided by their number.
    seed : int
        Of the choices.
    reward_obj, reward_scaler, burn_in :
        Those of River's policies; what is learned is the reward as it is, without the scaler.

    Attributes
    ----------
    bandit : SonlearnBandit
    """

    def __init__(
        self,
        explore: str = "ucb",
        min_probability: float = 0.0,
        seed: int = 0,
        reward_obj: Any = None,
        reward_scaler: Any = None,
        burn_in: int = 0,
    ):
        super().__init__(reward_obj=reward_obj, reward_scaler=reward_scaler, burn_in=burn_in)
        self.explore, self.min_probability, self.seed = explore, min_probability, seed
        self.bandit = SonlearnBandit(explore=explore, min_probability=min_probability, bandit_seed=seed)

    def _pull(self, arm_ids: list[Any], context: dict[Any, Any] | None) -> Any:
        return arm_ids[self.bandit.decide(context or {}, [_named(arm) for arm in arm_ids]).action]

    def update(self, arm_id: Any, context: dict[Any, Any] | None, *reward_args: Any, **reward_kwargs: Any) -> None:
        """Learn the reward, the first of the arguments, of an arm in a context. Raises InputError."""
        if len(reward_args) != 1:
            raise InputError("<memory>", None, None, f"{len(reward_args)} rewards", "one number")
        self.bandit.learn(context or {}, 0, float(reward_args[0]), actions=[_named(arm_id)])
        super().update(arm_id, context, *reward_args, **reward_kwargs)


def _named(arm: Any) -> dict[str, Any]:
    return {f"arm={arm}": 1.0}
