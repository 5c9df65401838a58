"""Heads that are evaluated one at a time, by a controller that also decides when to stop.

v1 section 5 proposes "serial evaluation as directed by a controller" of attention heads and builds
none. Here a *reader* answers from the relations of whichever heads have been evaluated, and a
*controller* reads the same and picks the next head, or stops.

A set of heads has a number: head ``k`` counts 2^k. So 0 is no head, and ``2^K - 1`` are all.

Shapes: ``b`` batch, ``K`` heads, ``f`` entries of a head's relations, ``S`` = 2^K sets of heads,
``o`` outputs.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .arguments import Device, DType, check_sizes
from .feedforward import MLP

MOST_HEADS = 12  # whose sets are enumerated


def subsets(heads: int) -> Tensor:
    """Which heads are in each set of heads, bool ``(S, K)``, by the sets' numbers.

    Raises:
        ValueError: for fewer than one head, or more than 12.

    Example:
        >>> subsets(2).int().tolist()
        [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    check_sizes(heads=heads)
    if heads > MOST_HEADS:
        raise ValueError(f"heads is {heads}; allowed: 1 to {MOST_HEADS}, whose sets are enumerated")
    return torch.arange(2**heads)[:, None] >> torch.arange(heads) & 1 == 1


class _ReadsHeads(nn.Module):
    """A network of the relations of some heads, zero where a head is not evaluated, of which heads
    are, and of what else is known."""

    every: Tensor

    def __init__(
        self,
        heads: int,
        entries: int,
        hidden: Sequence[int],
        more: int,
        out: int,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__()
        check_sizes(heads=heads, entries=entries)
        self.heads, self.entries = heads, entries
        sizes = [heads * entries + heads + more, *hidden, out]
        self.network = MLP(sizes, device=device, dtype=dtype)
        self.register_buffer("every", subsets(heads).to(device), persistent=False)

    def read(self, relations: Tensor, evaluated: Tensor | None, *more: Tensor) -> Tensor:
        """``(b, out)``, or ``(b, S, out)`` for every set of heads where none is given."""
        if relations.shape[-2:] != (self.heads, self.entries):
            raise ValueError(
                f"relations has shape {tuple(relations.shape)}; "
                f"expected (b, {self.heads}, {self.entries})"
            )
        if evaluated is None:
            evaluated = self.every  # (S, K)
            relations = relations.unsqueeze(-3)  # (b, 1, K, f)
            more = tuple(one.unsqueeze(-2) for one in more)
        elif evaluated.dtype != torch.bool or evaluated.shape[-1] != self.heads:
            raise ValueError(
                f"evaluated is {evaluated.dtype} of shape {tuple(evaluated.shape)}; "
                f"expected bool (b, {self.heads})"
            )
        seen = (relations * evaluated.unsqueeze(-1)).flatten(-2)  # (b, K f) or (b, S, K f)
        parts = (seen, evaluated.to(seen.dtype), *more)
        size = seen.shape[:-1]
        wide = [part.expand(*size, part.shape[-1]) for part in parts]
        return self.network(torch.cat(wide, dim=-1))


class AnytimeReader(_ReadsHeads):
    """Answers from the relations of any set of heads.

    Args:
        heads: ``K``.
        entries: of the relations of a head, ``f``.
        hidden: widths of the network's hidden layers.
        classes: outputs ``o``.
        device, dtype: of the parameters.

    Returns:
        ``forward(relations, evaluated)``: ``(b, K, f)`` and bool ``(b, K)`` -> ``(b, o)``. Without
        ``evaluated``, the outputs for every set of heads, ``(b, S, o)``.

    Raises:
        ValueError: for sizes below one, and when called with other shapes or types.

    Source: ours; v1 section 5 asks for a reader of serially evaluated heads and describes none.

    Example:
        >>> reader = AnytimeReader(heads=4, entries=3, hidden=[8])
        >>> relations = torch.ones(5, 4, 3)
        >>> reader(relations, torch.zeros(5, 4, dtype=torch.bool)).shape, reader(relations).shape
        (torch.Size([5, 1]), torch.Size([5, 16, 1]))
    """

    def __init__(
        self,
        heads: int,
        entries: int,
        hidden: Sequence[int],
        classes: int = 1,
        *,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__(heads, entries, hidden, 0, classes, device, dtype)

    def forward(self, relations: Tensor, evaluated: Tensor | None = None) -> Tensor:
        return self.read(relations, evaluated)


class HeadController(_ReadsHeads):
    """Picks the next head, or stops, from the relations of the heads evaluated so far.

    One network serves all prices of a head: it also reads the logarithm of the price.

    Args:
        heads, entries, hidden, device, dtype: as of `AnytimeReader`.

    Returns:
        ``forward(relations, price, evaluated)``: ``(b, K, f)``, ``(b,)`` and bool ``(b, K)`` ->
        probabilities ``(b, K + 1)`` of each head and, last, of stopping. A head that has been
        evaluated has probability zero. Without ``evaluated``, for every set of heads,
        ``(b, S, K + 1)``.

    Raises:
        ValueError: for sizes below one, and when called with other shapes or types.

    Source: ours; the "controller" of v1 section 5.

    Example:
        >>> controller = HeadController(heads=2, entries=3, hidden=[8])
        >>> every = torch.ones(1, 2, dtype=torch.bool)
        >>> controller(torch.ones(1, 2, 3), torch.tensor([0.1]), every).tolist()
        [[0.0, 0.0, 1.0]]
    """

    def __init__(
        self,
        heads: int,
        entries: int,
        hidden: Sequence[int],
        *,
        device: Device = None,
        dtype: DType = None,
    ):
        super().__init__(heads, entries, hidden, 1, heads + 1, device, dtype)

    def forward(self, relations: Tensor, price: Tensor, evaluated: Tensor | None = None) -> Tensor:
        logits = self.read(relations, evaluated, price.log().unsqueeze(-1))
        known = self.every if evaluated is None else evaluated
        done = torch.cat([known, torch.zeros_like(known[..., :1])], dim=-1)
        return logits.masked_fill(done, -torch.inf).softmax(dim=-1)


def with_order(policy: Tensor, order: Sequence[int] | None) -> Tensor:
    """The same decisions when to stop, with another choice of the next head.

    Args:
        policy: probabilities for every set of heads, ``(b, S, K + 1)``, the last that of stopping.
        order: of all heads, of which the first that is left is next; None draws the next from all
            that are left, each as likely.

    Returns:
        ``(b, S, K + 1)``.

    Raises:
        ValueError: if ``order`` does not name every head once.

    Example:
        >>> policy = torch.tensor([[[0.6, 0.2, 0.2], [0, 0.5, 0.5], [0.5, 0, 0.5], [0, 0, 1]]])
        >>> with_order(policy, [1, 0])[0, 0].tolist()
        [0.0, 0.800000011920929, 0.20000000298023224]
    """
    heads = policy.shape[-1] - 1
    left = (~subsets(heads)).to(policy)  # (S, K)
    if order is None:
        shares = left / left.sum(dim=-1, keepdim=True).clamp(min=1)
    else:
        if sorted(order) != list(range(heads)):
            raise ValueError(f"order is {list(order)}; expected each of {heads} heads once")
        places = torch.tensor([list(order).index(k) for k in range(heads)]).to(policy)
        following = (places + heads * (1 - left)).argmin(dim=-1)  # (S,)
        shares = nn.functional.one_hot(following, heads).to(policy) * left
    stop = policy[..., -1:]
    return torch.cat([(1 - stop) * shares.to(policy.device), stop], dim=-1)


def expected_cost(policy: Tensor, errors: Tensor) -> tuple[Tensor, Tensor]:
    """Exact means over all that a policy may do: its error, and the heads that it evaluates, of
    whoever starts with each set of heads evaluated.

    Nothing is drawn. The gradient of ``error + price * heads`` is the policy gradient without its
    variance. It costs 2^K steps, so it is for few heads.

    Args:
        policy: ``(b, S, K + 1)``, the last probability that of stopping, 1 where no head is left.
        errors: of an answer from each set of heads, ``(b, S)``.

    Returns:
        ``(b, S)`` and ``(b, S)``; number 0 is of whoever starts with none. Heads that are evaluated
        at the start are not counted.

    Raises:
        ValueError: if the sets of heads differ in number.

    Example:
        >>> policy = torch.tensor([[[0.5, 0.5], [0.0, 1.0]]])  # of one head
        >>> expected_cost(policy, torch.tensor([[1.0, 0.0]]))
        (tensor([[0.5000, 0.0000]]), tensor([[0.5000, 0.0000]]))
    """
    heads = policy.shape[-1] - 1
    if errors.shape[-1] != 2**heads or policy.shape[-2] != 2**heads:
        raise ValueError(
            f"policy has shape {tuple(policy.shape)} and errors {tuple(errors.shape)}; "
            f"expected (b, {2**heads}, {heads + 1}) and (b, {2**heads})"
        )
    found: dict[int, tuple[Tensor, Tensor]] = {}
    for chosen in reversed(range(2**heads)):
        # V(S) = pi(stop | S) error(S) + sum_k pi(k | S) (price + V(S with k))
        error = policy[..., chosen, -1] * errors[..., chosen]
        used = torch.zeros_like(error)
        for k in range(heads):
            if not chosen >> k & 1:
                more, further = found[chosen | 1 << k]
                share = policy[..., chosen, k]
                error, used = error + share * more, used + share * (1 + further)
        found[chosen] = error, used
    errors, used = (
        torch.stack([found[chosen][part] for chosen in range(2**heads)], dim=-1) for part in (0, 1)
    )
    return errors, used


def walk(following: Tensor, stop: Tensor) -> Tensor:
    """The set of heads from which each example is answered, when decisions are certain.

    Args:
        following: the next head in every set of heads, ``(b, S)``.
        stop: whether to stop there, bool ``(b, S)``; all heads stop in any case.

    Returns:
        Numbers of sets, ``(b,)``.

    Example:
        >>> following = torch.tensor([[1, 1, 0, 0]])  # head 1, then head 0
        >>> walk(following, torch.tensor([[False, False, True, True]])).tolist()
        [2]
    """
    chosen = torch.zeros(len(following), 1, dtype=torch.int64, device=following.device)
    for _ in range(following.shape[1].bit_length() - 1):
        head = following.gather(1, chosen)
        chosen = torch.where(stop.gather(1, chosen), chosen, chosen | (1 << head))
    return chosen.squeeze(1)


@torch.no_grad()
def decide(policy: Tensor) -> Tensor:
    """The set of heads from which each example is answered, by the likelier of stopping and going
    on, and then the likeliest head: ``(b, S, K + 1) -> (b,)``.

    Example:
        >>> policy = torch.tensor([[[0.6, 0.4], [0.0, 1.0]], [[0.5, 0.5], [0.0, 1.0]]])
        >>> decide(policy).tolist()
        [1, 0]
    """
    return walk(policy[..., :-1].argmax(dim=-1), policy[..., -1] >= 0.5)
