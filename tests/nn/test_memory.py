"""The relational memory against kernel regression as others compute it."""

import numpy as np
import pytest
import torch
from sklearn.metrics.pairwise import rbf_kernel
from statsmodels.nonparametric.kernel_regression import KernelReg
from torch.func import vmap

from abstractor_lib.nn import Heads, MultiHeadAttention, RelationalMemory, initialise


def data(keys=30, queries=7, dim=2):
    random = np.random.default_rng(0)
    x, new = random.standard_normal((keys, dim)), random.standard_normal((queries, dim))
    return x, np.sin(x).sum(axis=1, keepdims=True), new


def gaussian(bandwidth, dim=2):
    memory = RelationalMemory(dim, dim, "gaussian").double()
    torch.nn.init.constant_(memory.log_bandwidth, np.log(bandwidth))
    return memory


def call(memory, new, x, y, **options):
    with torch.no_grad():
        return memory(*(torch.from_numpy(part) for part in (new, x, y)), **options).numpy()


def test_against_statsmodels_kernel_regression():
    x, y, new = data()
    known = KernelReg(y[:, 0], x, "cc", reg_type="lc", bw=[0.7, 0.7]).fit(new)[0]
    np.testing.assert_allclose(call(gaussian(0.7), new, x, y)[:, 0], known, rtol=1e-9)


def test_against_attention_with_labels_as_values():
    """Relational cross-attention with queries (x, 1), keys (x, -|x|^2 / 2) and identity maps."""
    x, y, new = data()
    attention = MultiHeadAttention(3, Heads(1, 3, bias=False, scale=1.0)).double()
    with torch.no_grad():
        for part in (attention.query, attention.key, attention.value, attention.output):
            part.weight.copy_(torch.eye(3))
    queries, keys = np.ones((1, len(new), 3)), np.ones((1, len(x), 3))
    queries[0, :, :2], keys[0, :, :2] = new, x
    keys[0, :, 2] = -(x**2).sum(axis=1) / 2
    labels = np.repeat(y, 3, axis=1)[None]
    with torch.no_grad():
        found = attention(*(torch.from_numpy(part) for part in (queries, keys, labels)))
    np.testing.assert_allclose(found[0, :, :1], call(gaussian(1.0), new, x, y), rtol=1e-12)


def test_leaving_out_against_a_loop():
    x, y, _ = data()
    found = call(gaussian(0.5), x, x, y, leave_out=True)
    for i in range(len(x)):
        rest = np.arange(len(x)) != i
        one = call(gaussian(0.5), x[[i]], x[rest], y[rest])
        np.testing.assert_allclose(found[[i]], one, rtol=1e-10)


def test_a_metric_is_the_kernel_of_mapped_keys():
    x, y, new = data()
    memory = RelationalMemory(2, 3, "metric").double()
    weight = memory.query.weight.detach().numpy()
    kernel = rbf_kernel(new @ weight.T, x @ weight.T, gamma=0.5)
    known = kernel @ y / kernel.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(call(memory, new, x, y), known, rtol=1e-10)


def test_inner_products_against_a_softmax():
    x, y, new = data()
    memory = RelationalMemory(2, 3, "inner").double()
    query, key = (part.weight.detach().numpy() for part in (memory.query, memory.key))
    weights = np.exp((new @ query.T) @ (x @ key.T).T)
    known = weights @ y / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(call(memory, new, x, y), known, rtol=1e-10)


@pytest.mark.parametrize("relation", ["inner", "metric", "gaussian"])
def test_keys_far_off_centre_in_single_precision(relation):
    """As in double precision. From squares of keys as they are, labels would be off by 0.01. (Inner
    products change if queries move along; theirs stay.)"""
    x, y, new = data()
    x, new = x + 1e3, new + (0.0 if relation == "inner" else 1e3)
    x, y, new = (part.astype(np.float32) for part in (x, y, new))
    torch.manual_seed(0)
    memory = RelationalMemory(2, relation=relation)
    found = call(memory, new, x, y)
    known = call(memory.double(), *(part.astype(float) for part in (new, x, y)))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, known, atol=1e-5)


