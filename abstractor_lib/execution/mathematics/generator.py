"""One part of problems on standard output. Python runs this file in the generator's environment.

    python generator.py TASK SPLIT COUNT SEED

``SPLIT`` is ``train`` (easy, medium and hard problems in turn) or ``validation`` (the published
interpolation set). Each line is a question and its answer, with a tab between. The result
depends on the four arguments, on ``PYTHONHASHSEED`` and on the size of sympy's cache alone.
"""

import itertools
import os
import random
import sys

LEVELS = {"train": ["train-easy", "train-medium", "train-hard"], "validation": ["interpolate"]}
DRAWS = 1000  # of one problem before giving up


def main(task: str, split: str, count: int, seed: int) -> None:
    """Write ``count`` problems; end early if the process that asked for them is gone."""
    import numpy as np
    from absl import flags
    from mathematics_dataset import generate
    from mathematics_dataset.util import composition

    number_entities(composition.Entity)
    flags.FLAGS(["generator"])
    generate.init_modules(train_split=True)
    levels = [generate.filtered_modules[level][task] for level in LEVELS[split]]
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - the generator uses numpy's global state
    asked_by = os.getppid()
    for number in range(count):
        question, answer = draw(generate, levels[number % len(levels)])
        print(question, answer, sep="\t")
        if os.getppid() != asked_by:
            sys.exit("the process that asked for the problems is gone")


def number_entities(entity: type) -> None:
    """Let entities (the numbers and functions that a question names) hash by a number of their own.

    The generator shuffles a set of them. By default its order depends on addresses in memory, so
    that questions of ``polynomials__add`` would not repeat."""
    numbers, made = itertools.count(), entity.__init__

    def numbered(self, *args, **kwargs) -> None:
        self.number = next(numbers)
        made(self, *args, **kwargs)

    entity.__init__, entity.__hash__ = numbered, lambda self: self.number


def draw(generate, module) -> tuple[str, str]:
    """One problem of at most 160 and 30 characters. The generator rejects a few of its own draws
    of ``polynomials__expand`` by an assertion; these are drawn again."""
    for _ in range(DRAWS):
        try:
            problem, _ = generate.sample_from_module(module)
        except AssertionError:
            continue
        return str(problem.question), str(problem.answer)
    raise RuntimeError(f"no problem in {DRAWS} draws")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
