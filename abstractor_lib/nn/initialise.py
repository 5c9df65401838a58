"""Initial weights. The papers' networks were Keras networks, and start differently from torch's."""

from typing import Literal

import torch
from torch import nn

SCHEMES = ("keras", "torch")


def initialise(module: nn.Module, scheme: Literal["keras", "torch"] = "keras") -> nn.Module:
    """Draw all parameters of ``module`` anew, in place, from torch's default generator.

    ``keras``: dense and convolution weights uniform on +-sqrt(6 / (fan_in + fan_out)) (Glorot &
    Bengio 2010) with the fans that Keras takes for the layer's kernel, zero biases, embeddings
    uniform on +-0.05; what is neither as under ``torch``.
    ``torch``: each layer's own ``reset_parameters``, which draws as the constructor does. A part
    with an attribute ``own_start`` starts so under both.

    Args:
        module: any module of `abstractor_lib.nn` or of torch.
        scheme: ``keras`` or ``torch``.

    Returns:
        The same module.

    Raises:
        ValueError: for an unknown scheme, or a part with parameters that it has no rule for;
            nothing is changed then.

    Example:
        >>> layer = initialise(nn.Linear(12, 64))
        >>> bool(layer.weight.abs().max() <= (6 / 76) ** 0.5), layer.bias.abs().sum().item()
        (True, 0.0)
    """
    if scheme not in SCHEMES:
        raise ValueError(f"scheme is {scheme!r}; allowed: {', '.join(SCHEMES)}")
    # torch's modules of several parts start these anew themselves, so their turn is last
    torchs = [part for part in module.modules() if hasattr(part, "_reset_parameters")]
    parts = [one for one in module.modules() if one not in torchs] + torchs[::-1]
    resets = [
        getattr(part, "reset_parameters", getattr(part, "_reset_parameters", None))
        for part in parts
    ]
    for part, reset in zip(parts, resets, strict=True):
        if reset is None and any(True for _ in part.parameters(recurse=False)):
            raise ValueError(
                f"module holds a {type(part).__name__} with parameters of its own; expected one "
                "with a method reset_parameters"
            )
    for part, reset in zip(parts, resets, strict=True):
        if reset is not None:
            reset()
        if scheme == "keras" and not getattr(part, "own_start", False):
            _keras(part)
    return module


@torch.no_grad()
def _keras(part: nn.Module) -> None:
    if isinstance(part, nn.Linear):
        fan_in, fan_out = getattr(part, "fans", (part.in_features, part.out_features))
        limit = (6.0 / (fan_in + fan_out)) ** 0.5
        part.weight.uniform_(-limit, limit)
        if part.bias is not None:
            part.bias.zero_()
    elif isinstance(part, nn.Conv1d | nn.Conv2d | nn.Conv3d):
        nn.init.xavier_uniform_(part.weight)
        if part.bias is not None:
            part.bias.zero_()
    elif isinstance(part, nn.Embedding):
        part.weight.uniform_(-0.05, 0.05)
        if part.padding_idx is not None:
            part.weight[part.padding_idx].zero_()
