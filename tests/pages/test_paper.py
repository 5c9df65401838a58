"""The paper: numbers that are computed, the same bytes again, for archives and for all readers."""

import io
import json
import re
import shutil
from collections import Counter

import pytest
import yaml

from abstractor_lib import Failure, paths
from abstractor_lib.pages.paper import reviewer, typeset, values
from abstractor_lib.records.workspace import Workspace
from abstractor_lib.reporting.study import Study

pypdf = pytest.importorskip("pypdf")
pytest.importorskip("typst")

ROOT = paths.root()
TEXT = (ROOT / typeset.SOURCE).read_text()
FOLDER = (ROOT / typeset.SOURCE).parent
TABLES = re.findall(r"^#listing\(", TEXT, re.M)  # a reviewer's is in a block
PICTURES = re.findall(r'#picture\(\s*"([^"]+)"', TEXT)


@pytest.fixture(scope="module")
def made():
    return typeset.pdf(ROOT)


@pytest.fixture(scope="module")
def reader(made):
    return pypdf.PdfReader(io.BytesIO(made))


@pytest.fixture(scope="module")
def found(shipped):
    return shipped.studies


@pytest.fixture(scope="module")
def every(shipped):
    return shipped.verdicts


@pytest.fixture
def copy(tmp_path):
    """A folder with all that the paper is made of."""
    shutil.copytree(FOLDER, tmp_path / "docs" / "paper")
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    (tmp_path / "figures").mkdir()
    for name in PICTURES:
        shutil.copy(ROOT / "figures" / f"{name}.svg", tmp_path / "figures")
    return tmp_path


def words(content) -> str:
    """The text of a PDF with single spaces and without the hyphens at ends of lines."""
    pages = pypdf.PdfReader(io.BytesIO(content)).pages
    text = "\n".join(page.extract_text() for page in pages)
    return " ".join(re.sub(r"(?<=[a-z])-\s*\n", "", text).replace("−", "-").split())


def elements(node):
    """The elements of a PDF's structure, in the order of reading."""
    node = node.get_object()
    if isinstance(node, list):
        for child in node:
            yield from elements(child)
    elif isinstance(node, dict):
        if "/S" in node:
            yield node
        if "/K" in node:
            yield from elements(node["/K"])


def test_it_comes_out_the_same_byte_for_byte_elsewhere_too(made, copy):
    assert typeset.pdf(ROOT) == made
    assert typeset.pdf(copy) == made


def test_it_has_the_length_of_an_article_and_names_who_signs_it(reader):
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    cited = citation["preferred-citation"]
    assert 6 <= len(reader.pages) <= 10
    assert reader.metadata.title == cited["title"]
    assert reader.metadata.author == ", ".join(one["name"] for one in cited["authors"])
    assert str(reader.metadata.creation_date.date()) == citation["date-released"]
    assert citation["date-released"].startswith(str(cited["year"]))


def test_it_is_for_archives_and_for_readers_of_any_ability(reader):
    """What PDF/A-2a and PDF/UA-1 ask for and a reader can see; Typst refuses to write less."""
    root = reader.trailer["/Root"]
    data = root["/Metadata"].get_object().get_data().decode()
    for tag in ("pdfaid:part>2<", "pdfaid:conformance>A<", "pdfuaid:part>1<"):
        assert tag in data
    assert root["/MarkInfo"]["/Marked"] and root["/Lang"] == "en-GB"
    kinds = Counter(element["/S"] for element in elements(root["/StructTreeRoot"]))
    assert kinds["/Figure"] == len(PICTURES) and kinds["/Table"] == len(TABLES)
    for element in elements(root["/StructTreeRoot"]):
        if element["/S"] in ("/Figure", "/Formula"):
            assert len(element["/Alt"].split()) >= 15, element


def test_its_fonts_are_in_the_file_and_are_those_of_typst_and_of_the_figures(reader):
    fonts = {
        str(font.get_object()["/BaseFont"]).partition("+")[2].partition("-")[0]
        for page in reader.pages
        for font in page["/Resources"].get("/Font", {}).values()
    }
    assert fonts == {"LibertinusSerif", "NewCMMath", "DejaVuSans", "DejaVuSansMono"}


