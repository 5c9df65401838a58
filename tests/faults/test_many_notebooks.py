"""Thirty notebooks of three processes at once, each with a kernel of its own. What one of them has
recorded no other one computes again, and none gets the answers of another one's kernel."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from abstractor_lib import paths
from abstractor_lib.records import store

PROCESSES, EACH = 3, 10
NOTEBOOK = """
# %% [markdown]
# # Records number {number}, if it is missing

# %% tags=["parameters"]
process: int = 0  # which process executes it

# %%
import json
from pathlib import Path

from abstractor_lib.records import store
from abstractor_lib.records.workspace import Workspace

top = Path({top!r})


class Here(Workspace):
    folder = property(lambda self: top)
    scratch = property(lambda self: top / "scratch")


workspace = Here("smoke", fresh=True)
record = json.loads((top / "wanted.jsonl").read_text().splitlines()[{number}])

# %%
with workspace.one_at_a_time():
    missing = record["run"] not in workspace.records("order")
    if missing:
        with store.writer(workspace.file("order")) as writer:
            writer.append(record)
print(process, {number}, missing)
"""
DRIVER = """
import json, sys
from pathlib import Path
from abstractor_lib.pages import notebooks
process, *sources = sys.argv[1:]
for source in sources:
    cells = notebooks.execute(Path(source), {"process": int(process)}).cells
    print(cells[-1].outputs[0].text.strip(), flush=True)
"""


def test_thirty_notebooks(tmp_path):
    wanted = list(store.load(paths.data() / "records" / "order.jsonl.gz").values())[:EACH]
    (tmp_path / "wanted.jsonl").write_text("".join(json.dumps(one) + "\n" for one in wanted))
    sources = [tmp_path / f"{number:02}_one.py" for number in range(EACH)]
    for number, source in enumerate(sources):
        source.write_text(NOTEBOOK.format(number=number, top=str(tmp_path)))

    def run(process):
        mine = sources[process:] + sources[:process]  # not all at the same one
        command = [sys.executable, "-c", DRIVER, str(process), *map(str, mine)]
        return subprocess.run(command, capture_output=True, text=True, timeout=500)

    with ThreadPoolExecutor(PROCESSES) as threads:
        ended = list(threads.map(run, range(PROCESSES)))
    for process, done in enumerate(ended):
        assert done.returncode == 0, done.stderr
        lines = [line.split() for line in done.stdout.splitlines()]
        said = sorted((int(one), int(number)) for one, number, _ in lines)
        assert said == [(process, number) for number in range(EACH)]
    computed = sum(done.stdout.count("True") for done in ended)
    file = tmp_path / "records" / "order.jsonl"
    assert computed == len(file.read_text().splitlines()) == EACH
    assert store.load(file) == {one["run"]: one for one in wanted}
