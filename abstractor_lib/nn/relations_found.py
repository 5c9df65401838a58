"""The relations that a model computes, collected while it runs.

Shapes: ``b`` batch, ``m`` objects, ``r`` relation dimensions.
"""

from typing import Any

import torch
from torch import Tensor, nn

from .message_passing import RelationalMessagePassing
from .relational_attention import RelationalCrossAttention


def relations_of(model: nn.Module, *inputs: Any, **options: Any) -> dict[str, Tensor]:
    """The relations of each relational layer of a model.

    Args:
        model: any module that contains `RelationalCrossAttention` or `RelationalMessagePassing`
            layers, in the mode it shall run in: call ``model.eval()`` first, unless dropout on
            symbols and states is wanted. It runs as it is, and keeps no trace of this.
        inputs, options: what the model is called with.

    Returns:
        By the name of the layer in the model its relations ``(b, r, m, m)``, without gradients, in
        the order in which layers run; of one that runs several times those of the last.

    Example:
        >>> from abstractor_lib.nn import AbstractorClassifier
        >>> model = AbstractorClassifier(12, 3, dim=64, heads=4, layers=2, symbols=10).eval()
        >>> for name, found in relations_of(model, torch.randn(8, 10, 12)).items():
        ...     print(name, tuple(found.shape))
        abstractor.layers.0.relational (8, 4, 10, 10)
        abstractor.layers.1.relational (8, 4, 10, 10)
    """
    found, hooks = {}, []

    def keep(name: str):
        def hook(module, given, named, result):
            if isinstance(module, RelationalCrossAttention):
                _, result = module.forward(*given, **named | {"need_weights": True})
            found[name] = result

        return hook

    try:
        for name, part in model.named_modules():
            if isinstance(part, RelationalCrossAttention | RelationalMessagePassing):
                source = part.relation if isinstance(part, RelationalMessagePassing) else part
                hooks.append(source.register_forward_hook(keep(name), with_kwargs=True))
        with torch.no_grad():
            model(*inputs, **options)
    finally:
        for hook in hooks:
            hook.remove()
    return found
