"""The command and its subcommands; whatever goes wrong is one sentence and an exit status."""

import os

import click

from .. import Failure, __version__
from ..interrupts import Interrupted, orderly_end
from ..records.store import Busy
from ..replacing import in_words
from .computing import audit, paper, readme, release, reproduce, run, site, timing
from .data import data
from .extras import lacking
from .looking import check, claims, export, index, show, status
from .packing import pack
from .pipes import unread


class Commands(click.Group):
    """Exit status 1 for a check that failed, 2 for bad input or a missing package, 128 and the
    signal's number for an end by signal."""

    def make_context(self, *given, **more) -> click.Context:
        with unread():  # --help is printed here
            return super().make_context(*given, **more)

    def invoke(self, ctx: click.Context):
        if os.environ.get("NO_COLOR"):
            ctx.color = False
        with unread():
            return self._invoke(ctx)

    def _invoke(self, ctx: click.Context):
        try:
            with orderly_end():
                return super().invoke(ctx)
        except Interrupted as error:
            sentence, exit_status = str(error), error.status
        except BrokenPipeError:  # whoever reads has seen enough; click ends without a word
            raise
        except OSError as error:
            sentence, exit_status = in_words(error), 2
        except ModuleNotFoundError as error:
            sentence, exit_status = lacking(error), 2
        except (ValueError, Busy) as error:
            sentence, exit_status = str(error), 2
        except Failure as error:
            sentence, exit_status = str(error), 1
        except MemoryError:
            sentence, exit_status = "there is not enough memory", 1
        click.echo(f"abstractor: {sentence}", err=True)
        return ctx.exit(exit_status)


@click.group(
    cls=Commands,
    commands=[
        *(run, reproduce, audit, readme, paper, site, release, timing),
        *(status, claims, index, show, export, check, pack, data),
    ],
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="abstractor")
def main() -> None:
    """Compute, check and redraw the experiments of the Abstractor papers."""
