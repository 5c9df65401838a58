"""What the 2-simplicial Transformer paper compares itself with: a memory read head with its
controller, and the Hopfield network. As printed, one index at a time.

Shapes: ``N`` slots or nodes, ``d`` features.
"""

import numpy as np


def read_head(query: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """Content-based reading of a Neural Turing Machine, without sharpening:
    M = sum_j softmax(K[q, M_1], ..., K[q, M_N])_j M_j with the cosine K[u, v] = u.v / (|u| |v|).

    Args:
        query: q, ``(d,)``.
        memory: M_1, ..., M_N, ``(N, d)``; none of them zero.

    Returns:
        ``(d,)``.

    Source: Logic and the 2-Simplicial Transformer, eq. 16.

    Example:
        >>> read_head(np.array([1.0, 0.0]), np.array([[2.0, 0.0], [2.0, 0.0]])).tolist()
        [2.0, 0.0]
    """
    cosines = [query @ slot / (np.linalg.norm(query) * np.linalg.norm(slot)) for slot in memory]
    weights = np.exp(cosines) / np.exp(cosines).sum()
    return sum(weight * slot for weight, slot in zip(weights, memory, strict=True))


def controller_step(
    state: np.ndarray,
    symbol: np.ndarray,
    memory: np.ndarray,
    *,
    query: np.ndarray,
    recurrent: np.ndarray,
    read_in: np.ndarray,
    bias: np.ndarray,
) -> np.ndarray:
    """One step of the controller, h' = ReLU(M + W h + U x + b), reading with q = Z h.

    Args:
        state: h, ``(d,)``.
        symbol: x, ``(s,)``.
        memory: ``(N, d)``.
        query, recurrent, read_in, bias: Z ``(d, d)``, W ``(d, d)``, U ``(d, s)``, b ``(d,)``.

    Returns:
        h', ``(d,)``.

    Source: Logic and the 2-Simplicial Transformer, eq. 15.

    Example:
        >>> one, none = np.eye(1), np.zeros((1, 1))
        >>> weights = {"query": one, "recurrent": one, "read_in": none, "bias": np.zeros(1)}
        >>> controller_step(np.ones(1), np.ones(1), np.array([[3.0]]), **weights).tolist()
        [4.0]
    """
    read = read_head(query @ state, memory)
    return np.maximum(read + recurrent @ state + read_in @ symbol + bias, 0.0)


def hopfield_step(nodes: np.ndarray, eta: float) -> np.ndarray:
    """One update of the continuous Hopfield network, e'_i = tanh(eta sum_j (e_i.e_j) e_j).

    Args:
        nodes: e_1, ..., e_N, ``(N, d)``.
        eta: the parameter.

    Returns:
        ``(N, d)``.

    Source: Logic and the 2-Simplicial Transformer, eq. 19.

    Example:
        >>> hopfield_step(np.array([[1.0], [0.0]]), 100.0).tolist()
        [[1.0], [0.0]]
    """
    return np.stack([np.tanh(eta * sum((one @ other) * other for other in nodes)) for one in nodes])
