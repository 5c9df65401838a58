"""What all modules do with their arguments: check them, complete them, show them in a ``repr``."""

import warnings
from collections.abc import Iterable, Iterator
from numbers import Integral, Real

import torch
from torch import Tensor, nn

Device = torch.device | str | int | None
DType = torch.dtype | None


def check_sizes(**sizes: int) -> None:
    """Raise ValueError naming the first argument that is not a positive integer.

    Example:
        >>> check_sizes(heads=2, key_dim=0)
        Traceback (most recent call last):
            ...
        ValueError: key_dim is 0; expected an integer of at least 1
    """
    for name, size in sizes.items():
        if not isinstance(size, Integral) or isinstance(size, bool) or size < 1:
            raise ValueError(f"{name} is {size!r}; expected an integer of at least 1")


def check_dropout(dropout: float) -> None:
    """Raise ValueError unless ``dropout`` is a probability below one.

    Example:
        >>> check_dropout(1.5)
        Traceback (most recent call last):
            ...
        ValueError: dropout is 1.5; expected a number in [0, 1)
    """
    if not isinstance(dropout, Real) or not 0.0 <= dropout < 1.0:
        raise ValueError(f"dropout is {dropout!r}; expected a number in [0, 1)")


def check_word(name: str, given: str, allowed: Iterable[str]) -> None:
    """Raise ValueError unless ``given`` is one of the allowed words.

    Example:
        >>> check_word("pool", "max", ("flatten", "mean"))
        Traceback (most recent call last):
            ...
        ValueError: pool is 'max'; allowed: flatten, mean
    """
    allowed = tuple(allowed)
    if given not in allowed:
        raise ValueError(f"{name} is {given!r}; allowed: {', '.join(allowed)}")


def check_features(name: str, given: Tensor, dim: int, weight: Tensor | None = None) -> None:
    """Raise ValueError unless ``given`` is ``(..., objects, dim)`` and of the weights' dtype.

    Autocast chooses dtypes itself, so under it they are not compared.

    Example:
        >>> check_features("objects", torch.zeros(2, 5), 4)
        Traceback (most recent call last):
            ...
        ValueError: objects has shape (2, 5); expected (..., objects, 4)
    """
    if given.dim() < 2 or given.shape[-1] != dim:
        raise ValueError(f"{name} has shape {tuple(given.shape)}; expected (..., objects, {dim})")
    if weight is None or given.dtype == weight.dtype:
        return
    if not given.is_floating_point() or not torch.is_autocast_enabled(given.device.type):
        raise ValueError(f"{name} has dtype {given.dtype}; expected {weight.dtype}, as the weights")


def check_mask(name: str, mask: Tensor, shape: tuple[int, ...]) -> None:
    """Raise ValueError unless ``mask`` is boolean and of the given shape.

    Example:
        >>> check_mask("key_padding_mask", torch.zeros(2, 3, dtype=torch.bool), (2, 4))
        Traceback (most recent call last):
            ...
        ValueError: key_padding_mask has shape (2, 3); expected (2, 4)
    """
    if not isinstance(mask, Tensor):
        raise ValueError(f"{name} is a {type(mask).__name__}; expected a tensor of torch.bool")
    if mask.dtype != torch.bool:
        additive = (
            "; write mask == float('-inf') for an additive mask of 0 and -inf; other biases, such "
            "as ALiBi's, are no mask: add them in a method `scores`, as RelativeBiasAttention does"
        )
        raise ValueError(
            f"{name} has dtype {mask.dtype}; expected torch.bool, True = ignore"
            f"{additive if mask.is_floating_point() else ''}"
        )
    if tuple(mask.shape) != tuple(shape):
        raise ValueError(f"{name} has shape {tuple(mask.shape)}; expected {tuple(shape)}")


def check_attn_mask(mask: Tensor, scores: tuple[int, ...]) -> None:
    """Raise ValueError unless ``mask`` is boolean and fits scores of shape ``(b, h, n, m)``: it is
    ``(n, m)``, or ``(b, h, n, m)`` of which b and h may be 1.

    Example:
        >>> check_attn_mask(torch.zeros(3, 1, dtype=torch.bool), (2, 4, 3, 3))
        Traceback (most recent call last):
            ...
        ValueError: attn_mask has shape (3, 1); expected (3, 3)
    """
    if not isinstance(mask, Tensor):
        check_mask("attn_mask", mask, scores)
    full = scores[:-2] if mask.dim() > 2 else ()
    if mask.dim() == 3 and len(full) == 2 and len(mask) == full[0] * full[1]:
        raise ValueError(
            f"attn_mask has shape {tuple(mask.shape)}; expected {tuple(scores)}; write "
            f"mask.unflatten(0, ({full[0]}, {full[1]})) for torch's (batch * heads, n, m)"
        )
    either = zip(mask.shape[:-2], full, strict=False)  # one for all, or each its own
    first = tuple(1 if own == 1 else size for own, size in either)
    check_mask("attn_mask", mask, (*(first if len(first) == len(full) else full), *scores[-2:]))


