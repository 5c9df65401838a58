"""What notebook 16 says of its records."""

import numpy as np
import pandas as pd
from scipy import stats

from ...findings.published import published
from ...findings.sentences import Sentence
from ...findings.statistics import FEW
from ..box_world.results import levels
from .grid import STANDARD

PROTOCOL = "sound"
WELL = 0.95  # share of late puzzles between two groups of seeds
SEES = {"tokens": "tokens", "tiles": "one-hot tiles", "picture": "pictures"}
AGENTS = {"simplicial": "2-simplicial"}  # names other than the code's
SOME = 5  # looks, of about thirty
NEAR = 0.05  # in win rates
BLIND = 0.95  # share of the greatest entropy


def _tokens(table: pd.DataFrame, model: str) -> pd.DataFrame:
    """Runs of an agent with tokens, of the shortest budget."""
    rows = table[table["variant"].eq("tokens, scoring") & table["model"].eq(model)]
    return rows[rows["size"].eq(rows["size"].min())]


def _decisions(table: pd.DataFrame, model: str, level: int) -> pd.Series:
    """Decisions until so many of a hundred late puzzles are won, by seed; infinite where that is
    not reached."""
    found = _tokens(table, model).set_index("trial")[f"decisions_to_{level}"]
    return found.astype(float).fillna(np.inf)


def _minutes_each(looks: pd.DataFrame, model: str) -> pd.Series:
    """Minutes of one core that a decision takes, by seed."""
    rows = looks[looks["model"].eq(model)]
    return (rows["minutes"] / rows["decisions"]).groupby(rows["trial"]).last()


def not_told_apart(frames) -> Sentence:
    """Both agents learn from tokens; which one learns faster is undecided."""
    table = frames[PROTOCOL]
    ours, theirs = (_tokens(table, name) for name in ("simplicial", "relational"))
    both = pd.concat([ours["late_greedy"], theirs["late_greedy"]]).astype(float)
    soon = [_decisions(table, name, 90) for name in ("simplicial", "relational")]
    p = float(stats.mannwhitneyu(*soon).pvalue)
    below = both[both < WELL]
    return Sentence(
        "**With objects given as tokens both agents learn the task, and {n} seeds do not tell "
        "them apart.** After half a million decisions the 2-simplicial agent wins {ours:.2f} of "
        "late puzzles and the relational agent {theirs:.2f}; who never asks which box is the "
        "bridge wins half. Seeds fall into two groups: {ours_below} of the 2-simplicial and "
        "{theirs_below} of the relational agents end at {low:.2f} to {high:.2f}, about where one "
        "of the scripts ends that look at one colour; the others have {rest:.2f} or more. In the "
        "mean over all looks on the way the 2-simplicial agent leads by "
        "{agents_tokens_simplicial_over_relational.sound}: neither agent is shown to learn from "
        "fewer decisions. To win nine of ten, the median seed takes {ours_90:,.0f} decisions "
        "against {theirs_90:,.0f}; seeds differ so much that this tells nothing "
        "either (Mann-Whitney test, p = {p:.2f}).",
        "agents_tokens_simplicial_over_relational.sound undecided",
        "agents_tokens_relational_learns.sound holds",
        bool(ours["late_greedy"].min() > 0.75),
        0 < len(below) < len(both),
        p > 0.05,
        p=p,
        ours_below=int((ours["late_greedy"] < WELL).sum()),
        theirs_below=int((theirs["late_greedy"] < WELL).sum()),
        low=below.min(),
        high=below.max(),
        rest=both[both >= WELL].min(),
        ours_90=float(soon[0].median()),
        theirs_90=float(soon[1].median()),
        n=len(ours),
        ours=float(ours["late_greedy"].mean()),
        theirs=float(theirs["late_greedy"].mean()),
    )


