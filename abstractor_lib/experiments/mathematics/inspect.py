"""What a trained model of the mathematics experiment attends to in one question.

Shapes: ``h`` heads, ``m`` characters of the question, ``n`` of the answer.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from ... import nn as lib
from ...tasks.mathematics import Problems
from .data import lengths, marks


@contextmanager
def without(model: lib.SequenceToSequence, context: int) -> Iterator[None]:
    """Let a trained decoder get nothing from one of its contexts: the attention to it gives zeros.

    Args:
        context: its number among those that the model attends to.
    """
    hooks = [
        attention.register_forward_hook(lambda _, given, output: torch.zeros_like(output))
        for attention, read in crossings(model)
        if read == context
    ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def crossings(model: lib.SequenceToSequence) -> list[tuple[nn.Module, int]]:
    """Each attention of the decoder to a context, and the number of that context."""
    found = []
    layers = [part for part in model.decoder.modules() if isinstance(part, lib.DecoderLayer)]
    for number, layer in enumerate(layers):
        every = list(layer.get_submodule("cross_attention").children())
        reads = range(len(every)) if model.decoder.reads is None else model.decoder.reads[number]
        found += zip(every, reads, strict=True)
    return found


@torch.no_grad()
def watch(model: lib.PaddedTokens, problems: Problems) -> dict[str, Tensor]:
    """The attention weights of a model while it reads the shortest question and writes its answer.

    Returns:
        ``question`` ``(m,)`` and ``answer`` ``(n,)``, characters; ``self``, of the encoder,
        ``(h, m, m)``; ``relations``, of the Abstractor, likewise, if there is one; for each context
        ``to_CONTEXT``, ``(h, n, m)``: a row for each character of the answer, when it was written.
    """
    device = next(model.parameters()).device
    shortest = int(lengths(problems)[0].argmin())
    problems = problems[shortest : shortest + 1]
    length, (start, end) = int(lengths(problems)[0][0]), marks(problems.alphabet)
    question = torch.from_numpy(problems.questions[:, :length]).to(device)  # (1, m)
    answer = model.answer(question, problems.labels.shape[1], start, stop=end)  # (1, n)
    begin = torch.full_like(answer[:, :1], start)
    given = torch.cat([begin, answer[:, :-1]], dim=1)
    modules = {"self": model.model.get_submodule("encoder.layers.0.attention")}
    for abstractor in model.model.abstractors:
        modules["relations"] = abstractor.get_submodule("layers.0.relational")
    for attention, read in crossings(model.model):
        modules[f"to_{model.model.attends[read]}"] = attention
    calls: dict[str, tuple] = {}
    hooks = [
        module.register_forward_pre_hook(
            lambda _, args, options, name=name: calls.setdefault(name, (args, options)),
            with_kwargs=True,
        )
        for name, module in modules.items()
    ]
    try:
        model(question, given)
    finally:
        for hook in hooks:
            hook.remove()
    found = {"question": question[0].to(torch.uint8), "answer": answer[0].to(torch.uint8)}
    for name, module in modules.items():
        args, options = calls[name]
        _, weights = module(*args, **options, need_weights=True)  # (1, h, ., m)
        found[name] = weights[0].half()
    return {name: one.cpu().contiguous() for name, one in found.items()}
