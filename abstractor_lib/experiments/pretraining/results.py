"""What the notebook shows of the runs: tables of counts, sizes and ratios, by model and arm."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import pandas as pd

from ...findings import claims
from ...findings.measures import Frames, NotRun, by_trial
from ...findings.published import published
from ...findings.sizes import brackets, in_words, median_bracket
from ...findings.tally import tallies, tally
from ...records.spec import Spec
from . import measures
from .grid import columns
from .settings import LEARNED, MOVED, ONE_EACH

METRIC = "full_sequence_accuracy"
NETWORKS = {"simple": "Simple Abstractor", "transformer": "Transformer"}
ARMS = {  # what a second stage starts from -> the end of its model's name
    "no pre-training": "",
    "permuted order, 100 epochs": "_permuted_stated",
    "permuted order": "_permuted",
    "same order": "_same",
    "new objects": "_new_objects",
}
PARENTS = {"permuted order, 100 epochs": "permuted_stated", "permuted order": "permuted"}
PARENTS |= {"standard order": "standard"}
LEVELS = {0.5: None, 0.95: 5}  # how many trials count; None is all
ASKED = {  # claim -> the arm and the model that it is about
    "pretraining_v3_abstractor": ("permuted order, 100 epochs", "simple"),
    "pretraining_ample_abstractor": ("permuted order", "simple"),
    "pretraining_v3_abstractor_learned": ("permuted order", "simple"),
    "pretraining_v3_same": ("same order", "simple"),
    "pretraining_v1_new_objects": ("new objects", "simple"),
    "pretraining_v3_transformer": ("permuted order, 100 epochs", "transformer"),
    "pretraining_ample_transformer": ("permuted order", "transformer"),
    "pretraining_v3_transformer_learned": ("permuted order", "transformer"),
    "pretraining_v3_transformer_same": ("same order", "transformer"),
    "pretraining_v1_transformer_new_objects": ("new objects", "transformer"),
}
PART = {"source": "embedding of objects", "encoder": "encoder", "abstractors": "Abstractor"}
PART |= {"target": "embedding of positions", "decoder": "decoder", "output": "output layer"}
BEGINS = {"Simple Abstractor": 600, "Transformer": 1500}  # where published curves have risen


class Bracket(NamedTuple):
    """Between which two training set sizes the median of ``n`` trials reaches a level.

    Example:
        >>> f"{Bracket(100.0, 200.0, 10)}, {Bracket()}"
        '100 to 200, (not run)'
    """

    low: float = np.nan
    high: float = np.nan
    n: int = 0

    def __format__(self, spec: str) -> str:
        return in_words(self.low, self.high) if self.n else "(not run)"


def needed(
    frames: Frames, protocol: str, model: str, level: float = 0.5, trials: int | None = None
) -> Bracket:
    """How many training sequences the median trial of a model needs to reach a level.

    Args:
        trials: count the first so many only.
    """
    table = frames.get(protocol)
    if table is None or METRIC not in table:
        return Bracket()
    rows = table[table["model"].eq(model) & table["variant"].eq("curve")]
    wide = by_trial(rows, METRIC).iloc[:trials]
    return Bracket(*median_bracket(brackets(level, wide)), len(wide)) if wide.size else Bracket()


def sizes(frames: Frames) -> pd.DataFrame:
    """What every model needs to reach each of `LEVELS`, ``low`` to ``high``, and how many sequences
    pre-training saves, ``saved_low`` to ``saved_high``."""
    rows = []
    for level, trials in LEVELS.items():
        for protocol in frames:
            for network in NETWORKS:
                for end in ARMS.values():
                    found = needed(frames, protocol, network + end, level, trials)
                    row = {"protocol": protocol, "model": network + end, "level": level}
                    if found.n:
                        rows.append(row | found._asdict() | _saved(frames, row, network, trials))
    names = ["protocol", "model", "level", "low", "high", "n", "saved_low", "saved_high"]
    return pd.DataFrame(rows, columns=names)


def _saved(frames: Frames, row: Mapping, network: str, trials: int | None) -> dict[str, float]:
    if row["model"] == network:
        return {}
    pair, level = [row["model"], network], row["level"]
    try:
        found = measures.sequences(frames, row["protocol"], models=pair, level=level, trials=trials)
    except NotRun:
        return {}
    return dict(zip(("saved_low", "saved_high"), found, strict=True))


def sizes_in_words(sizes: pd.DataFrame) -> pd.DataFrame:
    """The answer of `sizes` as people read it, protocols side by side."""
    names = {n + end: f"{m}, {arm}" for n, m in NETWORKS.items() for arm, end in ARMS.items()}
    known = sizes["saved_low"].notna()
    needed = zip(sizes["low"], sizes["high"], strict=True)
    saved = zip(known, sizes["saved_low"], sizes["saved_high"], strict=True)
    shown = sizes.assign(
        needed=[in_words(low, high) for low, high in needed],
        saved=[measures.in_words(low, high) if there else "" for there, low, high in saved],
    )
    shown["model, arm"] = pd.Categorical(shown["model"].map(names), list(names.values()))
    cells = {"index": ["level", "model, arm"], "columns": "protocol", "values": ["needed", "saved"]}
    return shown.pivot(**cells).sort_index().fillna("")


def counts(frames: Frames, grids: Mapping[str, Iterable[Spec]]) -> pd.DataFrame:
    """How many trials reach a full-sequence accuracy of one half, a row for each curve, a column
    for each training set size that the grid of a protocol has."""
    half, rows = tallies(frames, 0.5, METRIC), []
    points = {
        protocol: [columns(one.canonical()) for one in specs] for protocol, specs in grids.items()
    }
    for network, title in NETWORKS.items():
        for protocol, some in points.items():
            curves = [one for one in some if one["variant"] == "curve"]
            every = sorted({one["size"] for one in curves if one["network"] == network})
            for arm, end in ARMS.items():
                at = {one["size"] for one in curves if one["model"] == network + end}
                row = {"model": title, "protocol": protocol, "arm": arm}
                row |= {
                    f"n = {n:,}": f"{half[protocol, network + end, n]}" for n in every if n in at
                }
                rows += [row] if at else []
    return pd.DataFrame(rows).fillna("")


def parents(frames: Frames) -> pd.DataFrame:
    """How well parents have learned their own task."""
    names = {f"{n}_{k}": f"{m}, {word}" for n, m in NETWORKS.items() for word, k in PARENTS.items()}
    rows = []
    for protocol, table in frames.items():
        first = table[table["variant"] == "pretraining"]
        for model, some in first.groupby("model"):
            found, span = tally(some["own_accuracy"], LEARNED), tally(some["updates"], 0)
            seen = f"{span.least:,.0f} to {span.greatest:,.0f}"
            rows.append((protocol, names[model], f"{found}", f"{found:range}", seen))
    shown = ["protocol", "parent", "learned", "full-sequence accuracy", "updates"]
    return pd.DataFrame(rows, columns=shown)


class Ratio(NamedTuple):
    """How many times the sequences a model needs without pre-training: the claim about it, over the
    trials that the claim counts, and over all trials."""

    network: str
    arm: str
    protocol: str
    claimed: claims.Judged
    of_all_trials: claims.Judged

    @property
    def label(self) -> str:
        """The model and what it starts from."""
        return f"{NETWORKS[self.network]}, {self.arm}"


@cache
def _asked() -> dict[str, claims.Claim]:
    return {claim.id: claim for claim in claims.read() if claim.id in ASKED}


def ratios(frames: Frames) -> Iterator[Ratio]:
    """The ratio of each claim of `ASKED` under each of its protocols."""
    for name, (arm, network) in ASKED.items():
        claim = _asked()[name]
        for protocol in claim.protocols:
            judged = (
                claims.judge(claim, protocol, frames, measure)
                for measure in (measures.saved, measures.over_all_trials)
            )
            yield Ratio(network, arm, protocol, *judged)


def ratios_in_words(frames: Frames) -> pd.DataFrame:
    """The answer of `ratios` as people read it."""
    rows = [
        (
            one.label,
            one.protocol,
            *(
                f"{cell}"
                for judged in (one.claimed, one.of_all_trials)
                for cell in (judged.interval or "not run", judged.n, judged.word)
            ),
        )
        for one in ratios(frames)
    ]
    names = ["model, arm", "protocol", "ratio", "trials", "verdict of its claim"]
    names += ["ratio, all trials", "all trials", "verdict, all trials"]
    return pd.DataFrame(rows, columns=names)


def moved() -> pd.DataFrame:
    """What is moved from a parent where not all is, by the name of the transfer."""
    rows = [
        (name.replace("_", " "), ", ".join(PART[one] for one in MOVED[name])) for name in ONE_EACH
    ]
    return pd.DataFrame(rows, columns=["name", "what is moved"])


def boundaries() -> pd.DataFrame:
    """Where the published curves fall: at the steps after which the last batch of an epoch has less
    than a fifth of the usual size, and at all others."""
    rows = []
    for network, least in BEGINS.items():
        for label in (network, f"{network}, pre-trained"):
            change = published("fig_v3_05b", label).set_index("x")["mean"].diff().loc[least:]
            for batch in (512, 256, 128):
                small = [n for n in change.index if 0 < n % batch < batch / 5]
                there, others = change[small], change.drop(small)
                down = [f"{(part < 0).sum()} of {len(part)}" for part in (there, others)]
                rows.append((label, batch, str(small)[1:-1], *down))
    names = ["published series", "batches of", "steps to", "falls", "falls elsewhere"]
    return pd.DataFrame(rows, columns=names)
