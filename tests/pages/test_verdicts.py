"""How verdicts are told: CLAIMS.md, the verdict matrix, the findings of the README."""

import re
import tomllib
from dataclasses import replace

import pytest

from abstractor_lib import paths
from abstractor_lib.findings import claims
from abstractor_lib.findings.claims import Judged
from abstractor_lib.findings.statistics import Interval
from abstractor_lib.pages import (
    claims_page,
    failures,
    front_page,
    headlines,
    open_questions,
    readme,
)
from abstractor_lib.pages.headlines import Finding, Outdated
from abstractor_lib.reporting import verdicts

ONE = Judged(
    id="a",
    item="fig_v3_04a",
    paper="v3",
    statement="Statement a.",
    protocol="sound",
    published=0.7,
    measured=0.5,
    low=0.4,
    high=0.6,
    n=10,
    verdict="holds",
    note="n = 5, 11 draws; tolerance 0.050",
    section="4.1",
    origin="stated",
    place="Figure 4a",
    figure="fig_v3_04a_order_relation",
)


def some(*given):
    """Verdicts from (id, origin, verdict), and a protocol if it is not `sound`."""
    return [
        replace(
            ONE,
            id=name,
            origin=origin,
            verdict=verdict,
            protocol=(*protocol, "sound")[0],
            statement=f"Statement {name}.",
        )
        for name, origin, verdict, *protocol in given
    ]


@pytest.fixture(scope="module")
def every(shipped):
    return shipped.verdicts


@pytest.fixture(autouse=True)
def known(monkeypatch):
    """Claims made up here are of no experiment."""
    real = claims_page._notebooks
    shown = {name: ("01_order_relations",) for name in "ab"}
    monkeypatch.setattr(claims_page, "_notebooks", lambda name: shown.get(name) or real(name))