def computing_time(frames, looks) -> Sentence:
    """A decision of the 2-simplicial agent takes more time, and it reaches a level later."""
    table = frames[PROTOCOL]
    each = {name: _minutes_each(looks, name) for name in ("simplicial", "relational")}
    dearer = float(each["simplicial"].median() / each["relational"].median())
    ours, theirs, ours_late, theirs_late = (
        float((_decisions(table, name, level) * each[name]).median())
        for level in (75, 90)
        for name in ("simplicial", "relational")
    )
    return Sentence(
        "**A decision costs the 2-simplicial agent {dearer:.1f} times as much computing time.** To "
        "win three of four late puzzles it takes {ours:.1f} minutes of one core, the relational "
        "agent {theirs:.1f}. To win nine of ten they take {ours_late:.1f} and {theirs_late:.1f}. "
        "These are medians of the {timed} seeds of each agent that ran on a CPU. Of its own task "
        'the paper says that "on a time-adjusted basis, the 2-simplicial model still converges '
        'faster"; there a step costs 1.9/1.4 = 1.36 times as much (appendix D).',
        dearer > 1.5,
        ours > theirs,
        dearer=dearer,
        timed=min(int(some.notna().sum()) for some in each.values()),
        ours=ours,
        theirs=theirs,
        ours_late=ours_late,
        theirs_late=theirs_late,
    )


def controls(frames) -> Sentence:
    """Neither parameters alone nor uniform attention over pairs is told apart from the agent."""
    table = frames[PROTOCOL]
    late = {name: _tokens(table, name)["late_greedy"].astype(float) for name in ("wide", "uniform")}
    return Sentence(
        "**Two controls are not told apart from the 2-simplicial agent, either.** In the mean over "
        "half a million decisions it leads a relational agent with as many parameters by "
        "{agents_tokens_simplicial_over_wide.sound}, and an agent whose pairs all weigh the same "
        "by {agents_tokens_simplicial_over_uniform.sound}. At the end these win {wide:.2f} and "
        "{uniform:.2f} of late puzzles, the means of {n} seeds.",
        "agents_tokens_simplicial_over_wide.sound undecided",
        "agents_tokens_simplicial_over_uniform.sound undecided",
        n=len(late["wide"]),
        **{name: float(some.mean()) for name, some in late.items()},
    )


def deeper(frames) -> Sentence:
    """Four blocks in place of two: whether depth helps, or does as much as attention to pairs."""
    table = frames[PROTOCOL]
    runs = _tokens(table, "deep")
    sound = bool(table["late_greedy"].dropna().between(0, 1).all())
    if runs.empty:
        return Sentence("Agents of four blocks are *not run* yet.", sound)
    return Sentence(
        "**Four blocks in place of two: whether depth helps is "
        "{agents_tokens_deep_over_relational.sound:word}.** The relational agent then wins "
        "{deep:.2f} of late puzzles at the end. In the mean over half a million decisions, its "
        "share minus that of the agent of two blocks is "
        "{agents_tokens_deep_over_relational.sound}, and that of the 2-simplicial agent minus its "
        "own {agents_tokens_simplicial_over_deep.sound}. The paper had "
        "two runs of four blocks, which did not exceed its plateau.",
        sound,
        deep=float(runs["late_greedy"].astype(float).mean()),
    )


def one_maximum_fails(frames, looks, blind: float) -> Sentence:
    """No agent whose answer is read off one maximum wins more late puzzles than a guess.

    Args:
        blind: the share of all puzzles that a script wins which takes boxes last and asks nothing
            of them.
    """
    table = frames[PROTOCOL]
    seen = looks[looks["variant"].str.endswith(", maximum")]
    while_learning = seen.groupby(["model", "variant", "trial"])["win_rate"]
    runs = table[table["variant"].str.endswith(", maximum")]["late_greedy"].astype(float)
    scored = _tokens(table, "relational")["late_greedy"]
    return Sentence(
        "**If the answer is read off one maximum over all entities, as in the paper, no agent "
        "learns to tell the bridge from the box that leads on.** After two million decisions "
        "{n} runs win {least:.2f} to {most:.2f} of late puzzles, whatever they see; a guess at "
        "the bridge wins half. With a score of each object the relational agent wins "
        "{scored:.2f} after a quarter of these decisions. Of all puzzles, agents with one maximum "
        "win {begun:.2f} at first while they learn, and {ended:.2f} at the end. A script that "
        "takes the Gem and loose keys first, and asks nothing of boxes, wins {blind:.2f}: more "
        "they are not seen to learn. The 2-simplicial agent was tried with pictures alone. This "
        "read-out differs from "
        "scores in more than the maximum: it has four dense layers, more parameters, and weights "
        "of its own for each action. Which of these it is was not tried. Settings of learning were "
        "chosen in a pilot of the agent that scores objects, so this may be otherwise with other "
        "settings, and with the paper's billions of steps.",
        bool(runs.max() < 0.55),
        bool(scored.min() > 0.75),
        len(runs) >= 5,
        bool((while_learning.last() > while_learning.first()).all()),
        bool(while_learning.last().mean() < blind + NEAR),
        n=len(runs),
        blind=blind,
        begun=float(while_learning.first().mean()),
        ended=float(while_learning.last().mean()),
        least=float(runs.min()),
        most=float(runs.max()),
        scored=float(scored.mean()),
    )


