"""Running the notebooks headless and keeping what they show.

The ``.py`` (jupytext percent format) is the source; the executed ``.ipynb`` beside it carries a
stamp: the hashes of its source and of the records it shows. Papermill's and jupytext's traps that
this module guards against: a dead kernel that looks like success (the last cell leaves a token),
unknown parameters that are only warned about, values that turn into strings, no time limit.
"""

import base64
import hashlib
import json
import re
import tempfile
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from .. import Failure, paths
from ..execution.backends import executor
from ..execution.bars import bar
from ..findings import claims
from ..records.workspace import Workspace
from ..reporting.files import compact_png, write
from ..reporting.parameters import Parameter, check, declared
from .index import notebook_experiments

TIMEOUT = 600  # seconds a cell
MAX_BYTES = 500_000
MOST_PLAIN = 3000  # characters of a table that is HTML as well
ELSEWHERE = "(a long table: its HTML has the rows)"
INCOMPLETE = "Incomplete"  # the exception that ends a notebook without error
HIDDEN = "hide-input"  # the tag of cells whose code nobody should read
SOURCE = re.compile(r"<summary>Source: <code>([\w.]+)</code>.*?```python\n(.*?)\n```", re.DOTALL)
ERROR_MARK = "papermill-error-cell-tag"  # of cells that papermill puts beside the one that failed


class NotebookFailed(Failure):
    """A notebook did not run to its end."""


def sources() -> list[Path]:
    """The notebooks' sources, in order."""
    return sorted((paths.root() / "notebooks").glob("[0-9][0-9]_*.py"))


def find(prefix: str) -> Path:
    """The source of a notebook from its number or name.

    Raises:
        ValueError: if there is none.
    """
    matching = [path for path in sources() if path.stem.startswith(prefix)]
    if len(matching) != 1:
        allowed = ", ".join(path.stem for path in sources())
        raise ValueError(f"--only is {prefix!r}; allowed: {allowed}, or its number")
    return matching[0]


def read(source: Path):
    """The source as a notebook without outputs."""
    import jupytext

    return jupytext.read(source)


def parameters(notebook) -> list[Parameter]:
    """What the cell tagged ``parameters`` declares.

    Raises:
        ValueError: if there is no such cell or a line of it is not a typed literal with a help
            comment.
    """
    cells = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    if len(cells) != 1:
        raise ValueError(f"a notebook needs one parameters cell; this one has {len(cells)}")
    return declared(cells[0].source)


def title(source: Path) -> str:
    """The first heading of a notebook's source.

    Raises:
        ValueError: if it has none.
    """
    for line in source.read_text(encoding="utf-8").splitlines():
        if line.startswith("# # "):
            return line.removeprefix("# # ")
    raise ValueError(f"{source.name} has no line `# # Title`")


def stamp(source: Path, records: str) -> dict[str, str]:
    """What an executed notebook was made from: source, records, and what ships beside them."""
    return {
        "source": hashlib.sha256(source.read_bytes()).hexdigest(),
        "records": records,
        "paper": hashlib.sha256(_beside(source).encode()).hexdigest(),
    }


def _beside(source: Path) -> str:
    """What ships beside records and is shown by a notebook: the claims of its experiments with the
    published values that it or they name; the papers' index and notation if it has none."""
    names = notebook_experiments(source.stem)
    if not names:
        parts = [paths.data() / name for name in ("index.toml", "inventory.csv", "notation.csv")]
        return "".join(path.read_text(encoding="utf-8") for path in parts)
    shown = [asdict(one) for one in claims.read() if one.experiment in names]
    text = json.dumps(shown, sort_keys=True)
    values = sorted((paths.data() / "published").glob("*.csv"))
    named = [path for path in values if path.stem in text + source.read_text(encoding="utf-8")]
    return "".join([text, *(path.read_text(encoding="utf-8") for path in named)])


