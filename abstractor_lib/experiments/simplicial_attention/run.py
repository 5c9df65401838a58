"""Computing one run of the mathematics of 2-simplicial attention.

Shapes: ``T`` triples of vectors in ``n`` dimensions.
"""

from collections.abc import Mapping
from itertools import permutations, product

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ... import nn as lib
from ...records.spec import Spec
from ...tasks.randomness import generator
from ...theory import clifford, recurrent, simplices
from ...theory.clifford import Multivector
from ...training.outcome import Outcome, by_name
from ..context import Context
from .operations import Operations
from .settings import Model, Task

DIM, HIDDEN = 64, 64  # features of an entity and of the hidden layer, of the paper's agent
HEADS, LAYERS = 8, 12  # of the paper on function learning


def compute(spec: Spec, context: Context) -> Outcome:
    """The trials of a spec; for its first numbers the first of them alone. Torch's default
    generator is the caller's to seed."""
    one_trial = {
        "algebra": algebra,
        "triples": triples,
        "start": start,
        "cost": cost,
        "relatives": relatives,
        "permuted": permuted,
    }.get(spec.model.name, permuted_curves)
    some = list(spec.trials)[: 1 if context.first_numbers else None]
    found = [one_trial(spec.model, spec.task, trial) for trial in some]
    metrics = by_name([metrics for metrics, _ in found])
    known = found[0][1]
    return Outcome(metrics, known, fingerprint={"first numbers": known})


Found = tuple[dict[str, float], list[float]]  # metrics, and numbers that are no rounding


def algebra(model: Model, task: Task, trial: int) -> Found:
    """The lemmas, in the executable Clifford algebra: largest residuals, as shares of the products
    of the norms (of the vectors or elements) where they are not shares already."""
    random = generator(trial, "triples")
    kinds = ("gaussian", "nearly_dependent", "orthogonal")
    sets = {kind: simplices.random_triples(random, task.count, task.dim, kind) for kind in kinds}
    every = np.concatenate(list(sets.values()), axis=1)  # (3, T, n)
    norms = np.linalg.norm(every, axis=-1).prod(axis=0)
    whole = clifford.product(*every)
    truth = whole.grade(1).magnitude()
    values = closed_form(every)
    elements = Multivector(random.standard_normal((task.count, 2**task.dim)))
    parts = sum(elements.grade(k).magnitude() ** 2 for k in range(task.dim + 1))
    volume = clifford.wedge(*every).magnitude()
    some = values > 1e-9 * norms  # the others are zero but for rounding
    single = closed_form(every[:, some].astype(np.float32))
    metrics = {
        "closed_form": np.abs(values - truth) / norms,
        "single_precision": np.abs(single / values[some] - 1),
        "example_c2": example_c2(every) / norms,
        "magnitude": np.abs(whole.magnitude() / norms - 1),  # eq. 21
        "lemma_c4": np.abs(elements.magnitude() ** 2 / parts - 1),
        "example_c5": np.abs(values**2 + volume**2 - norms**2) / norms**2,
        "above_greatest": values / norms - 1,
        **lemma_c10(random, sets),
        **figure_2(sets["gaussian"]),
    }
    shares = (values / norms)[: min(5, task.count)]
    return {name: float(np.max(one)) for name, one in metrics.items()}, shares.tolist()


def closed_form(vectors: np.ndarray) -> np.ndarray:
    """Eq. 8 by the library, ``(3, T, n) -> (T,)``."""
    return lib.unsigned_triple_product(*torch.from_numpy(vectors)).numpy()


