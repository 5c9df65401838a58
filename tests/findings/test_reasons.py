"""Reasons: each says what was varied to support it."""

import pytest

from abstractor_lib import experiments, paths
from abstractor_lib.findings import claims, reasons, statements

ENTRY = """
[[claim]]
id = "a"
item = "fig_v3_04a"
paper = "v3"
section = "4.1"
origin = "stated"
place = "4.1"
figure = ""
statement = "s"
kind = "greater"
experiment = "order"
protocols = ["sound"]
measure = "series"
source = "text"
"""


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('reason = "too few"', "expected both or neither"),
        ('tested = "no"', "expected both or neither"),
        ('reason = "too few"\ntested = "more of them"', "names in backticks"),
        ('reason = "too few"\ntested = "`b`, more"', "no claim is called 'b'"),
    ],
)
def test_a_reason_that_does_not_say_what_was_varied_is_an_error(lines, message):
    with pytest.raises(ValueError, match=message):
        statements._parse(ENTRY + lines)


@pytest.mark.parametrize("tested", ["no", "`a`, the same", "`order.mlp`", "`notebooks/a`"])
def test_what_supports_a_reason_is_read(tested):
    (found,) = statements._parse(f'{ENTRY}reason = "too few"\ntested = "{tested}"')
    assert (found.reason, found.tested) == ("too few", tested)


def test_what_shipped_reasons_name_is_there():
    """Claims are checked when the file is read; here models, figures and notebooks."""
    models = {
        f"{name}.{spec.model.name}"
        for name, experiment in experiments.by_name().items()
        for protocol in experiment.protocols
        for spec in experiment.grid("laptop", protocol)
    }
    ids = {claim.id for claim in claims.read()}
    told = [claim for claim in claims.read() if claim.reason]
    assert len(told) > 40
    for claim in told:
        for name in reasons.named(claim.tested):
            if "/" in name:
                assert list(paths.root().glob(f"{name}.*")), (claim.id, name)
            else:
                assert name in ids | models, (claim.id, name)
            assert name != claim.id