def execute(source: Path, values: Mapping, timeout: int = TIMEOUT):
    """Run a notebook with parameters and return it, with outputs and without traces of the machine.

    Args:
        source: its ``.py`` file.
        values: parameters that differ from their defaults.
        timeout: seconds a cell may take.

    Raises:
        ValueError: for a bad parameter; nothing is run.
        NotebookFailed: naming the notebook and the error.
    """
    import nbformat
    import papermill
    from traitlets.config import Config

    notebook = read(source)
    check(values, parameters(notebook))
    for cell in notebook.cells:
        cell.metadata.setdefault("tags", [])
    with tempfile.TemporaryDirectory() as folder:
        token, output = Path(folder) / "done", Path(folder) / "executed.ipynb"
        last = f"__import__('pathlib').Path({str(token)!r}).touch()"
        notebook.cells.append(nbformat.v4.new_code_cell(last, metadata={"tags": []}))
        draft = Path(folder) / "draft.ipynb"
        nbformat.write(notebook, draft)
        try:
            papermill.execute_notebook(
                str(draft),
                str(output),
                parameters=dict(values),
                kernel_name="python3",
                language="python",
                execution_timeout=timeout,
                progress_bar=False,
                shutdown_kernel="immediate",  # python takes torch down for two seconds
                extra_arguments=["--IPKernelApp.log_level=CRITICAL"],  # and complains of its end
                # local sockets: no TCP port to lose to another kernel, and none to listen on; in
                # the notebook's own folder, since kernels side by side must not share them
                config=Config({"KernelManager": {"transport": "ipc", "ip": f"{folder}/kernel"}}),
            )
        except papermill.exceptions.PapermillExecutionError as error:
            if error.ename == INCOMPLETE:
                return tidy(not_run(nbformat.read(output, as_version=4), error.evalue))
            raise NotebookFailed(
                f"{source.stem}, cell {error.exec_count}: {error.ename}: {error.evalue}"
            ) from None
        except Exception as error:  # a dead kernel or a cell past its time
            raise NotebookFailed(f"{source.stem}: {type(error).__name__}: {error}") from None
        if not token.exists():
            raise NotebookFailed(
                f"{source.stem}: the kernel died, or a cell took over {timeout} s, before the end"
            )
        executed = nbformat.read(output, as_version=4)
    executed.cells.pop()
    return tidy(executed)


def not_run(notebook, reason: str):
    """What is left of a notebook that an incomplete grid ended: its cells, and the reason."""
    import nbformat

    notebook.cells = [
        cell for cell in notebook.cells[:-1] if ERROR_MARK not in cell.metadata.get("tags", [])
    ]
    for cell in notebook.cells:
        for number, output in enumerate(cell.get("outputs", [])):
            if output["output_type"] == "error":
                text = f"{reason}\n"
                cell.outputs[number] = nbformat.v4.new_output("stream", name="stdout", text=text)
    return notebook


def tidy(notebook):
    """Remove timings, random ids and the machine's traces; make the pictures smaller. What a cell
    printed is one piece, however many the kernel sent. A long table is kept once, as HTML."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata["language_info"] = {"name": "python"}
    notebook.metadata["kernelspec"] = {
        "display_name": "Python 3",
        "language": "python",
        "name": "python3",
    }
    for number, cell in enumerate(notebook.cells):
        cell["id"] = _id(number)
        cell.metadata = _metadata([tag for tag in cell.metadata.get("tags", []) if tag])
        if "outputs" in cell:
            cell["outputs"] = _joined(cell["outputs"])
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                small = compact_png(base64.b64decode(data["image/png"]))
                data["image/png"] = base64.b64encode(small).decode()
            if "text/html" in data and len(data.get("text/plain", "")) > MOST_PLAIN:
                data["text/plain"] = ELSEWHERE
    return notebook


def _joined(outputs: list) -> list:
    """Outputs of a cell, those that go on printing to the same stream as one."""
    joined: list = []
    for output in outputs:
        stream = output.get("name") if output["output_type"] == "stream" else None
        if stream and joined and joined[-1].get("name") == stream:
            joined[-1]["text"] += output["text"]
        else:
            joined.append(output)
    return joined


def _metadata(tags: list[str]) -> dict:
    """A cell's metadata: its tags, and what hides its code in JupyterLab if the site hides it."""
    hidden = {"jupyter": {"source_hidden": True}} if HIDDEN in tags else {}
    return {**hidden, **({"tags": tags} if tags else {})}


@dataclass(frozen=True)
class Task:
    """A notebook to execute.

    Attributes:
        source: its ``.py`` file.
        records: hash of the records that it shows.
        workspace: whose records these are.
        rewrite: write its file also if its stamp has not changed.
    """

    source: Path
    records: str
    workspace: Workspace
    rewrite: bool = False


def side_by_side(
    tasks: Iterable[Task], count: int, jobs: int = 1
) -> Iterator["str | NotebookFailed"]:
    """Execute notebooks, several at once.

    Args:
        tasks: read one by one, when there is room for the next.
        count: how many there are.
        jobs: how many are executed at once.

    Yields:
        What became of each, in words, or why it failed.
    """
    words = {"desc": "notebooks", "unit": "notebook"}
    with bar(total=count, **words) as progress, executor(jobs=jobs) as workers:
        for result in workers.map(attempt, tasks):
            progress.update()
            yield result


def attempt(task: Task) -> "str | NotebookFailed":
    """`reproduce`, as a sentence or an error that is returned."""
    try:
        return f"{task.source.stem}: executed, {reproduce(task)}"
    except NotebookFailed as error:
        return error


