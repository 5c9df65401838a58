"""The repository itself: versions that agree, imports that point one way, a README that is true."""

import ast
import gzip
import json
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import fromstring

import click
import pytest
import torch
import yaml
from packaging.requirements import Requirement

import abstractor_lib
from abstractor_lib import cli, nn, paths, theory
from abstractor_lib.execution.machine import CLASS
from abstractor_lib.experiments.protocol import PROTOCOLS

ROOT = paths.root()
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT, BUILD = PYPROJECT["project"], PYPROJECT["build-system"]
README = (ROOT / "README.md").read_text()
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text()
    for path in [
        *(
            ROOT / f"{name}.md"
            for name in ("README", "ARTIFACT", "CLAIMS", "CONTRIBUTING", "SECURITY")
        ),
        *sorted((ROOT / "docs").glob("*.md")),
    ]
}


def direct():
    """The direct dependencies of pyproject.toml by name, without extras of other environments."""
    extras = PROJECT["optional-dependencies"]
    apart = {"site", "onnx", "rl"}
    groups = [PROJECT["dependencies"], *(extras[name] for name in extras if name not in apart)]
    found = [Requirement(line) for group in groups for line in group]
    return {one.name: one for one in found}


def locked(name="requirements.lock"):
    """What a lock pins, by name: a requirement with its marker, and its hashes."""
    lines = (ROOT / name).read_text().replace("\\\n", "").splitlines()
    entries = [line.split(" --hash=") for line in lines if not line.startswith("#")]
    pinned = {one.split("==")[0]: (Requirement(one), hashes) for one, *hashes in entries}
    assert len(pinned) == len(entries)  # one version, on whatever system
    return pinned


def test_versions_agree():
    version = PROJECT["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    heading = re.search(r"^## (\S+) \((\S+)\)", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert abstractor_lib.__version__ == version == citation["version"] == heading[1]
    assert citation["date-released"] == heading[2]


TOWNCRIER = PYPROJECT["tool"]["towncrier"]
CHANGES = sorted((ROOT / TOWNCRIER["directory"]).glob("[!R]*"))


def test_changes_have_kinds_and_are_in_the_next_changelog():
    kinds = [one["directory"] for one in TOWNCRIER["type"]]
    page = (ROOT / "docs" / "changes" / "README.md").read_text()
    assert re.findall(r"^\| `(\w+)` \|", page, re.M) == kinds
    command = [Path(sys.executable).parent / "towncrier", "build", "--draft", "--version", "9.9"]
    draft = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60).stdout
    assert draft.startswith("## 9.9 (")
    words = " ".join(draft.split())
    for path in CHANGES:
        assert re.fullmatch(rf"\+[a-z0-9-]+\.({'|'.join(kinds)})\.md", path.name), path.name
        assert " ".join(path.read_text().split()) in words, path.name
    assert TOWNCRIER["start_string"] in (ROOT / "CHANGELOG.md").read_text()


def test_citation_is_a_citation_of_software_and_papers():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert (citation["cff-version"], citation["type"]) == ("1.2.0", "software")
    assert citation["license"] == PROJECT["license"] == "MIT"
    assert len(citation["references"]) == 4
    cited = citation["preferred-citation"]
    assert (cited["type"], cited["authors"]) == ("report", citation["authors"])
    for paper in citation["references"]:
        assert {"type", "title", "authors", "year"} <= set(paper)


def test_bibtex_says_what_the_citation_file_says():
    """Each entry against its like in CITATION.cff, and against the article's references."""
    page = PAGES["docs/citing.md"]
    entries = re.findall(r"@\w+\{(\w+),\n(.*?)\n\}\n", page, re.S)
    found = {}
    for key, fields in entries:
        pairs = re.findall(r"^\s+(\w+)\s+= \{(.*)\},$", fields, re.M)
        found[key] = {name: re.sub(r"[{}]", "", value) for name, value in pairs}
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    software, papers = citation, citation["references"]
    assert [one["title"] for one in found.values()] == [one["title"] for one in [software, *papers]]
    own = found["abstractor_companion"]
    assert own["version"] == str(software["version"])
    assert own["year"] == str(software["date-released"])[:4]
    assert own["author"] == software["authors"][0]["name"]
    bibliography = (ROOT / "docs" / "paper" / "references.bib").read_text()
    for (key, one), paper in zip(list(found.items())[1:], papers, strict=True):
        names = [f"{who['family-names']}, {who['given-names']}" for who in paper["authors"]]
        assert one["author"] == " and ".join(names)
        assert one["year"] == str(paper["year"])
        assert f"{{{key}," in bibliography
        for known in paper.get("identifiers", []):
            assert known["value"] == f"arXiv:{one['eprint']}"
        assert f"(https://arxiv.org/abs/{one['eprint']})" in page