def test_all_references_are_cited_and_every_citation_stands_in_the_list(made):
    entries = (FOLDER / "references.bib").read_text(encoding="utf-8").split("\n@")
    assert all(re.search(r"^  (doi|url) = ", one, re.M) for one in entries)
    keys = [re.match(r"@?\w+\{(\w+),", one)[1] for one in entries]
    assert set(keys) <= set(re.findall(r"@(\w+)", TEXT))
    cited = {int(one) for one in re.findall(r"\[(\d\d?)\]", words(made))}
    assert cited == set(range(1, len(keys) + 1))


LEARNS = "order_v3_abstractor_learns.sound"


def changed(monkeypatch, every, by):
    """All verdicts, if the Abstractor's accuracy were another in one run that the paper cites."""
    records, study = Workspace().records("order"), Study("order")
    trials = study.table("sound")
    cited = trials[trials["model"].eq("abstractor") & trials["size"].eq(495)]
    run = cited.loc[cited["variant"] == "curve", "run"].iloc[0]
    metrics = records[run]["metrics"]
    metrics["test_accuracy"] = [value + by for value in metrics["test_accuracy"]]
    monkeypatch.setattr(Workspace, "records", lambda self, name: records)
    again = Study("order").judged()
    return [one for one in every if one.id not in {mine.id for mine in again}] + again


@pytest.mark.slow
def test_a_changed_record_changes_the_number(monkeypatch, every, found, made, copy):
    other = changed(monkeypatch, every, by=-0.02)
    (copy / typeset.VALUES).write_text(values.page(copy / typeset.SOURCE, other, found))
    before, after = (
        json.loads((folder / typeset.VALUES).read_text())["numbers"][f"{LEARNS}:.2f"]
        for folder in (ROOT, copy)
    )
    assert before != after
    assert f"a share of {before} of unseen pairs" in words(made)
    assert f"a share of {after} of unseen pairs" in words(typeset.pdf(copy))


def test_it_is_not_built_on_a_verdict_that_has_changed(monkeypatch, every, found, copy):
    other = changed(monkeypatch, every, by=-0.5)
    (copy / typeset.VALUES).write_text(values.page(copy / typeset.SOURCE, other, found))
    with pytest.raises(Failure, match=rf"no longer say: .*{LEARNS} is 'undecided'"):
        typeset.pdf(copy)


def test_a_number_without_a_value_is_an_error_in_one_sentence(copy):
    source = copy / typeset.SOURCE
    source.write_text(f'{source.read_text()}\n#n("nothing.known")\n')
    with pytest.raises(Failure, match=r"paper\.typ: .*nothing\.known.*`abstractor readme`"):
        typeset.pdf(copy)
    source.write_text('#n("nothing.known")')
    with pytest.raises(
        ValueError, match=r"^paper\.typ: a number is 'nothing\.known'; expected [^;]*$"
    ):
        values.page(source, [], {})
    source.write_text('#row("no_claim", [It is so.])')
    with pytest.raises(
        ValueError, match=r"^paper\.typ: a row is of 'no_claim'; no claim has that name"
    ):
        values.page(source, [], {})


CODE = (  # of the source, and not of the text
    r"//.*",
    r"#rests\([^)]*\)",
    values.NUMBER.pattern,
    values.ROW.pattern,
    r'#picture\(\s*"[^"]+"',
    r"width: \d+%|\b1fr\b",
    r"<[a-z-]+>",
    r"@[a-z]+\d*(?:-[a-z]+)?",
)
PLACE = re.compile(
    r"\b(?:Figures?|Tables?|[Ss]ections?|Theorem|footnote)\s\d+[a-f]?(?:\.\d)?"
    r"(?:(?:,| and| to) \d[a-f]?)*"
)
ALLOWED = {
    "2-simplicial": "a name",
    "v1": "a name",
    "v3": "a name",
    "2023": "the year of v1",
    "2024": "the year of v3",
    "95": "the confidence of all intervals",
}


def test_no_number_is_typed():
    text = re.sub("|".join(CODE), " ", TEXT)
    text = PLACE.sub(" ", text)
    assert set(re.findall(r"[a-zA-Z-]*\d[\w.,-]*\b", text)) == set(ALLOWED)
    template = re.sub(r"\d[\d.]*(?:pt|em|mm|%|fr)", " ", (FOLDER / "template.typ").read_text())
    assert not re.findall(r"\[[^\]]*\d[^\]]*\]", template)


