"""Programs for nonlinear measurements: closed forms, optimality conditions, other solvers."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy.special import expit
from sklearn.linear_model import QuantileRegressor

from abstractor_lib.theory import activations
from abstractor_lib.theory import nonlinear_measurements as theory
from abstractor_lib.theory.recovery import pivotal_penalty


def problem(seed, d=60, m=20, k=3, activation="linear", gain=1.0):
    random = np.random.default_rng(seed)
    a, u = random.standard_normal((d, m)), np.zeros(m)
    u[random.permutation(m)[:k]] = random.dirichlet(np.ones(k))
    u /= np.linalg.norm(u)
    return a, u, activations.measure(activation, a, u, gain)


def cosine(found, u):
    return found @ u / np.linalg.norm(found) / np.linalg.norm(u)


IGNORING = {
    "least_squares": theory.least_squares,
    "correlation": theory.correlation,
    "convex": lambda a, y: theory.convex_correlation(a, y, 3),
    "lasso": theory.lasso,
    "absolute": theory.absolute,
}


def test_activations():
    z = np.array([[-2.0], [0.0], [1.0]])
    found = {
        name: activations.measure(name, z, np.ones(1)).tolist() for name in activations.ACTIVATIONS
    }
    assert found["linear"] == [-2, 0, 1] and found["relu"] == [0, 0, 1]
    assert found["sign"] == [-1, 1, 1]
    np.testing.assert_allclose(found["sigmoid"], 1 / (1 + np.exp([2.0, 0.0, -1.0])))
    assert activations.measure("linear", z, np.ones(1), 3.0).tolist() == [-6, 0, 3]


def test_linear_part_against_closed_forms():
    pi = np.pi
    sign, relu = activations.linear_part("sign"), activations.linear_part("relu")
    np.testing.assert_allclose(sign, (0, np.sqrt(2 / pi), np.sqrt(1 - 2 / pi)), atol=1e-6)
    known = (1 / np.sqrt(2 * pi), 0.5, np.sqrt(0.25 - 1 / (2 * pi)))
    np.testing.assert_allclose(relu, known, atol=1e-6)
    np.testing.assert_allclose(activations.linear_part("linear", 2.0), (0, 2, 0), atol=1e-6)


def test_linear_part_against_simulation():
    g = np.random.default_rng(0).standard_normal(400_000)
    y = expit(3 * g)
    mu = (y * g).mean()
    found = activations.linear_part("sigmoid", 3.0)
    assert found.mean == pytest.approx(y.mean(), abs=2e-3)
    assert found.mu == pytest.approx(mu, abs=2e-3)
    assert found.sigma == pytest.approx((y - y.mean() - mu * g).std(), abs=2e-3)


@pytest.mark.parametrize("name", IGNORING)
def test_linear_measurements_without_noise_are_enough(name):
    a, u, y = problem(0, d=300)
    assert cosine(IGNORING[name](a, y), u) > (0.95 if name != "correlation" else 0.9)


def test_least_squares_against_normal_equations():
    a, _, y = problem(1, activation="relu")
    found = theory.least_squares(a, y)
    np.testing.assert_allclose(a.T @ (y - y.mean() - a @ found), 0, atol=1e-9)


@pytest.mark.parametrize("radius", [1.0, 1.4, 2.0, 3.0])
def test_convex_projection_against_a_general_solver(radius):
    c = np.random.default_rng(2).standard_normal(8)
    found = theory.convex_projection(c, radius)
    assert np.linalg.norm(found) <= 1 + 1e-9 and np.abs(found).sum() <= radius + 1e-9
    known = optimize.minimize(
        lambda x: -(c @ (x[:8] - x[8:])),
        np.full(16, 0.01),
        jac=lambda x: -np.concatenate([c, -c]),
        bounds=[(0, None)] * 16,
        constraints=[
            {"type": "ineq", "fun": lambda x: 1 - ((x[:8] - x[8:]) ** 2).sum()},
            {"type": "ineq", "fun": lambda x: radius - x.sum()},
        ],
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert c @ found == pytest.approx(-known.fun, abs=1e-5)


def test_convex_projection_is_soft_thresholding():
    """Where it is not zero, its entries are one multiple of |c| less one threshold."""
    c = np.random.default_rng(3).standard_normal(30)
    found = theory.convex_projection(c, 2.0)
    kept = np.abs(found) > 1e-9
    slope, intercept = np.polyfit(np.abs(c[kept]), np.abs(found[kept]), 1)
    np.testing.assert_allclose(np.abs(found[kept]), slope * np.abs(c[kept]) + intercept, atol=1e-9)
    assert (np.abs(c[~kept]) <= -intercept / slope + 1e-9).all() and (found * c >= 0).all()


def test_convex_projection_of_equal_entries():
    np.testing.assert_allclose(theory.convex_projection(np.array([1.0, -1.0]), 1.0), [0.5, -0.5])
    assert theory.convex_projection(np.zeros(3), 1.0).tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"radius is 0\.5; expected at least 1"):
        theory.convex_projection(np.ones(3), 0.5)


def test_lasso_meets_its_optimality_conditions():
    """|A'(y - b - A u)| / d is at most lambda, and lambda where u is not zero."""
    a, _, y = problem(4, activation="sign")
    found = theory.lasso(a, y)
    centred = a - a.mean(axis=0)
    slope = centred.T @ (y - y.mean() - centred @ found) / len(y)
    penalty = np.abs(slope).max()
    there = np.abs(found) > 1e-9
    assert there.any() and not there.all()
    np.testing.assert_allclose(slope[there], penalty * np.sign(found[there]), rtol=1e-3)


