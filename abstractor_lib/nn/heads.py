"""The options of an attention as one object, which every module that makes an attention takes."""

from dataclasses import dataclass, replace
from numbers import Real

from .arguments import brief, check_flags, check_sizes, head_width, passed
from .relations import Activation, Side, check_activation


@dataclass(frozen=True)
class Heads:
    """The heads of an attention: how many, how wide, and how their inner products become relations.

    Where a module takes ``heads``, a number stands for ``Heads(number)``.

    Args:
        count: number of heads ``h``.
        key_dim: width ``k`` of a head; None for ``dim / count``, as in torch. The papers' networks
            have ``key_dim = dim`` for each head.
        value_dim: width ``v`` of a head's values; None for ``key_dim``.
        activation, over: see `relations.activate`.
        symmetric: share the query and the key projection, so that R_ij = R_ji before softmax.
        strict: no relation of an object to itself, and no biases in the query and key projections:
            the strict relational bottleneck of v3 footnote 2. Of two objects each has one relation
            left, which softmax makes 1 whatever the objects are: with pairs take another
            activation. It says nothing of the maps before the attention: a bias that is added to
            objects there, as by `AbstractorClassifier`, positions, as by `sequence_to_sequence`, or
            an encoder let single objects through.
        diagonal: keep the relations of objects to themselves (as many queries as keys); None for
            what ``strict`` says.
        bias: add biases to all projections.
        relation_bias: add biases to the query and key projections; None for ``bias``, or for what
            ``strict`` says.
        scale: factor on the inner products; None for ``key_dim ** -0.5``.
        fused: send softmax attention through torch's ``scaled_dot_product_attention`` when the
            relations are not asked for (on a CPU with dropout, where that has no fast path,
            through ours). It has no batching rule for ``torch.func.vmap``: correct there,
            but slow. On a CPU it has no second derivative, and none forward: pass False for
            ``create_graph``, ``torch.func.hessian`` and ``jvp``; and to export self-attention of
            symbols to ONNX.

    Raises:
        ValueError: for sizes below one, an unknown activation, what is neither True nor False where
            that is asked for, a ``scale`` that is no number, or if ``strict`` and ``diagonal`` or
            ``relation_bias`` contradict each other.

    Example:
        >>> heads = Heads(4, activation="sigmoid", strict=True)
        >>> heads.of(64).key_dim
        16
        >>> heads.special
        {'activation': 'sigmoid', 'strict': True}
    """

    count: int
    key_dim: int | None = None
    value_dim: int | None = None
    activation: Activation = "softmax"
    over: Side = "right"
    symmetric: bool = False
    strict: bool = False
    diagonal: bool | None = None
    bias: bool = True
    relation_bias: bool | None = None
    scale: float | None = None
    fused: bool = True

    def __post_init__(self):
        check_sizes(heads=self.count)
        check_sizes(**passed(key_dim=self.key_dim, value_dim=self.value_dim))
        check_activation(self.activation, self.over)
        flags = ("symmetric", "strict", "diagonal", "bias", "relation_bias", "fused")
        check_flags(**passed(**{name: getattr(self, name) for name in flags}))
        if self.scale is not None and (
            not isinstance(self.scale, Real) or isinstance(self.scale, bool)
        ):
            raise ValueError(f"scale is {brief(self.scale)}; expected a number, or None")
        for name in ("diagonal", "relation_bias"):
            if self.strict and getattr(self, name):
                raise ValueError(f"{name} is True; with strict expected False, or nothing")

    def of(self, dim: int) -> "Heads":
        """The same with nothing left None, of an attention between ``dim`` features."""
        key_dim = head_width(dim, self.count, self.key_dim)
        written = {
            "key_dim": key_dim,
            "value_dim": key_dim,
            "diagonal": not self.strict,
            "relation_bias": self.bias and not self.strict,
            "scale": key_dim**-0.5,
        }
        return replace(self, **written | passed(**{name: getattr(self, name) for name in written}))

    @property
    def plain(self) -> "Heads":
        """As many heads, of the same widths, of ordinary softmax attention."""
        return Heads(self.count, self.key_dim, self.value_dim, bias=self.bias, fused=self.fused)

    @property
    def special(self) -> dict[str, object]:
        """The options in which they differ from `plain` ones."""
        own, plain = vars(self), vars(self.plain)
        return {name: own[name] for name in own if own[name] != plain[name]}


def as_heads(heads: Heads | int, dim: int) -> Heads:
    """`Heads` from an argument that may be their number, with nothing left None.

    Example:
        >>> as_heads(4, 64) == as_heads(Heads(4, key_dim=16), 64)
        True
    """
    return (heads if isinstance(heads, Heads) else Heads(heads)).of(dim)
