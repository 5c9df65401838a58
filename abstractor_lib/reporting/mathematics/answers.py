"""What models write while they learn."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...tasks.mathematics import alphabet
from ...tasks.mathematics.alphabets import unframed


def written(
    tokens: np.ndarray, updates: Sequence[int], questions: Sequence[str], name: str = "text"
) -> pd.DataFrame:
    """A row a look, a column a question: the answers as text. Those that do not end say so by a
    last sign.

    Args:
        tokens: characters as numbers, ``(looks, questions, n)``.
        updates: of each look.
        questions: as text.
        name: of the alphabet.

    Example:
        >>> from abstractor_lib.tasks.mathematics import alphabet
        >>> tokens = alphabet("text").encode(["7;", "77"], 2)[:, None]
        >>> written(tokens, [10, 20], ["What is 3 + 4?"])["What is 3 + 4?"].tolist()
        ['7', '77…']
    """
    found = {}
    for number, question in enumerate(questions):
        texts = alphabet(name).decode(np.asarray(tokens)[:, number])
        found[question] = [unframed(one) + ("" if ";" in one else "…") for one in texts]
    return pd.DataFrame(found, index=pd.Index(updates, name="updates"))