def test_no_code_name_is_left_in_what_verdicts_tell(every):
    names = tomllib.loads((paths.data() / "names.toml").read_text(encoding="utf-8"))
    told = " ".join(verdict.note.partition("likely reason (")[0] for verdict in every)
    codes = set(re.findall(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b", told))
    assert codes <= set(names)
    assert codes and not {name for name in names.values() if "_" in name}


def test_stated_failing_claims_come_first_and_controls_last():
    given = some(
        ("control", "control", "fails"),
        ("suggested", "suggested", "fails"),
        ("holds", "stated", "holds"),
        ("fails once", "stated", "holds"),
        ("fails once", "stated", "fails", "described"),
    )
    (found,) = verdicts.by_section(given).values()
    assert [claim[0].id for claim in found] == ["fails once", "holds", "suggested", "control"]
    assert [one.protocol for one in found[0]] == ["described", "sound"]


def test_sections_are_in_the_order_of_the_papers():
    given = [
        replace(ONE, id=f"{paper} {section}", paper=paper, section=section)
        for paper, section in (
            ("003", "2.1"),
            ("v1", "10"),
            ("v1", "4.1"),
            ("v3", "C.1"),
            ("v3", "B.1.2"),
            ("v3", "4.1"),
        )
    ]
    assert list(verdicts.by_section(given)) == [
        ("v3", "4.1"),
        ("v3", "B.1.2"),
        ("v3", "C.1"),
        ("v1", "4.1"),
        ("v1", "10"),
        ("003", "2.1"),
    ]


def test_words_fit_whose_claim_it_is():
    page = claims_page.page(
        some(("b", "control", "fails"), ("c", "suggested", "holds"), ("d", "stated", "fails"))
    )
    stated, suggested, control = page.split("\n### ")[1:]
    assert "✗ **fails**" in stated
    assert "✓ **supported**" in suggested
    assert "✗ **no**" in control


def test_an_entry_tells_interval_paper_trials_post_hoc_and_reason():
    note = "n = 5, 11 draws; tolerance 0.050; post hoc"
    note += "; likely reason (not tested): one; and another"
    given = {"verdict": "fails", "post_hoc": True, "note": note}
    why = {"reason": "one; and another", "tested": "no"}
    told = claims_page.entry([replace(ONE, **given, **why)])
    flat = " ".join(told.split())
    assert "`sound`: ✗ **fails**, post hoc: 0.500 [0.400, 0.600]; the paper has 0.700; " in flat
    assert "0.700; n = 5, 11 draws; tolerance 0.050." in flat
    assert "*Likely reason (not tested):* one; and another." in flat
    shown = claims_page.entry([replace(ONE, **given, reason="one", tested="`b`, more of it")])
    assert "*Likely reason (tested by `b`, more of it):* one." in " ".join(shown.split())
    bracket = claims_page.entry([replace(ONE, measured=None, low=1.33, high=3.0)])
    assert "between 1.330 and 3; the paper has 0.700" in bracket
    lacking = replace(ONE, verdict="not run", measured=None, low=None, high=None, note="no grid")
    assert "· **not run**: no grid." in claims_page.entry([lacking])


def test_a_number_that_is_computed_has_no_interval():
    exact = claims_page.entry([replace(ONE, measured=1.994, low=1.994, high=1.994)])
    assert "holds**: 1.994; the paper has 0.700" in " ".join(exact.split())
    assert "1.994 [1.994, 1.995]" in claims_page.entry(
        [replace(ONE, measured=1.994, low=1.994, high=1.995)]
    )


def test_an_entry_says_what_is_true_by_mathematics():
    told = " ".join(claims_page.entry([replace(ONE, certain=True)]).split())
    assert told.count("*true by mathematics or arithmetic; checks the code*") == 1
    assert "by mathematics" not in claims_page.entry([ONE])
    assert "true by mathematics or arithmetic; checks the code" in "".join(
        claims_page.in_full([replace(ONE, certain=True)], verdicts.PLAIN_SIGNS)
    ).replace("\n", " ")


def test_lines_never_begin_with_what_would_be_markup():
    for word in ("-", "+", "*", ">", ">=", "#", "1.", "2)"):
        for length in range(60, 80):
            lines = claims_page.fill(f"{'x' * length} {word} 5 more").splitlines()
            assert max(map(len, lines)) <= 80
            for line in lines[1:]:
                assert not re.match(r"[-+*>#]|\d+[.)]", line), line


def test_shipped_claims_page_holds_every_claim_in_eighty_columns(every):
    page = claims_page.page(every)
    flat = " ".join(page.replace("\\", "").split())
    for claim in claims.read():
        assert f"`{claim.id}`" in page
        assert " ".join(claim.statement.split()) in flat
    lines = page.splitlines()
    definitions = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", page, re.M))
    assert max(len(line) for line in lines if not re.match(r"\[[^\]]+\]: ", line)) <= 80
    headings = {claims_page.anchor(line[3:]) for line in lines if line.startswith("## ")}
    for name, target in definitions.items():
        assert f"[{name}]" in page.replace("\n", " ")
        if target.startswith("#"):
            assert target[1:] in headings
        else:
            assert (paths.root() / target).is_file(), target


def test_a_post_hoc_verdict_says_so_wherever_it_is_shown(every):
    page = claims_page.page(every)
    entries = re.split(r"\n(?=\*\*)", page)
    for claim in claims.read():
        (entry,) = [text for text in entries if f"\n`{claim.id}`;" in text]
        late = claim.protocols if claim.post_hoc is True else claim.post_hoc or ()
        assert entry.count("post hoc") == len(late)
        assert all(f"- `{name}`: " in entry for name in late)


def test_a_claim_whose_figure_is_missing_is_an_error():
    with pytest.raises(ValueError, match="'fig_x_none' is linked, which is neither"):
        claims_page.page([replace(ONE, figure="fig_x_none")])


def test_the_readme_counts_each_claim_once_and_controls_apart():
    given = some(
        ("a", "stated", "holds"),
        ("b", "stated", "holds"),
        ("b", "stated", "fails", "described"),
        ("c", "stated", "holds"),
        ("c", "stated", "undecided", "described"),
        ("d", "control", "fails"),
        ("e", "suggested", "fails"),
        ("f", "suggested", "not run"),
    )
    table, made = readme.verdict_counts(given).split("\n\n")
    head, _, *rows = table.splitlines()
    mixed = "of these, hold under another protocol"
    assert head == f"| claims | in all | holds | fails | {mixed} | undecided | not run |"
    assert rows == [
        "| stated by the papers | 3 | 1 (1) | 1 (1) | 1 | 1 | 0 |",
        "| suggested by the papers | 2 | 0 | 1 (1) | 0 | 0 | 1 |",
        "| other controls of ours | 1 |  |  |  |  |  |",
    ]
    assert made.startswith("**Of 1 claims of the papers that hold in experiments, 1 have no †:**")
    assert "*5 claims of the papers come from 1 quotations;" in made
    none = readme.verdict_counts(some(("f", "suggested", "not run")))
    assert "that hold" not in none and "*1 claims of the papers" in none


def test_the_readme_counts_quotations_once():
    given = some(*((name, "stated", "holds") for name in "abc"), ("d", "control", "holds"))
    given[1] = replace(given[1], place="another place")
    given[2] = replace(given[2], paper="v1")  # the same words, of another paper
    assert "3 claims of the papers come from 3 quotations" in readme.verdict_counts(given)
    given[2] = replace(given[2], paper="v3")
    assert "3 claims of the papers come from 2 quotations" in readme.verdict_counts(given)


def test_post_hoc_counts_in_the_protocols_that_decide():
    given = some(
        ("a", "stated", "holds"),
        ("a", "stated", "not run", "described"),
        ("b", "stated", "holds"),
        ("b", "stated", "holds", "described"),
        ("c", "stated", "fails"),
        ("c", "stated", "holds", "described"),
        ("d", "stated", "fails"),
    )
    late = {("a", "described"), ("b", "sound"), ("c", "described"), ("d", "sound")}
    given = [replace(one, post_hoc=(one.id, one.protocol) in late) for one in given]
    told = readme.verdict_counts(given)
    assert "| stated by the papers | 4 | 2 (1) | 2 (1) |" in told  # a, not b; c, not d


def test_the_readme_counts_claims_that_mathematics_decides_apart():
    """They cannot fail but by a mistake in our code, so they are not among those that hold."""
    given = some(("a", "stated", "holds"), ("b", "stated", "holds"), ("c", "suggested", "fails"))
    given = [replace(one, certain=one.id != "a") for one in given]
    told = readme.verdict_counts(given)
    assert "| stated by the papers | 1 | 1 (1) | 0 | 0 | 0 |" in told
    assert "suggested" not in told
    label = "settled by mathematics or arithmetic, 0 of them controls of ours"
    assert f"| {label} | 2 | 1 | 1 |  |  |" in told
    assert "*3 claims of the papers come from" in told


FINDING = Finding("order", "It is {a.sound}.", "fig_v3_04a_order_relation", ("a.sound holds",))


def test_a_finding_has_computed_numbers_and_a_figure():
    (line,) = headlines.numbered([FINDING], [ONE]).splitlines()
    assert line == ("1. It is 0.50 [0.40, 0.60]. [Figure](figures/fig_v3_04a_order_relation.png)")


def test_the_page_of_findings_has_all_of_them(every):
    found = headlines.read()
    page = headlines.page(every)
    assert page.count("\n1. ") == 1 and f"\n{len(found)}. " in page
    start = "](../figures/{}.png)"
    assert all(start.format(one.figure) in page for one in found)


def test_a_finding_does_not_outlive_its_verdicts():
    message = "'order': a.sound is 'fails'; the sentence says 'holds'"
    with pytest.raises(Outdated, match=message):
        headlines.numbered([FINDING], [replace(ONE, verdict="fails")])


def test_a_finding_on_an_incomplete_grid_is_no_error():
    given = [replace(ONE, verdict="not run", measured=None, low=None, high=None)]
    assert headlines.numbered([FINDING], given) == (
        "1. *Not run: order.* Runs are missing under `sound`."
    )
    given.append(replace(ONE, protocol="described", verdict="fails"))
    both = replace(FINDING, because=("a.sound holds", "a.described holds"))
    with pytest.raises(Outdated, match=r"a\.described is 'fails'"):
        headlines.numbered([both], given)


def test_a_finding_that_names_no_claim_is_an_error():
    for wrong in (replace(FINDING, because=("b.sound holds",)), replace(FINDING, text="{b.sound}")):
        with pytest.raises(ValueError, match=r"findings.toml, 'order': the sentence .* 'b.sound'"):
            headlines.numbered([wrong], [ONE])


def test_shipped_sentences_have_grounds_and_no_typed_measurements():
    """Of the findings and of the front page: a number with decimals is computed, or a bound of a
    claim that the sentence rests on, or that of a theorem."""
    known = {claim.id: claim for claim in claims.read()}
    front = front_page.read()
    sentences = [(finding.text, finding.because) for finding in headlines.read()]
    sentences += [(one["text"], one["because"]) for one in front["line"] + front["advice"]]
    for sentence, because in sentences:
        assert because, sentence
        rests = [known[reason.partition(".")[0]] for reason in because]
        bounds = {f"{value:g}" for one in rests for value in (one.bound, one.tolerance or 0)}
        text = re.sub(r"\{[^}]*\}|Theorem \d+\.\d+", "", sentence)
        assert set(re.findall(r"\d+\.\d+", text)) <= bounds, sentence


def test_a_line_of_the_front_page_does_not_outlive_its_verdicts(every):
    known = front_page.by_protocol(every)
    one = known["set_v3_solves", "sound"]
    other = {**known, (one.id, one.protocol): replace(one, verdict="fails")}
    with pytest.raises(
        Outdated, match=r"front_page.toml, line \d+: set_v3_solves.sound is 'fails'"
    ):
        front_page.bullets("reproduces", other)
    bare = replace(one, verdict="not run", measured=None, low=None, high=None)
    told = front_page.bullets("reproduces", {**known, (one.id, one.protocol): bare})
    assert told.count("*Not run:* runs are missing under `sound`. *(sound)* [Figure]") == 1


def test_every_line_is_in_one_of_the_lists():
    assert {line["list"] for line in front_page.read()["line"]} == {
        "reproduces",
        "differs",
        "learned",
    }


def test_a_mark_of_the_table_is_the_verdict_and_leads_to_the_claim(every):
    """Read back from the table and from CLAIMS.md."""
    known, page = front_page.by_protocol(every), claims_page.page(every)
    _, _, *rows = front_page.glance(known).splitlines()
    seen = set()
    for row, entry in zip(rows, front_page.read()["row"], strict=True):
        said, *cells = (cell.strip() for cell in row.strip("|").split("|"))
        assert said == entry["says"]
        for protocol, cell in zip(verdicts.PROTOCOLS, cells, strict=True):
            one = known.get((entry["claim"], protocol), known.get((entry.get("also"), protocol)))
            if one is None:
                assert cell == ""
                continue
            assert cell == f"[{verdicts.SIGNS[one.verdict]} {one.word}](CLAIMS.md#{one.id})"
            assert page.count(f'<a id="{one.id}"></a>') == 1
            seen.add(one.verdict)
    assert seen == set(verdicts.VERDICTS)
    with pytest.raises(ValueError, match="a row names 'order_v3_abstractor_learns', which is no"):
        front_page.glance({("a", "sound"): ONE})


def test_what_fails_has_each_failing_statement_of_the_papers_once(every):
    page = " ".join(failures.page(every).replace("\\", "").split())
    ids = {one.id for one in every if one.verdict == "fails"}
    for claim in claims.read():
        certain = next(one.certain for one in every if one.id == claim.id)
        told = claim.id in ids and claim.origin != "control"
        assert page.count(f"(../CLAIMS.md#{claim.id})") == told, claim.id
        if told:
            measured, settled = page.split("## Settled by mathematics or arithmetic")
            assert " ".join(claim.statement.split()) in (settled if certain else measured)


def test_brackets_without_an_estimate_are_told():
    nothing = float("nan")
    assert verdicts.measured(Interval(nothing, 1000, 1500, 5)) == "between 1000 and 1500"


def test_an_open_question_that_was_run_has_an_answer_with_numbers_and_any_other_has_none(every):
    page = open_questions.page(every)
    with (paths.data() / open_questions.FILE).open("rb") as file:
        asked = tomllib.load(file)["question"]
    lines = page.partition("## Questions")[2].splitlines()
    rows = [line for line in lines if line.startswith("| ")][2:]  # below the head of the table
    assert len(rows) == len(asked) > 3
    for row, one in zip(rows, asked, strict=True):
        assert one["asks"] in row
        assert ("*Not run.*" in row) == ("answer" not in one)
        assert bool(re.search(r"\d\.\d+ \[", row)) == ("answer" in one)


def test_an_open_question_whose_grounds_have_changed_is_an_error(every):
    others = [
        replace(one, verdict="fails") if one.id == "length_arms_learn" else one for one in every
    ]
    with pytest.raises(headlines.Outdated, match=r"open_questions\.toml, question 1"):
        open_questions.page(others)