def test_environment_holds_the_direct_dependencies():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, pip, listed = environment["dependencies"]
    assert (python, pip) == ("python=3.11", "pip")
    requirements = [line for line in listed["pip"] if not line.startswith("-")]
    assert {str(Requirement(line)) for line in requirements} == {str(r) for r in direct().values()}
    assert listed["pip"][-1] == "--editable ."


@pytest.mark.parametrize("name", ["requirements.lock", "docs/requirements.lock"])
def test_locks_are_exact_and_hashed(name):
    """Each package has the hash of at least one file; pip refuses a lock in which one has none."""
    for one, hashes in locked(name).values():
        (pin,) = one.specifier
        assert pin.operator == "==", one
        assert hashes, one
        assert all(re.fullmatch("sha256:[0-9a-f]{64}", value.strip()) for value in hashes), one


def test_lock_satisfies_the_dependencies_and_the_makefile_pins_torch():
    """The lock leaves torch out, and with it the libraries of CUDA."""
    makefile = (ROOT / "Makefile").read_text()
    torch = Requirement(re.search(r"^TORCH \?= (\S+)$", makefile, re.M)[1])
    pinned = {name: one for name, (one, _) in locked().items()}
    assert not [name for name in pinned if re.match("torch|nvidia|cuda|triton", name)]
    for name, wanted in direct().items():
        (pin,) = {**pinned, "torch": torch}[name].specifier
        assert wanted.specifier.contains(pin.version), name
    assert str(torch) == "torch==2.13.0"
    assert "python3.11" in makefile
    (backend,) = (Requirement(line) for line in BUILD["requires"])  # not taken from elsewhere
    (pin,) = pinned[backend.name].specifier
    assert backend.specifier.contains(pin.version)


def test_the_site_has_a_lock_of_its_own():
    """Without packages that the other one pins, and enough for the extras ``site`` and ``onnx``, so
    that the CI skips no export."""
    site, others = locked("docs/requirements.lock"), locked()
    assert not site.keys() & others.keys()
    extras = PROJECT["optional-dependencies"]
    for line in extras["site"] + extras["onnx"]:
        wanted = Requirement(line)
        (pin,) = site[wanted.name][0].specifier
        assert wanted.specifier.contains(pin.version), line


def test_imports_point_one_way_and_in_no_circle():
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert found.returncode == 0, found.stdout


HOOKS = {
    hook["id"]: hook
    for repository in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    for hook in repository["hooks"]
}


@pytest.mark.parametrize("name", HOOKS)
def test_hooks_find_nothing(name):
    """What pre-commit runs before a commit: linting, format, types, notebooks, changelog."""
    program, *rest = shlex.split(HOOKS[name]["entry"])
    found = subprocess.run(
        [Path(sys.executable).parent / Path(program).name, *rest],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "VIRTUAL_ENV": sys.prefix},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_hooks_need_neither_a_network_nor_an_installation():
    command = [Path(sys.executable).parent / "pre-commit", "validate-config"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, timeout=60).returncode == 0
    for hook in HOOKS.values():
        assert hook["language"] == "system"
        assert hook["entry"].startswith(".venv/bin/")


UNPICKLERS = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "marshal", "shelve"}


@cache
def code_of_ours():
    """The syntax trees of library, notebooks and tools, by path."""
    paths = [*(ROOT / "abstractor_lib").rglob("*.py"), *(ROOT / "notebooks").glob("*.py")]
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def dotted(function: ast.expr) -> str:
    """The name of what is called, such as ``np.load``; ``.load`` where an expression is before
    it."""
    parts = []
    while isinstance(function, ast.Attribute):
        parts.append(function.attr)
        function = function.value
    parts.append(function.id if isinstance(function, ast.Name) else "")
    return ".".join(reversed(parts))