def example_c2(vectors: np.ndarray) -> np.ndarray:
    """The largest residual of the four identities of eq. 20, ``(T,)``; those of two vectors times
    the norm of the third."""
    a, b, c = vectors
    two, three = clifford.product(a, b), clifford.product(a, b, c)

    def dot(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        return (x * y).sum(axis=-1, keepdims=True)

    one = dot(a, b) * c - dot(a, c) * b + dot(b, c) * a
    third = np.linalg.norm(c, axis=-1)
    gaps = [
        np.abs(two.grade(0).scalar() - dot(a, b)[:, 0]) * third,
        (two.grade(2) - clifford.wedge(a, b)).magnitude() * third,
        np.linalg.norm(three.grade(1).vector() - one, axis=-1),
        (three.grade(3) - clifford.wedge(a, b, c)).magnitude(),
    ]
    return np.max(gaps, axis=0)


def lemma_c10(random: np.random.Generator, sets: Mapping[str, np.ndarray]) -> dict:
    """Its extremes and symmetries."""
    gaussian, orthogonal = sets["gaussian"], sets["orthogonal"]
    _, count, dim = gaussian.shape
    dependent = simplices.random_triples(random, count, dim, "dependent")

    def norms(vectors: np.ndarray) -> np.ndarray:
        return np.linalg.norm(vectors, axis=-1).prod(axis=0)

    value, size = closed_form(gaussian), norms(gaussian)
    factors = random.standard_normal((3, count, 1))
    scaled = closed_form(factors * gaussian) / np.abs(factors).prod(axis=(0, 2))
    others = [closed_form(gaussian[list(order)]) for order in permutations(range(3))]
    signs = np.array(list(product((-1, 1), repeat=3)))[:, :, None, None]
    others += [closed_form(one * gaussian) for one in signs] + [scaled]
    return {
        "dependent": np.abs(closed_form(dependent) / norms(dependent) - 1),
        "orthogonal": closed_form(orthogonal) / norms(orthogonal),
        "symmetries": np.max([np.abs(other - value) / size for other in others], axis=0),
    }


def figure_2(vectors: np.ndarray) -> dict:
    """(a.b)^2 = 1 - 4 A^2 and <a,b,c>^2 = 1 - 36 V^2 for unit vectors, with areas and volumes by
    edge lengths alone."""
    unit = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    a, b, _ = unit
    area, volume = simplices.simplex_volume(a, b), simplices.simplex_volume(*unit)
    return {
        "area": np.abs((a * b).sum(axis=-1) ** 2 - (1 - 4 * area**2)),
        "volume": np.abs(closed_form(unit) ** 2 - (1 - 36 * volume**2)),
    }


def triples(model: Model, task: Task, trial: int) -> Found:
    """The triple product of independent random vectors, as a share of the greatest value."""
    vectors = simplices.random_triples(generator(trial, "triples"), task.count, task.dim)
    shares = closed_form(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
    low, middle, high = np.quantile(shares, (0.05, 0.5, 0.95))
    metrics = {
        "mean_square": float((shares**2).mean()),
        "low": float(low),
        "median": float(middle),
        "high": float(high),
        "expected": simplices.mean_square(task.dim),
    }
    return metrics, [metrics["mean_square"], *shares[:4].tolist()]


@torch.no_grad()
def start(model: Model, task: Task, trial: int) -> Found:
    """2-simplicial attention of the agent's two iterations before any training. ``top``: mean, over
    entities, of the greatest weight among the pairs; ``uniform``: that of equal weights."""
    block = lib.SimplicialBlock(
        DIM,
        2,
        32,
        HIDDEN,
        simplicial_heads=1,
        simplicial_dim=task.dim,
        logits=model.logits,
        logit_scale=model.scale,
    )
    agent = lib.initialise(lib.SimplicialTransformer(block, 2, virtual=task.virtual))
    random = generator(trial, "entities")
    x = torch.from_numpy(random.standard_normal((task.count, task.entities, DIM))).float()
    _, found = agent(x, need_weights=True)
    tops = [one.pairs.flatten(-2).amax(-1).mean().item() for one in found]
    pairs = (task.virtual or task.entities) ** 2
    return {"top_1": tops[0], "top_2": tops[1], "uniform": 1 / pairs}, tops


def cost(model: Model, task: Task, trial: int) -> Found:
    """Operations of 2-simplicial attention on one example; ``pair_values``, those for B(u_j (x)
    u_k)."""
    with torch.device("meta"):
        attention = lib.TwoSimplicialAttention(DIM, 1, task.dim)
        x, y = (torch.empty(1, size, DIM) for size in (task.entities, task.virtual))
        u = torch.empty(1, 1, task.virtual, task.dim)
        with torch.no_grad(), Operations() as whole:
            attention(x, None if task.virtual == task.entities else y)
        with torch.no_grad(), Operations() as values:
            attention.values(u, u)
    return (
        {"operations": whole.count, "pair_values": values.count},
        [float(whole.count), float(values.count)],
    )


def relatives(model: Model, task: Task, trial: int) -> Found:
    """Eq. 15, 16 and 19 as printed, against attention with chosen weights: largest differences, as
    shares of the largest result."""
    random, d = generator(trial, "relatives"), task.dim
    memory, state, symbol = (random.standard_normal(size) for size in ((task.entities, d), d, d))
    shapes = {"query": (d, d), "recurrent": (d, d), "read_in": (d, d), "bias": (d,)}
    weights = {name: random.standard_normal(shape) for name, shape in shapes.items()}
    query = weights["query"] @ state
    read = by_attention(query, memory)
    layer = nn.Linear(3 * d, d).double()
    parts = (np.eye(d), weights["recurrent"], weights["read_in"])
    layer.weight.data = torch.from_numpy(np.concatenate(parts, axis=1))
    layer.bias.data = torch.from_numpy(weights["bias"])
    with torch.no_grad():
        stepped = layer(torch.cat([read, torch.from_numpy(np.concatenate([state, symbol]))])).relu()
    eta = 1 / task.entities
    pairs = {
        "read_head": (read, recurrent.read_head(query, memory)),
        "controller": (stepped, recurrent.controller_step(state, symbol, memory, **weights)),
        "hopfield": (hopfield(memory, eta), recurrent.hopfield_step(memory, eta)),
    }
    gaps = {
        name: float(np.abs(found.numpy() - expected).max() / max(np.abs(expected).max(), 1e-9))
        for name, (found, expected) in pairs.items()
    }
    return gaps, recurrent.read_head(query, memory).tolist()


@torch.no_grad()
def permuted(model: Model, task: Task, trial: int) -> Found:
    """A Transformer encoder without positions, on sets of entities and on the same sets in another
    order: the largest difference from its outputs in that order, and how far the outputs of
    different entities lie apart, as shares of the largest output."""
    heads = lib.Heads(2, key_dim=32)
    layers = [lib.EncoderLayer(DIM, heads, HIDDEN, dropout=0.0) for _ in range(2)]
    encoder = lib.initialise(lib.Encoder(layers, dropout=0.0)).double().eval()
    random = generator(trial, "entities")
    x = torch.from_numpy(random.standard_normal((task.count, task.entities, DIM)))
    order = torch.from_numpy(random.permutation(task.entities))
    return in_order(encoder(x), encoder(x[:, order]), order)


@torch.no_grad()
def permuted_curves(model: Model, task: Task, trial: int) -> Found:
    """As `permuted`, of the Transformer of the 1d or the relational model of function learning, as
    deep as the paper's, without mask and windows: on the tokens of random curves and the queries
    for their next point, which it sees as vectors and in no order."""
    kind = {"permuted_1d": lib.CurveTransformer}.get(model.name, lib.RelationalCurveTransformer)
    curve = kind(task.dim, HEADS, LAYERS).double().eval()
    random = generator(trial, "entities")
    y = torch.from_numpy(random.standard_normal((task.count, task.entities)))
    x = torch.arange(1.0, task.entities + 2, dtype=y.dtype)
    places, values = curve.tokens(x[:-1], y, 0)
    places = torch.cat([places, curve.asked(x[:-1], x[-1])])
    values = F.pad(values, (0, len(places) - values.shape[1]))  # of a query, 0
    tokens = torch.cat([places.expand(task.count, -1, -1), values.unsqueeze(-1)], dim=-1)
    order = torch.from_numpy(random.permutation(len(places)))

    def transformed(vectors: Tensor) -> Tensor:
        features = curve.embed(vectors)
        for layer in curve.modules():
            if isinstance(layer, lib.GatedLayer):
                features = layer(features, *layer.keys_values(features))
        return features

    return in_order(transformed(tokens), transformed(tokens[:, order]), order)


def in_order(plain: Tensor, other: Tensor, order: Tensor) -> Found:
    """Outputs ``(b, n, d)``, and those of inputs that came in another order."""
    largest = plain.abs().max().item()
    gaps = {
        "equivariance": (other - plain[:, order]).abs().max().item() / largest,
        "apart": (plain[:, order] - plain).abs().max().item() / largest,
    }
    return gaps, plain[0, 0, :4].tolist()


@torch.no_grad()
def by_attention(query: np.ndarray, memory: np.ndarray) -> Tensor:
    """Eq. 16 by 1-simplicial attention of a unit query to unit keys, with the slots as values."""
    slots = torch.from_numpy(memory)[None]  # (1, N, d), one head
    attention = lib.OneSimplicialAttention(memory.shape[1], 1, memory.shape[1], scale=1.0)
    unit = F.normalize(torch.from_numpy(query)[None, None], dim=-1)
    return attention.attend(unit, F.normalize(slots, dim=-1), slots)[0]


@torch.no_grad()
def hopfield(nodes: np.ndarray, eta: float) -> Tensor:
    """Eq. 19 by attention without softmax, whose queries, keys and values are the nodes."""
    d = nodes.shape[1]
    heads = lib.Heads(1, bias=False, activation="linear", scale=eta)
    attention = lib.MultiHeadAttention(d, heads).double()
    for weight in attention.parameters():  # of queries, keys, values and output
        weight.copy_(torch.eye(d))
    x = torch.from_numpy(nodes)
    return torch.tanh(attention(x, x, x))