def test_absolute_against_scikit_learn():
    a, _, y = problem(5, activation="sigmoid")
    wide = np.hstack([a, np.ones((len(y), 1))])
    alpha = 0.4 * pivotal_penalty(wide) / (2 * len(y))
    known = QuantileRegressor(quantile=0.5, alpha=alpha, fit_intercept=False).fit(wide, y)
    np.testing.assert_allclose(theory.absolute(a, y), known.coef_[:-1], atol=1e-6)


def test_one_bit_against_all_vertices():
    """The least of a linear program lies at a vertex: all of them are tried in two dimensions."""
    a, u = np.random.default_rng(6).standard_normal((6, 2)), np.array([0.8, -0.6])
    y = activations.measure("sign", a, u)
    signed = y[:, None] * a
    total = signed.sum(axis=0)
    sides = [*signed, np.array([1.0, 0.0]), np.array([0.0, 1.0])]  # |u|_1 bends at the axes too
    vertices = [np.linalg.solve([side, total], [0.0, len(y)]) for side in sides]
    feasible = [one for one in vertices if (signed @ one >= -1e-9).all()]
    least = min(np.abs(one).sum() for one in feasible)
    found = theory.one_bit(a, y)
    assert np.abs(found).sum() == pytest.approx(least) and (signed @ found >= -1e-9).all()
    assert total @ found == pytest.approx(len(y))


def test_one_bit_of_contradictions_is_zero():
    a = np.repeat(np.eye(2), 2, axis=0)
    assert theory.one_bit(a, np.array([1.0, -1.0, 1.0, -1.0])).tolist() == [0, 0]


def test_logistic_meets_its_optimality_conditions():
    a, _, y = problem(7, d=80, activation="sign")
    found, penalty = theory.logistic(a, y), 0.2 * pivotal_penalty(a)
    slope = a.T @ (y * expit(-y * (a @ found)))
    there = np.abs(found) > 1e-9
    np.testing.assert_allclose(slope[there], penalty * np.sign(found[there]), rtol=1e-3)
    assert (np.abs(slope[~there]) <= penalty * 1.001).all() and there.any() and not there.all()
    assert theory.logistic(a, np.ones(80)).tolist() == [0] * 20


def test_inverted_recovers_exactly_without_noise():
    a, u, y = problem(8, activation="sigmoid", gain=3.0)
    np.testing.assert_allclose(theory.inverted(a, y, gain=3.0), u, atol=1e-8)
    gross = np.where(np.arange(60) < 6, 5.0, y)  # no values of a sigmoid: left out
    np.testing.assert_allclose(theory.inverted(a, gross, gain=3.0), u, atol=1e-8)
    assert theory.inverted(a, np.ones(60)).tolist() == [0] * 20