def test_nothing_is_unpickled_or_executed():
    """No module that unpickles is imported, and no function that does is called; nor is text run
    as code, or a shell."""
    for path, tree in code_of_ours().items():
        for node in ast.walk(tree):
            names = []
            if isinstance(node, ast.Import):
                names = [one.name for one in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            assert not {name.split(".")[0] for name in names} & UNPICKLERS, path
            if not isinstance(node, ast.Call):
                continue
            name = dotted(node.func)
            given = {
                one.arg: ast.unparse(one.value)
                for one in node.keywords
                if one.arg in ("shell", "allow_pickle")
            }
            assert not name.endswith(("torch.load", "joblib.load", "read_pickle", "yaml.load")), (
                path
            )
            assert name not in ("eval", "exec", "os.system"), path
            assert given.get("shell") != "True" and given.get("allow_pickle") != "True", path
            assert name != "np.load" or given.get("allow_pickle") == "False", path


def test_texts_are_read_and_written_as_utf_8():
    """Whatever the locale is; files of the system, which are ASCII, apart."""
    for path, tree in code_of_ours().items():
        if path.parent.name == "execution":  # /proc, /sys
            continue
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for call in calls:
            if dotted(call.func).split(".")[-1] == "read_text" and not call.args:
                assert [one.arg for one in call.keywords] == ["encoding"], (path, call.lineno)


def test_rows_of_equal_values_have_one_order():
    """numpy's quicksort puts equal values in another order where the processor has AVX-512. (By
    several columns, pandas always sorts stably; an intersection has no equal values.)"""
    for path, tree in code_of_ours().items():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        for call in calls:
            what = ast.unparse(call.func)
            if what.endswith(".sort_values") and ".intersection(" not in what:
                several = call.args and isinstance(call.args[0], ast.List)
                kinds = [ast.unparse(one.value) for one in call.keywords if one.arg == "kind"]
                assert several or kinds == ["'stable'"], (path, call.lineno)


def test_torch_is_seeded_in_one_place():
    found = set()
    for path in (ROOT / "abstractor_lib").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name.endswith(("manual_seed", "random.seed", "seed_everything")):
                    found.add(path.relative_to(ROOT).as_posix())
    assert found == {
        "abstractor_lib/execution/compute.py",
        "abstractor_lib/execution/mathematics/generator.py",  # runs in the generator's environment
    }


def test_library_code_never_asks_for_a_protocols_name():
    """No branch on described, published or sound, but in the settings that define them; what
    notebooks say and tabulate speaks of them. (Which protocol needs converged runs and which draws
    set a tolerance are rules of the verdicts.)"""
    speak = ("settings.py", "protocol.py", "sentences.py", "results.py")
    for folder in ("nn", "tasks", "training", "execution", "experiments"):
        for path in (ROOT / "abstractor_lib" / folder).rglob("*.py"):
            if path.name in speak:
                continue
            assert not re.search(r"[\"'](described|published|sound)[\"']", path.read_text()), path
            if path.name in ("grid.py", "run.py"):  # take nothing from what speaks of runs
                speaks = r"^from \.(?!\.).*\b(sentences|results)\b"
                assert not re.search(speaks, path.read_text(), re.M), path


def test_the_tree_is_small_and_says_nothing_of_this_machine(repository_files):
    assert len(repository_files) > 1000
    assert sum(path.stat().st_size for path in repository_files) < 48 * 2**20
    home = str(Path.home())
    for path in repository_files:
        if path.suffix in (".npz", ".png", ".safetensors") or path.name == "test_repository.py":
            continue
        raw = path.read_bytes()
        content = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
        assert str(ROOT) not in content, path
        if len(home) > 5:
            assert home not in content, path


def code(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGES[page], re.S | re.M)


@pytest.mark.parametrize("page", [page for page in PAGES if code(page, "python")])
def test_examples_run(page):
    for block in code(page, "python"):
        exec(compile(block, page, "exec"), {})


def test_pages_that_need_examples_have_them():
    assert code("README.md", "python")
    assert len(code("docs/library.md", "python")) >= 4
    assert len(code("docs/statistics.md", "python")) >= 8


def test_the_page_of_the_library_names_all_modules():
    page = PAGES["docs/library.md"]
    parts = [name for name, one in vars(nn).items() if isinstance(one, type)]
    parts = [name for name in parts if issubclass(getattr(nn, name), torch.nn.Module)]
    parts += [one.name for one in pkgutil.iter_modules(theory.__path__)]
    assert len(parts) > 60
    assert not [name for name in parts if f"`{name}`" not in page]


def test_commands_of_pages_exist():
    """Every `abstractor ...` and `make ...` is a command with these options."""
    found = {page: re.findall(r"`abstractor ([^`]+)`", text) for page, text in PAGES.items()}
    assert len(found["docs/commands.md"]) >= 20
    for page, commands in found.items():
        for line in commands:
            name, *words = line.split(",")[0].split()
            if name == "COMMAND":
                continue
            command = cli.main.commands[name]
            if isinstance(command, click.Group):
                command = command.commands[words[0]]
            options = {option for parameter in command.params for option in parameter.opts}
            given = {word for word in words if word.startswith("--")} - {"--help"}
            assert given <= options, (page, line)
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    for text in PAGES.values():
        assert set(re.findall(r"^make ([a-z]+)|`make ([a-z]+)", text, re.M)) <= {
            *((name, "") for name in targets),
            *(("", name) for name in targets),
        }


@pytest.mark.parametrize("page", PAGES)
def test_files_that_pages_link_exist(page):
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)|^\[[^\]]+\]: ([^#\s]+)", PAGES[page], re.M)
    for target in filter(None, (one or other for one, other in links)):
        if not target.startswith("https://"):
            assert ((ROOT / page).parent / target).is_file(), target


def test_a_newcomer_can_read_the_readme():
    """It is short, and explains its words before it uses them."""
    lines = README.splitlines()
    assert len(lines) < 250
    for protocol in PROTOCOLS:
        first = next(line for line in lines if f"`{protocol}`" in line)
        assert first.startswith(f"| `{protocol}` | what "), first
    assert "not* covered" in README.partition("\n## ")[0]


def test_the_words_in_the_pictures_of_the_readme_can_be_read_on_a_phone():
    """At least nine pixels high where a page 390 pixels wide leaves 358 for a picture."""
    pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert pictures
    for name in pictures:
        root = fromstring((ROOT / name).with_suffix(".svg").read_text(encoding="utf-8"))
        points = float(root.get("width").removesuffix("pt"))
        scale = min(4 / 3, 358 / points)  # pixels
        styles = [one.get("style", "") for one in root.iter("{http://www.w3.org/2000/svg}text")]
        heights = [float(re.search(r"([\d.]+)px", style)[1]) for style in styles]
        assert heights and min(heights) * scale >= 9, name


def test_the_readme_has_the_bibtex_of_the_page_on_citing():
    """The entries agree but for white space and a last comma."""
    own, page = (
        re.sub(r",?\s*}\s*(?=@|$)", "}", "".join(re.findall(r"(?ms)^```bibtex\n(.*?)^```", text)))
        for text in (README, PAGES["docs/citing.md"])
    )
    assert own.count("@") == 5
    assert own.split() == page.split()


def test_the_generated_parts_of_the_readme_and_of_the_paper_are_up_to_date(shipped):
    """If this fails: ``abstractor readme``."""
    from abstractor_lib.pages import (
        artifact,
        claims_page,
        deviations,
        failures,
        headlines,
        open_questions,
        readme,
    )
    from abstractor_lib.pages.paper import typeset, values
    from abstractor_lib.pages.reproduce import computing_time

    found, every = shipped.studies, shipped.verdicts
    for name, made in readme.parts(every, *computing_time(found)).items():
        assert readme.block(name, made) in README
    assert claims_page.page(every) == PAGES["CLAIMS.md"]
    assert headlines.page(every) == PAGES["docs/findings.md"]
    assert failures.page(every) == PAGES["docs/what_fails.md"]
    assert open_questions.page(every) == PAGES["docs/open_questions.md"]
    assert deviations.page(every) == PAGES["docs/deviations.md"]
    assert artifact.page(every, found) == PAGES["ARTIFACT.md"]
    cited = (ROOT / typeset.VALUES).read_text()
    assert values.page(ROOT / typeset.SOURCE, every, found) == cited
    assert json.loads(cited)["outdated"] == []  # verdicts that the text says and are others by now


def test_the_library_works_without_the_repository(tmp_path):
    """Installed elsewhere the modules work, and commands that need data say what is missing."""
    shutil.copytree(ROOT / "abstractor_lib", tmp_path / "abstractor_lib")
    code = "from abstractor_lib.nn import Abstractor, RelationalCrossAttention"
    run = {"cwd": tmp_path, "capture_output": True, "text": True, "timeout": 60}
    assert subprocess.run([sys.executable, "-c", code], **run).returncode == 0
    found = subprocess.run([sys.executable, "-m", "abstractor_lib.cli", "status"], **run)
    assert found.returncode == 2
    assert "need a clone of the repository" in found.stderr


def test_the_two_commands_have_measured_times():
    timings = json.loads((ROOT / "data" / "timings.json").read_text()).values()
    assert {"make reproduce", "make test"} <= {timing["command"] for timing in timings}
    assert all(timing["seconds"] > 0 for timing in timings)


FORMS = {path.stem: path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")}


def test_forms_for_issues_ask_for_what_is_needed():
    forms = {name: yaml.safe_load(path.read_text()) for name, path in FORMS.items()}
    assert forms.keys() == {"number", "bug", "reading"}
    for form in forms.values():
        assert {"name", "description", "body"} <= form.keys()
        assert all(field["attributes"]["label"] for field in form["body"])
    asked = FORMS["number"].read_text()
    assert "`abstractor show RUNID`" in asked
    (code,) = re.findall(r'`python -c "(.*)"`', asked)  # what prints the class of a machine
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert ast.literal_eval(found.stdout).keys() >= set(CLASS)