def test_numbers_of_the_text_do_not_swallow_what_follows():
    """Typst takes a semicolon after a call for the end of the call."""
    assert not re.search(r'n\("[^"]*"\);', TEXT)


PRESET = """
[[preset]]
section = "order relations"
what = "accuracy of CoRelNet"
experiment = "order"
protocol = "published"
model = "corelnet_symmetric"
variant = "curve"
size = 495
metric = "test_accuracy"
"""


def test_a_reviewer_sees_a_record_that_was_changed(tmp_path, monkeypatch):
    """The third number is computed, not read: at chance level, whatever the record says."""
    file = tmp_path / "presets.toml"
    file.write_text(PRESET)
    (preset,) = reviewer.presets(file)
    record = preset.record(Workspace())
    record["metrics"]["test_accuracy"] = [0.9] * 10
    monkeypatch.setattr(Workspace, "records", lambda self, name: {record["run"]: record})
    (row,) = json.loads(reviewer.review("A. Reader", file))["rows"]
    assert (row["recorded"], row["paper"], row["run"]) == ("0.9000", "", record["run"][:12])
    assert abs(float(row["again"]) - 0.5) < 0.1


def test_a_preset_is_one_run(tmp_path):
    file = tmp_path / "presets.toml"
    text = PRESET.replace('"order"', '"robust_recovery"').replace("published", "described")
    text = text.replace("corelnet_symmetric", "recovery").replace('"curve"', '"gaussian"')
    file.write_text(text.replace("495", "40"))
    with pytest.raises(ValueError, match=r"fits runs of \d+ settings; expected `also` to tell"):
        reviewer.presets(file)[0].record(Workspace())


@pytest.mark.slow
def test_a_reviewers_table_is_in_the_paper(copy):
    rows = [
        {
            **{"section": "sorting", "what": "sequences sorted", "protocol": "published"},
            **{"run": "0123456789ab", "trials": 10, "same class": True},
            **{"paper": "", "recorded": "0.1234", "again": "0.5678"},
        }
    ]
    (copy / "build").mkdir()
    reviewed = {"reviewer": "A. Reader", "rows": rows}
    (copy / typeset.REVIEWED).write_text(json.dumps(reviewed))
    text = words(typeset.pdf(copy, typeset.REVIEWED))
    assert "Computed again by A. Reader" in text
    assert "sorting sequences sorted, published 0123456789ab 10 – 0.1234 0.5678*" in text
    assert "A. Reader" not in words(typeset.pdf(copy))


def test_every_preset_is_a_run_that_ships_and_fits_minutes():
    presets, records = reviewer.presets(ROOT / typeset.PRESETS), Workspace()
    seconds = [preset.record(records)["provenance"]["seconds"] for preset in presets]
    source = (ROOT / "docs" / "paper" / "paper.typ").read_text(encoding="utf-8")
    results = source.split("\n= Results")[1].split("\n= ")[0]
    sections = set(re.findall(r"^== (.*)$", results, flags=re.MULTILINE))
    assert {preset.section for preset in presets} == sections - {"Mathematics problems"}
    assert sum(seconds) < 600
    assert all(preset.paper is None or preset.paper > 0 for preset in presets)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("size = 495", "size = 1", r"^the preset 'order relations' is of a run without a record"),
        (
            '"test_accuracy"',
            '"test_accuracy"\nfigure = "fig_v3_04b"\nseries = "Abstractor"',
            r"^the preset 'order relations' has size 495; fig_v3_04b has: 500, 1000, ",
        ),
        (
            'model = "corelnet_symmetric"\nvariant = "curve"',
            'model = "corelnet_symmetric"\nvariant = "curve"\nalso = { none = 1 }',
            r"^the preset 'order relations' is of a run without a record",
        ),
        ("size = 495", "sizes = 495", r"^Preset has no field 'sizes'; allowed: section, what, "),
    ],
)
def test_bad_presets(tmp_path, old, new, message):
    file = tmp_path / "presets.toml"
    file.write_text(PRESET.replace(old, new))
    with pytest.raises(ValueError, match=message):
        reviewer.review("A. Reader", file)
    with pytest.raises(ValueError, match="--reviewer is empty; expected a name"):
        reviewer.review(" ", file)