def test_censored_recovers_exactly_without_noise():
    a, u, y = problem(9, d=120, activation="relu")
    np.testing.assert_allclose(theory.censored(a, y), u, atol=1e-8)
    offset = np.linspace(-1, 1, 120)
    moved = np.maximum(a @ u + offset, 0)
    np.testing.assert_allclose(theory.censored(a, moved, offset=offset, multiple=0.0), u, atol=1e-8)


def test_censored_is_optimal_among_neighbours():
    """A convex loss that no small step lowers is least."""
    random = np.random.default_rng(10)
    a, _, y = problem(10, d=50, m=6, k=2, activation="relu")
    y = np.where(random.random(50) < 0.2, y + 3 * random.random(50), y)
    seen, penalty = y > 0, 0.4 * pivotal_penalty(a[y > 0])

    def loss(u):
        z = a @ u
        own = np.abs(y - z)[seen].sum() + np.maximum(z, 0)[~seen].sum()
        return own + penalty * np.abs(u).sum()

    found = theory.censored(a, y)
    for size, _ in itertools.product((1e-4, 1e-2, 0.3), range(200)):
        assert loss(found) <= loss(found + size * random.standard_normal(6)) + 1e-9


def test_censored_with_sums_known():
    random = np.random.default_rng(11)
    a, w = random.standard_normal((30, 5)), np.array([0.7, 0.2, 0.5, 0.6, 0.1])
    zero = np.array([[-1.0, 1.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.0, 1.0, 1.0]])
    assert np.allclose(zero @ w, 0)
    y = np.maximum(a @ w, 0)
    y[0] += 100.0
    found = theory.censored(a, y, multiple=0.0, zero=zero)
    np.testing.assert_allclose(found, w, atol=1e-8)
    noisy = theory.censored(a, y + random.standard_normal(30), multiple=0.0, zero=zero)
    assert (noisy >= -1e-9).all()
    np.testing.assert_allclose(zero @ noisy, 0, atol=1e-8)


def test_noise_of_relu_is_seen_in_what_is_not_positive():
    random = np.random.default_rng(12)
    clean = np.maximum(random.standard_normal(20_000), 0)
    assert theory.relu_noise(clean) == 0.0
    assert theory.relu_noise(clean + 0.05 * random.standard_normal(20_000)) == pytest.approx(
        0.05, rel=0.05
    )
    some = random.random(20_000) < 0.2
    assert theory.relu_noise(np.where(some, clean + random.standard_normal(20_000), clean)) == 0.0


@pytest.mark.parametrize("program", [theory.one_bit, theory.logistic, *IGNORING.values()])
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000), scale=st.floats(0.01, 100.0))
def test_signs_do_not_know_the_length_of_u(program, seed, scale):
    a, u, y = problem(seed, d=40, m=10, activation="sign")
    longer = activations.measure("sign", a, scale * u)
    assert np.array_equal(y, longer)
    np.testing.assert_array_equal(program(a, y), program(a, longer))


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), scale=st.floats(0.01, 100.0))
def test_relu_scales(seed, scale):
    a, _, y = problem(seed, d=40, m=8, activation="relu")
    one, other = theory.censored(a, y), theory.censored(a, scale * y)
    np.testing.assert_allclose(other, scale * one, atol=1e-6 * scale)


def test_bad_input():
    a, _, y = problem(0)
    for name, program in {**IGNORING, "one_bit": theory.one_bit}.items():
        with pytest.raises(ValueError, match=r"a is \(60, 20\) and y \(59,\)"):
            program(a, y[:-1])
        with pytest.raises(ValueError, match="not finite"):
            program(a, np.where(np.arange(60) == 3, np.nan, y))
        assert name
    with pytest.raises(ValueError, match="activation is 'tanh'; allowed: linear, sign"):
        activations.measure("tanh", a, np.ones(20))
    with pytest.raises(ValueError, match=r"a is \(60, 20\) and u \(3,\)"):
        activations.measure("relu", a, np.ones(3))
    with pytest.raises(ValueError, match="expected at least 10"):
        theory.lasso(a[:9], y[:9])
    with pytest.raises(ValueError, match=r"edge is 0\.6 and gain 1\.0"):
        theory.inverted(a, y, edge=0.6)
