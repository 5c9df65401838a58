"""Settings of the kernel experiment: mathematics, so ``described`` alone."""

from dataclasses import dataclass
from typing import Literal

from ...records.spec import added
from ..protocol import Sourced, note, ours, text


@dataclass(frozen=True)
class Task:
    """A relation of the catalogue (``vector``: three at once), and where errors are measured."""

    relation: str
    points: int = 1000  # about, of the grid of the sup norm
    metric_points: int = 120  # about, of the grid of distances and eigenvalues
    finer: int = added(3)  # times the nodes of the fit, for the L2 error


@dataclass(frozen=True)
class Model:
    """Features phi, of which inner products are taken.

    ``approximator``: ``series`` and ``nystrom`` are the leading eigenfunctions, in closed form and
    by quadrature; ``mlp`` is a network trained on the relation; ``proof`` a network trained on the
    scaled eigenfunctions, as in the proof of Theorem 3.1; ``waves`` and ``radial`` are fixed
    features with a fitted linear map (random Fourier features, a radial basis network).
    ``built`` is a network whose weights are written down, not trained (`theory.construction`);
    ``relu`` the same network trained on the relation from random weights, and ``relu_built``
    trained from the weights that were written down.
    """

    name: str
    approximator: Literal[
        "series",
        "nystrom",
        "mlp",
        "proof",
        "waves",
        "radial",
        "built",
        "relu",
        "relu_built",
    ]
    rank: int  # features, the dimension of the inner product
    width: int = 0  # of the network's hidden layers, or number of fixed features
    encoders: Literal["shared", "separate"] = "shared"  # <phi(x), phi(y)> or <phi(x), psi(y)>
    bound: str = added("on a grid")  # how that of a ``built`` network is computed
    waves: float = added(8.0)  # standard deviation of random frequencies, over coordinates

    @property
    def trained(self) -> bool:
        """Whether its weights are those where line searches ended."""
        return self.approximator in ("mlp", "proof", "relu", "relu_built")


@dataclass(frozen=True)
class Fit:
    """How networks are fitted: L-BFGS in double precision on all pairs of quadrature nodes.

    ``updates`` iterations on the mean square error, then as many on the mean of its ``power``-th
    power, which is nearer to the sup norm.
    """

    nodes: int
    updates: int
    power: int = 8
    finer: int = added(2)  # times the nodes, for features in closed form


@dataclass(frozen=True)
class KernelProtocol:
    """What the text says."""

    features: Sourced[str] = note("features")
    norm: Sourced[str] = note("norm of the error")

    relations: Sourced[str] = note(
        "relations",
        ours(
            "seven Mercer kernels; one relation with three of them as its dimensions; four "
            "relations that are no Mercer kernels"
        ),
    )
    networks: Sourced[str] = note("networks", ours("two hidden layers with tanh, double precision"))
    built: Sourced[str] = note(
        "networks built by hand",
        ours("one hidden layer of ReLU units: features interpolated between evenly spaced knots"),
    )
    fitting: Sourced[str] = note(
        "training", ours("L-BFGS on all pairs of about 128 quadrature nodes; the text names none")
    )
    errors: Sourced[str] = note(
        "where errors are measured",
        ours("on a grid of about 1,000 points, most of them not trained on"),
    )


PROTOCOLS = {
    "described": KernelProtocol(
        features=text("feedforward networks, one for each relation dimension", "v1 3.1"),
        norm=text("supremum over all pairs of objects", "v1 Theorem 3.1"),
    )
}