def what_is_hard(frames) -> Sentence:
    """What each of the difficulties changes, of those whose runs are there."""
    answers = "a score of each object, and not one maximum over entities"
    rows = [
        (answers, "tokens", "tokens_scoring_over_maximum"),
        ("the same", "tiles", "tiles_scoring_over_maximum"),
        ("the same", "picture", "picture_scoring_over_maximum"),
        ("tokens, and not pictures", "picture", "tokens_over_picture"),
        ("2-simplicial attention too", "tokens", "tokens_simplicial_over_relational"),
        ("the same", "tiles", "tiles_simplicial_over_relational"),
        ("the same", "picture", "picture_simplicial_over_relational"),
        ("four blocks, and not two", "tokens", "tokens_deep_over_relational"),
    ]
    table = frames[PROTOCOL]
    seen = table["variant"].str.removesuffix(", scoring")
    seeds = table.groupby([seen, "model"])["trial"].nunique()
    there = set(seeds[seeds >= FEW].index)
    shown = [
        (what, sees, name)
        for what, sees, name in rows
        if (sees, "simplicial" if "simplicial" in name else "relational") in there
    ]
    lines = [f"| {what} | {SEES[sees]} | {{agents_{name}.sound}} |" for what, sees, name in shown]
    how = "With tokens: in the mean over half a million decisions."
    others = [(sees, "simplicial" in name) for _, sees, name in shown if sees != "tokens"]
    if any(not attention for _, attention in others):
        how += " Other read-outs: at the end."
    if any(attention for _, attention in others):
        how += " Other attention: in the mean over all decisions."
    if len(shown) < len(rows):
        how += (
            f" {len(rows) - len(shown)} more, of agents that see tiles or pictures, are not run, "
        )
        how += f"or with fewer than {FEW} seeds."
    return Sentence(
        "**With tokens, a score of each object in place of one maximum raises the share of late "
        "puzzles won by {agents_tokens_scoring_over_maximum.sound}; which attention the agent has "
        "is not seen to matter.** By how much one change raises that share:\n\n"
        "| change | the agent sees | difference in the share won |\n| --- | --- | --- |\n"
        + "\n".join(lines)
        + f"\n\n*Differences of means over seeds. {how} † The claim was changed after its runs had "
        "been seen.*",
        "agents_tokens_scoring_over_maximum.sound holds",
        "agents_tokens_simplicial_over_relational.sound undecided",
    )


def standard_world(frames, blind: float, floor: float, ahead: float) -> Sentence:
    """The world without bridges, on which the paper checked its relational agent: whether the
    reduced agent solves it as well.

    Args:
        blind: the share that random choices solve.
        floor: the share that the better of two scripts solves which look at one colour.
        ahead: the share that a script solves which takes no box whose key opens nothing.
    """
    table = frames[PROTOCOL]
    rows = table[table["variant"].eq(STANDARD)]
    if rows.empty:
        return Sentence("(not run)", False)
    won = rows["last_win_rate"].astype(float)
    return Sentence(
        "**Standard Box World, without bridges, is learned within half a million decisions if the "
        "agent chooses what to walk to and scores each object.** In the last tenth of them the "
        "relational agent solves {won:.3f} of all puzzles with actions that it draws, the mean of "
        "{n} seeds, the least {least:.3f}; the paper states more than 0.93 after 2.35e9 steps, "
        "which are not decisions. Random choices solve {blind:.2f}. A script that counts the tiles "
        "of one colour of a box solves {floor:.2f}, and one that looks a single box ahead "
        "{ahead:.2f}.",
        "agents_standard_world_is_learned.sound holds",
        bool(won.min() > floor),
        n=len(rows),
        won=float(won.mean()),
        least=float(won.min()),
        blind=blind,
        floor=floor,
        ahead=ahead,
    )


