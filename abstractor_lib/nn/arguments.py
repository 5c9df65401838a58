"""What all modules do with their arguments: check them, complete them, show them in a ``repr``."""

import warnings
from collections.abc import Iterable, Iterator
from numbers import Integral, Real
from operator import index

import torch
from torch import Tensor, nn

Device = torch.device | str | int | None
DType = torch.dtype | None


def brief(value: object) -> str:
    """A value as an error names it: itself where that is short, or what it is.

    Example:
        >>> brief("mean"), brief(torch.zeros(2, 3)), brief(nn.Linear), brief(nn.ReLU())
        ("'mean'", 'a tensor of shape (2, 3)', 'the class Linear', 'a ReLU')
    """
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    text = repr(value)
    if isinstance(value, nn.Module) or len(text) > 40 or "\n" in text:
        kind = type(value).__name__
        return f"{'an' if kind[0] in 'AEIOU' else 'a'} {kind}"
    return text


def check_sizes(least: int = 1, /, **sizes: int) -> None:
    """Raise ValueError naming the first argument that is no integer of at least ``least``.

    Example:
        >>> check_sizes(heads=2, key_dim=0)
        Traceback (most recent call last):
            ...
        ValueError: key_dim is 0; expected an integer of at least 1
    """
    for name, size in sizes.items():
        if not isinstance(size, Integral) or isinstance(size, bool) or size < least:
            raise ValueError(f"{name} is {brief(size)}; expected an integer of at least {least}")


def check_dropout(dropout: float) -> None:
    """Raise ValueError unless ``dropout`` is a probability below one.

    Example:
        >>> check_dropout(1.5)
        Traceback (most recent call last):
            ...
        ValueError: dropout is 1.5; expected a number in [0, 1)
    """
    if not isinstance(dropout, Real) or not 0.0 <= dropout < 1.0:
        raise ValueError(f"dropout is {brief(dropout)}; expected a number in [0, 1)")


def check_token(name: str, token: int, count: int | None = None) -> None:
    """Raise ValueError unless ``token`` is an integer, and one of ``count`` if that is given.

    Example:
        >>> check_token("start", 11, 11)
        Traceback (most recent call last):
            ...
        ValueError: start is 11; expected a token, 0 to 10
    """
    try:
        number = index(token)
    except TypeError:
        raise ValueError(f"{name} is {brief(token)}; expected a token, an integer") from None
    if count is not None and not 0 <= number < count:
        raise ValueError(f"{name} is {number}; expected a token, 0 to {count - 1}")


def check_eps(name: str, eps: float) -> None:
    """Raise ValueError unless ``eps`` can be added to a variance: a finite number of at least 0.

    Example:
        >>> check_eps("layer_norm_eps", -1.0)
        Traceback (most recent call last):
            ...
        ValueError: layer_norm_eps is -1.0; expected a number of at least 0
    """
    if not isinstance(eps, Real) or isinstance(eps, bool) or not 0.0 <= eps < float("inf"):
        raise ValueError(f"{name} is {brief(eps)}; expected a number of at least 0")


def check_flags(**flags: bool) -> None:
    """Raise ValueError naming the first argument that is neither True nor False.

    Example:
        >>> check_flags(window=5)
        Traceback (most recent call last):
            ...
        ValueError: window is 5; expected True or False
    """
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name} is {brief(flag)}; expected True or False")


def check_modules(**modules: object) -> None:
    """Raise ValueError naming the first argument that is no module.

    Example:
        >>> check_modules(source=nn.Linear(2, 3), encoder=nn.Linear)
        Traceback (most recent call last):
            ...
        ValueError: encoder is the class Linear; expected a module, an object of torch.nn.Module
    """
    for name, module in modules.items():
        if not isinstance(module, nn.Module):
            raise ValueError(
                f"{name} is {brief(module)}; expected a module, an object of torch.nn.Module"
            )


def listed(name: str, modules: Iterable[nn.Module]) -> list[nn.Module]:
    """Modules of a list, or of anything that gives them one after the other.

    Example:
        >>> listed("layers", nn.Linear(2, 3))
        Traceback (most recent call last):
            ...
        ValueError: layers is a Linear; expected a list of modules
    """
    try:
        found = list(modules)
    except TypeError:
        raise ValueError(f"{name} is {brief(modules)}; expected a list of modules") from None
    check_modules(**{f"{name}[{number}]": one for number, one in enumerate(found)})
    return found


def check_maker(name: str, make: object) -> None:
    """Raise ValueError for a module in the place of a function that makes modules.

    Example:
        >>> check_maker("relation", nn.Linear(2, 3))
        Traceback (most recent call last):
            ...
        ValueError: relation is a Linear; expected a function that makes one, such as \
lambda: Linear(...)
    """
    if isinstance(make, nn.Module):
        kind = type(make).__name__
        raise ValueError(
            f"{name} is {brief(make)}; expected a function that makes one, such as lambda: "
            f"{kind}(...)"
        )
    if not callable(make):
        raise ValueError(f"{name} is {brief(make)}; expected a function that makes a module")


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
        raise ValueError(f"{name} is {brief(given)}; allowed: {', '.join(allowed)}")


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
    if weight is not None:
        check_dtype(name, given, weight)


def check_dtype(name: str, given: Tensor, weight: Tensor) -> None:
    """Raise ValueError unless ``given`` is of the weights' dtype, or under autocast a number.

    Example:
        >>> check_dtype("objects", torch.tensor([3]), torch.zeros(1))
        Traceback (most recent call last):
            ...
        ValueError: objects has dtype torch.int64; expected torch.float32, as the weights
    """
    if given.dtype == weight.dtype:
        return
    if not given.is_floating_point() or not torch.is_autocast_enabled(given.device.type):
        raise ValueError(f"{name} has dtype {given.dtype}; expected {weight.dtype}, as the weights")


def check_width(name: str, given: Tensor, dim: int, weight: Tensor) -> None:
    """Raise ValueError unless ``given`` is ``(..., dim)`` and of the weights' dtype.

    Example:
        >>> check_width("x", torch.zeros(5), 4, torch.zeros(1))
        Traceback (most recent call last):
            ...
        ValueError: x has shape (5,); expected (..., 4)
    """
    if not given.dim() or given.shape[-1] != dim:
        raise ValueError(f"{name} has shape {tuple(given.shape)}; expected (..., {dim})")
    check_dtype(name, given, weight)


def check_embeddable(name: str, given: Tensor, embed: nn.Module) -> None:
    """Raise ValueError unless a dense layer, or an embedding of tokens, can take ``given``; what
    other modules take is theirs to say.

    Example:
        >>> check_embeddable("target", torch.zeros(2, 3), nn.Embedding(5, 4))
        Traceback (most recent call last):
            ...
        ValueError: target has dtype torch.float32; expected torch.int64, tokens
    """
    if isinstance(embed, nn.Linear) and not isinstance(embed, nn.LazyLinear):
        check_features(name, given, embed.in_features, embed.weight)
    elif isinstance(embed, nn.Embedding) and given.dtype not in (torch.int64, torch.int32):
        raise ValueError(f"{name} has dtype {given.dtype}; expected torch.int64, tokens")


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