def reproduce(task: Task) -> str:
    """Execute a notebook and write it beside its source, or to ``build/PROFILE/notebooks``.

    A notebook whose stamp is unchanged keeps its bytes, unless ``rewrite``.

    Returns:
        What became of the file: ``rewritten``, ``unchanged``, or that it was kept.

    Raises:
        NotebookFailed: also if the result is too large or shows a path of this machine.
    """
    import nbformat

    source, workspace = task.source, task.workspace
    values = {"profile": workspace.profile, "fresh": workspace.fresh} if not workspace.ships else {}
    executed = execute(source, values)
    executed.metadata["abstractor"] = mark = stamp(source, task.records)
    content = nbformat.writes(executed, indent=1) + "\n"
    size = len(content.encode())
    if size > MAX_BYTES:
        raise NotebookFailed(f"{source.stem} holds {size} bytes; allowed: {MAX_BYTES}")
    if _here().search(content):
        raise NotebookFailed(f"{source.stem} shows a path of this machine")
    target = workspace.notebooks / f"{source.stem}.ipynb"
    if target.is_file() and not task.rewrite and read_stamp(target) == mark:
        same = target.read_text(encoding="utf-8") == content
        return "unchanged" if same else "kept, though outputs differ (--rewrite writes them)"
    return "rewritten" if write(target, content) else "unchanged"


def read_stamp(path: Path) -> dict | None:
    """The stamp of an executed notebook."""
    return json.loads(path.read_text(encoding="utf-8"))["metadata"].get("abstractor")


def _here() -> re.Pattern:
    """The folder of this repository in a text; not ``</code>`` if it is ``/code``."""
    return re.compile(rf"(?<![\w.<]){re.escape(str(paths.root()))}(?![\w-]|\.\w)")


TRACES = {  # of the machine that executed a notebook, in what its cells show
    "a time": r"Wall time|CPU times|\d(?:it/s|s/it)",
    "a path of a machine": r"/(?:home|root|tmp|Users)/|\b[A-Z]:\\",
}


def faults(source: Path) -> list[str]:
    """What is wrong with the executed notebook beside a source, a sentence each: that it is not the
    source's pair, or shows what another machine, or another day, would not show."""
    path, cells = source.with_suffix(".ipynb"), read(source).cells
    if not path.is_file():
        return [f"{path.name} is not there; `abstractor reproduce --only {path.stem[:2]}` makes it"]
    content = json.loads(path.read_text(encoding="utf-8"))
    executed = content["cells"]
    found = []
    if [cell.source for cell in cells] != ["".join(cell["source"]) for cell in executed]:
        found.append(f"its cells are not those of {source.name}")
    if [cell["id"] for cell in executed] != [_id(number) for number in range(len(executed))]:
        found.append("its cells have random ids")
    if "papermill" in content["metadata"] or any(
        cell["metadata"] != _metadata(cell["metadata"].get("tags", [])) for cell in executed
    ):
        found.append("its metadata say more than tags, or not that a cell is hidden")
    if path.stat().st_size > MAX_BYTES:
        found.append(f"it holds {path.stat().st_size} bytes; allowed: {MAX_BYTES}")
    for number, cell in enumerate(executed):
        found += [f"cell {number} shows {fault}" for fault in _shown(cell.get("outputs", []))]
    return [f"{path.name}: {fault}" for fault in found]


def _shown(outputs: Iterable[Mapping]) -> Iterator[str]:
    """What a cell should not show."""
    for output in outputs:
        if output["output_type"] == "error":
            yield "an error"
        if output.get("name") == "stderr":
            yield "a warning"
        data = {"text": output.get("text", ""), **output.get("data", {})}
        text = "".join("".join(one) for kind, one in data.items() if kind != "image/png")
        if _here().search(text):
            yield "the folder that it was executed in"
        for what, pattern in TRACES.items():
            if trace := re.search(pattern, _here().sub("", text)):
                yield f"{what}, {trace[0]!r}"
        for name, code in SOURCE.findall("".join(data.get("text/markdown", ""))):
            module, _, function = name.rpartition(".")
            if code not in _code(module):
                yield f"a source that {module} does not hold (any more), {function!r}"


def _code(module: str) -> str:
    """The text of a module of the library, named from inside of it; empty if it has none."""
    path = (paths.root() / "abstractor_lib").joinpath(*module.split(".")).with_suffix(".py")
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _id(number: int) -> str:
    """The id of a cell: the same whenever a notebook is executed."""
    return uuid.uuid5(uuid.NAMESPACE_OID, f"cell {number}").hex[:8]