def the_start(frames, steps) -> Sentence:
    """The first single steps with the paper's hyperparameters."""
    if steps.empty:
        return Sentence("(not run)", False)
    points = published("fig_simplicial_06")
    theirs = points[points["x"].eq(points["x"].min())]["mean"].mean()
    blind = steps.groupby("model")["entropy"].last().min()
    first, last = {}, {}  # means of the first and the last looks
    for name, rows in steps.groupby("model"):
        won = rows["win_rate"].tolist()
        first[name], last[name] = np.mean(won[:SOME]), np.mean(won[-SOME:])
    said = "; ".join(
        f"the {AGENTS.get(str(name), name)} one {{{name}_first:.2f}} in the first looks and "
        f"{{{name}_last:.2f}} in the last"
        for name in first
    )
    return Sentence(
        "**In {million:.0f} million single steps our agents have learned next to nothing, and "
        "solve about as many puzzles as random steps do.** Of the puzzles that ended, these agents "
        "won: "
        + said
        + " (means of {some} looks). The published curves begin at {start:.2f}; at {billion:g} "
        "billion steps, the first point that we read off Figure 6, they have {theirs:.2f}. "
        "Without a limit of steps a blind player wins nearly as many, so the policies tell more: "
        "at the end the entropy of their choices is at least {blind:.3f} of that of a "
        "blind player. One seed of each agent shows a start and compares nothing.",
        bool(blind > BLIND),
        all(abs(one - theirs) < NEAR for one in last.values()),
        bool(levels().start < min(last.values())),
        all(abs(last[name] - first[name]) < NEAR for name in last),
        million=steps["steps"].max() / 1e6,
        billion=points["x"].min(),
        theirs=theirs,
        start=levels().start,
        some=SOME,
        blind=blind,
        **{f"{name}_first": one for name, one in first.items()},
        **{f"{name}_last": one for name, one in last.items()},
    )


def clipping(frames, steps) -> Sentence:
    """How mean squares of gradients compare with epsilon while an agent learns."""
    if steps.empty:
        return Sentence("(not run)", False)
    later = steps[steps["steps"] > 0.75 * steps["steps"].max()]
    shares = {"middle": 0.5, "high": 0.99, "top": 0.999}
    found = {
        f"{name}_{word}": rows[f"square_{share}"].median()
        for name, rows in later.groupby("model")
        for word, share in shares.items()
    }
    middle, high, top = ([v for name, v in found.items() if name.endswith(w)] for w in shares)
    said = "; ".join(
        f"of the {AGENTS.get(str(name), name)} agent half are below {{{name}_middle:.0e}} times "
        f"epsilon, one in a hundred is above {{{name}_high:.1f}} times epsilon, and one in a "
        f"thousand above {{{name}_top:.1f}} times"
        for name in later["model"].unique()
    )
    return Sentence(
        "**In these first {million:.0f} million steps epsilon outweighs the gradients of most "
        "weights. RMSProp moves these as plain gradient descent does, and cuts the steps of about "
        "one weight in a hundred, or of fewer.** Mean squares of gradients of one seed of each "
        "agent, in the last quarter of the steps: " + said + ". The policies are still nearly "
        "those of blind players, so later gradients may differ.",
        bool(max(middle) < 0.1),
        bool(min(high) > 0.3 and max(high) < 3),
        bool(min(top) > 1),
        million=steps["steps"].max() / 1e6,
        **found,
    )