@pytest.mark.parametrize("leave_out", [False, True])
@pytest.mark.parametrize("relation", ["inner", "metric", "gaussian"])
def test_a_batch_of_memories_is_each_by_itself(relation, leave_out):
    """Also where keys, queries or labels are the same for all."""
    memory = RelationalMemory(2, relation=relation)
    keys, labels = torch.randn(3, 5, 2), torch.randn(3, 5, 4)
    x = keys if leave_out else torch.randn(3, 6, 2)
    found = memory(x, keys, labels, leave_out)
    each = [memory(*one, leave_out) for one in zip(x, keys, labels, strict=True)]
    torch.testing.assert_close(found, torch.stack(each))
    torch.testing.assert_close(vmap(lambda *one: memory(*one, leave_out))(x, keys, labels), found)
    for given in () if leave_out else ((x[0], keys, labels), (x, keys[0], labels[0])):
        whole = [part.expand(3, *part.shape[-2:]) for part in given]
        torch.testing.assert_close(memory(*given), memory(*whole))


def test_bad_input():
    whole = {"x": torch.zeros(1, 2), "keys": torch.zeros(4, 2), "labels": torch.zeros(4, 1)}
    for relation in ("inner", "metric", "gaussian"):
        memory = RelationalMemory(2, 2, relation)
        for name, part in whole.items():
            with pytest.raises(ValueError, match=f"{name} has dtype torch.float64; expected"):
                memory(**whole | {name: part.double()})
        with pytest.raises(ValueError, match=r"labels has dtype torch.int64; expected"):
            memory(**whole | {"labels": torch.zeros(4, 1, dtype=torch.int64)})
        with pytest.raises(ValueError, match=r"keys has batch dimensions \(3,\); expected \(2,\)"):
            memory(torch.zeros(2, 1, 2), torch.zeros(3, 4, 2), torch.zeros(4, 1))
    with pytest.raises(ValueError, match="relation is 'cosine'; allowed: inner, metric, gaussian"):
        RelationalMemory(2, 2, "cosine")
    with pytest.raises(ValueError, match="key_dim is 3; the relation 'gaussian' has no features"):
        RelationalMemory(2, 3, "gaussian")
    with pytest.raises(ValueError, match=r"labels has shape \(3, 1\); expected \(..., 4, values\)"):
        RelationalMemory(2, 2)(torch.zeros(1, 2), torch.zeros(4, 2), torch.zeros(3, 1))
    for relation in ("inner", "metric", "gaussian"):
        with pytest.raises(ValueError, match=r"keys has shape \(4, 3\); expected"):
            RelationalMemory(2, 2, relation)(
                torch.zeros(1, 2), torch.zeros(4, 3), torch.zeros(4, 1)
            )
    for queries, keys in ((3, 4), (1, 1)):
        with pytest.raises(ValueError, match="with leave_out expected the keys themselves"):
            RelationalMemory(2, 2)(
                torch.zeros(queries, 2), torch.zeros(keys, 2), torch.zeros(keys, 1), leave_out=True
            )


@pytest.mark.parametrize("relation", ["inner", "metric", "gaussian"])
@pytest.mark.parametrize("scheme", ["keras", "torch"])
def test_every_memory_can_be_initialised(relation, scheme):
    """All parameters are drawn anew, the bandwidth is 1 again."""
    memory = RelationalMemory(3, relation=relation)
    for part in memory.parameters():
        torch.nn.init.constant_(part, 7.0)
    initialise(memory, scheme)
    assert all((part != 7.0).all() for part in memory.parameters())
    if relation == "gaussian":
        assert memory.log_bandwidth.exp().item() == 1.0
    else:
        assert memory.query.weight.shape == (3, 3)  # key_dim is dim if not given