def check_batches(**shapes: tuple[int, ...]) -> None:
    """Raise ValueError unless all batch dimensions agree; what has none is the same for all.

    Example:
        >>> check_batches(query=(3,), key=(), value=(1,))
        Traceback (most recent call last):
            ...
        ValueError: value has batch dimensions (1,); expected (3,), those of query, or none
    """
    first, wanted = "", ()
    for name, shape in shapes.items():
        count = min(len(shape), len(wanted))
        if count and tuple(shape[-count:]) != tuple(wanted[-count:]):
            raise ValueError(
                f"{name} has batch dimensions {tuple(shape)}; expected {tuple(wanted)}, "
                f"those of {first}, or none"
            )
        if len(shape) > len(wanted):
            first, wanted = name, shape


def check_some(name: str, x: Tensor) -> None:
    """Raise ValueError for a tensor ``(..., m, d)`` without objects.

    Example:
        >>> check_some("entities", torch.ones(2, 0, 4))
        Traceback (most recent call last):
            ...
        ValueError: entities has shape (2, 0, 4); expected at least one object
    """
    if not x.shape[-2]:
        raise ValueError(f"{name} has shape {tuple(x.shape)}; expected at least one object")


def warn_if_shared(name: str, modules: Iterable[nn.Module]) -> None:
    """Warn if a module with weights stands in a list twice, as in ``[layer] * 2``.

    Example:
        >>> with warnings.catch_warnings(record=True) as seen:
        ...     warnings.simplefilter("always")
        ...     warn_if_shared("layers", [nn.Linear(1, 1)] * 2)
        >>> print(seen[0].message)
        layers holds the same Linear more than once, so that its weights are shared; make each \
anew if that is not meant
    """
    seen: set[int] = set()
    for module in modules:
        if id(module) in seen and any(True for _ in module.parameters()):
            warnings.warn(
                f"{name} holds the same {type(module).__name__} more than once, so that its "
                "weights are shared; make each anew if that is not meant",
                stacklevel=3,
            )
            return
        seen.add(id(module))


def parts(layers: Iterable[nn.Module]) -> Iterator[nn.Module]:
    """Layers and all they are made of, but symbols, which layers may have in common.

    Example:
        >>> layers = [nn.Sequential(nn.Linear(1, 1)), nn.Identity()]
        >>> [type(part).__name__ for part in parts(layers)]
        ['Sequential', 'Linear', 'Identity']
    """
    for layer in layers:
        for name, part in layer.named_modules():
            if "symbols" not in name.split("."):
                yield part


def passed(**arguments):
    """The arguments that are not None, to hand on to a module that need not know the others.

    Example:
        >>> passed(key_padding_mask=None, relative=3)
        {'relative': 3}
    """
    return {name: value for name, value in arguments.items() if value is not None}


def head_width(dim: int, heads: int, key_dim: int | None) -> int:
    """``key_dim``, or ``dim / heads`` where it is None.

    Raises:
        ValueError: if it is None and ``heads`` does not divide ``dim``.

    Example:
        >>> head_width(64, 4, None), head_width(64, 4, 64)
        (16, 64)
    """
    check_sizes(dim=dim, heads=heads)
    if key_dim is None and dim % heads:
        raise ValueError(f"dim is {dim}; expected a multiple of heads, {heads}, or a key_dim")
    return dim // heads if key_dim is None else key_dim


def check_unused(where: str, **given: object) -> None:
    """Raise ValueError for an argument that is given, though nothing there uses it.

    Example:
        >>> check_unused("the Transformer", symbols=10)
        Traceback (most recent call last):
            ...
        ValueError: symbols is 10; expected nothing, since the Transformer does not use it
    """
    for name, value in passed(**given).items():
        raise ValueError(f"{name} is {value!r}; expected nothing, since {where} does not use it")


def shown(module: nn.Module, *names: str) -> str:
    """Attributes of a module as its ``repr`` shows them.

    Example:
        >>> shown(nn.Linear(3, 4), "in_features", "out_features")
        'in_features=3, out_features=4'
    """
    return ", ".join(f"{name}={getattr(module, name)!r}" for name in names)
