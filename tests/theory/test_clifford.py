"""The Clifford algebra against its axioms, and the lemmas of the 2-simplicial paper in it."""

from itertools import permutations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from abstractor_lib.nn import unsigned_triple_product
from abstractor_lib.theory import clifford, simplices
from abstractor_lib.theory.clifford import Multivector, product, vector, wedge

seeds = st.integers(0, 2**32 - 1)
dimensions = st.integers(1, 6)
numbers = st.floats(-100, 100, width=16)  # many zeros, equal entries and dependent vectors


@st.composite
def vectors(draw, count, least=1):
    """Vectors of one dimension, chosen by hypothesis: zeros, ties and dependence are common."""
    n = draw(st.integers(least, 5))
    return draw(arrays(np.float64, (count, n), elements=numbers))


def random_elements(seed, n, count=2):
    random = np.random.default_rng(seed)
    return [Multivector(random.standard_normal(2**n)) for _ in range(count)]


def close(found, expected, scale=1.0):
    if isinstance(found, Multivector):
        found, expected = found.coordinates, expected.coordinates
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * max(scale, 1e-12))


@given(vectors(2))
def test_the_defining_relation(pair):
    """v w + w v = 2 (v.w) 1."""
    v, w = pair
    one = np.zeros(2 ** len(v))
    one[0] = 2 * (v @ w)
    close(product(v, w) + product(w, v), Multivector(one), np.abs(pair).max() ** 2)


@given(seeds, dimensions)
def test_the_product_is_associative_and_has_a_unit(seed, n):
    a, b, c = random_elements(seed, n, 3)
    close((a * b) * c, a * (b * c), 10)
    unit = Multivector(np.eye(2**n)[0])
    close(unit * a, a)
    close(a * unit, a)


@given(seeds, dimensions)
def test_the_product_distributes(seed, n):
    a, b, c = random_elements(seed, n, 3)
    close(a * (b + 2.5 * c), a * b + 2.5 * (a * c), 10)
    close((b - c) * a, b * a - c * a, 10)


def test_the_plane_holds_the_complex_numbers_and_space_the_quaternions():
    """1 and e1 e2 are 1 and i; e3 e2, e1 e3 and e2 e1 are i, j and k."""
    i = product(*np.eye(2))
    assert (i * i).coordinates.tolist() == [-1, 0, 0, 0]
    e = np.eye(3)
    i, j, k = product(e[2], e[1]), product(e[0], e[2]), product(e[1], e[0])
    for square in (i * i, j * j, k * k, i * j * k):
        assert square.coordinates.tolist() == [-1] + 7 * [0]


@given(seeds, dimensions)
def test_grades_add_up_and_projection_is_idempotent(seed, n):
    (a,) = random_elements(seed, n, 1)
    parts = [a.grade(k) for k in range(n + 1)]
    close(sum(parts[1:], start=parts[0]), a)
    for k, part in enumerate(parts):
        close(part.grade(k), part)
        assert not part.grade((k + 1) % (n + 1)).coordinates.any()


@given(seeds, st.integers(2, 4))
def test_grades_do_not_depend_on_the_basis(seed, n):
    """The grades of products of rotated vectors are the rotated grades: a product of k orthogonal
    vectors is of degree k."""
    random = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(random.standard_normal((n, n)))
    for k in range(1, n + 1):
        found = product(*basis[:, :k].T)
        close(found.grade(k), found)


@given(seeds, dimensions)
def test_reversion_is_an_anti_automorphism(seed, n):
    a, b = random_elements(seed, n)
    close((a * b).reverse(), b.reverse() * a.reverse(), 10)
    close(a.reverse().reverse(), a)


@given(vectors(4))
def test_reversion_writes_products_backwards(four):
    scale = np.abs(four).max() ** 4
    close(product(*four).reverse(), product(*four[::-1]), scale)
    for k in range(five := four.shape[-1] + 1):  # homogeneous of degree zero
        part = product(*four).grade(k % five)
        close(part.reverse().grade(k % five), part.reverse(), scale)


@given(vectors(4))
def test_magnitude_of_a_product_of_vectors(four):
    """Eq. 21: |v1 ... vk|^2 = |v1|^2 ... |vk|^2."""
    for k in range(1, 5):
        norms = np.linalg.norm(four[:k], axis=-1).prod()
        close(product(*four[:k]).magnitude(), norms, np.abs(four).max() ** k * 10)


@given(seeds, dimensions)
def test_lemma_c4(seed, n):
    """|A|^2 is the sum of |[A]_i|^2, for all A and not only products of vectors."""
    (a,) = random_elements(seed, n, 1)
    total = sum(a.grade(k).magnitude() ** 2 for k in range(n + 1))
    close(a.magnitude() ** 2, total, 10)
    close(a.magnitude() ** 2, (a.coordinates**2).sum(), 10)


@given(vectors(3))
def test_example_c2(three):
    """Eq. 20, the wedge by minors."""
    a, b, c = three
    scale = np.abs(three).max() ** 3
    close(product(a, b).grade(0).scalar(), a @ b, scale)
    close(product(a, b).grade(2), wedge(a, b), scale)
    close(product(a, b, c).grade(1).vector(), (a @ b) * c - (a @ c) * b + (b @ c) * a, scale)
    close(product(a, b, c).grade(3), wedge(a, b, c), scale)


@given(vectors(3, least=3))
def test_the_closed_form_is_the_magnitude_of_grade_one(three):
    """Eq. 8 of the library, on dot products alone, against the product of the algebra."""
    a, b, c = three
    expected = product(a, b, c).grade(1).magnitude()
    scale = np.linalg.norm(three, axis=-1).prod()
    found = unsigned_triple_product(*torch.from_numpy(three)).item()
    close(found, expected, scale)
    close(simplices.triple_product(a, b, c), expected, scale)


@given(vectors(3, least=3))
def test_example_c5_the_gram_determinant(three):
    """<a,b,c>^2 = |a|^2 |b|^2 |c|^2 - |a^b^c|^2."""
    norms = np.linalg.norm(three, axis=-1).prod()
    found = simplices.triple_product(*three) ** 2
    close(found, norms**2 - wedge(*three).magnitude() ** 2, norms**2)
    close(wedge(*three).magnitude() ** 2, np.linalg.det(three @ three.T), norms**2)


@given(vectors(3), st.floats(-10, 10), st.tuples(*3 * [st.sampled_from([-1, 1])]))
def test_lemma_c10_symmetries(three, factor, signs):
    """Permutations, signs, and lengths that factor out (v)."""
    scale = np.linalg.norm(three, axis=-1).prod()
    value = simplices.triple_product(*three)
    for order in permutations(range(3)):
        close(simplices.triple_product(*three[list(order)]), value, scale)
    close(simplices.triple_product(*(np.array(signs)[:, None] * three)), value, scale)
    scaled = simplices.triple_product(factor * three[0], *three[1:])
    close(scaled, abs(factor) * value, scale * max(abs(factor), 1))


@given(vectors(3))
def test_lemma_c10_bounds(three):
    """Between 0 and the product of the norms, which is reached by dependent vectors."""
    norms = np.linalg.norm(three, axis=-1).prod()
    value = simplices.triple_product(*three)
    assert 0 <= value <= norms * (1 + 1e-9) + 1e-12
    a, b, _ = three
    dependent = np.stack([a, b, 2 * a - 3 * b])
    close(
        simplices.triple_product(*dependent),
        np.linalg.norm(dependent, axis=-1).prod(),
        np.abs(dependent).max() ** 3,
    )


@given(seeds, st.integers(3, 8))
def test_lemma_c10_only_dependent_vectors_reach_the_greatest_value(seed, n):
    """Independent ones fall short by the volume they span; orthogonal ones have zero, and no
    others of those without a zero vector."""
    random = np.random.default_rng(seed)
    three = simplices.random_triples(random, 20, n)
    norms = np.linalg.norm(three, axis=-1).prod(axis=0)
    assert (simplices.triple_product(*three) < norms).all()
    assert (simplices.triple_product(*three) > 0).all()
    right = simplices.random_triples(random, 20, n, "orthogonal")
    norms = np.linalg.norm(right, axis=-1).prod(axis=0)
    assert (simplices.triple_product(*right) < 1e-9 * norms).all()


@given(seeds)
def test_figure_2(seed):
    """Areas and volumes from edge lengths alone."""
    random = np.random.default_rng(seed)
    a, b = (one / np.linalg.norm(one) for one in random.standard_normal((2, 2)))
    assert (a @ b) ** 2 == pytest.approx(1 - 4 * simplices.simplex_volume(a, b) ** 2, abs=1e-9)
    three = [one / np.linalg.norm(one) for one in random.standard_normal((3, 3))]
    square = simplices.triple_product(*three) ** 2
    assert square == pytest.approx(1 - 36 * simplices.simplex_volume(*three) ** 2, abs=1e-9)
    volume = abs(np.linalg.det(np.stack(three))) / 6
    assert simplices.simplex_volume(*three) == pytest.approx(volume, abs=1e-8)


def test_two_dimensions_hold_norms_alone():
    """There, three vectors are dependent."""
    three = np.random.default_rng(0).standard_normal((3, 50, 2))
    norms = np.linalg.norm(three, axis=-1).prod(axis=0)
    np.testing.assert_allclose(simplices.triple_product(*three), norms)


@pytest.mark.parametrize("n", [2, 3, 8, 48])
def test_mean_square_against_draws(n):
    three = np.random.default_rng(n).standard_normal((3, 200_000, n))
    three /= np.linalg.norm(three, axis=-1, keepdims=True)
    squares = simplices.triple_product(*three) ** 2
    error = squares.std() / len(squares) ** 0.5
    assert squares.mean() == pytest.approx(simplices.mean_square(n), abs=4 * error + 1e-9)


def test_random_triples_are_what_they_are_called():
    random = np.random.default_rng(0)
    for kind, rank in (("gaussian", 3), ("dependent", 2), ("orthogonal", 3)):
        three = simplices.random_triples(random, 10, 5, kind)
        ranks = np.linalg.matrix_rank(np.moveaxis(three, 0, 1), rtol=1e-10)
        assert three.shape == (3, 10, 5) and (ranks == rank).all()
    near = np.moveaxis(simplices.random_triples(random, 10, 5, "nearly_dependent"), 0, 1)
    assert (np.linalg.svd(near)[1][:, 2] < 1e-6).all()
    with pytest.raises(ValueError, match="kind is 'parallel'; allowed: gaussian, dependent"):
        simplices.random_triples(random, 1, 3, "parallel")
    with pytest.raises(ValueError, match="n is 2; expected at least 3"):
        simplices.random_triples(random, 1, 2, "orthogonal")


def test_elements_of_one_algebra():
    with pytest.raises(ValueError, match="other is of dimension 3; expected 2"):
        vector(np.ones(2)) * vector(np.ones(3))
    with pytest.raises(ValueError, match="coordinates have dimension 13; expected at most 12"):
        vector(np.ones(13))
    batch = vector(np.ones((4, 3))) * vector(np.ones(3))
    assert batch.coordinates.shape == (4, 8) and clifford.LARGEST == 12


def test_numbers_multiply_elements_of_the_batch_one_by_one():
    some = vector(np.array([[1.0, 2.0], [3.0, 4.0]]))
    found = np.array([2.0, 3.0]) * some
    expected = np.stack([2 * some.coordinates[0], 3 * some.coordinates[1]])
    np.testing.assert_array_equal(found.coordinates, expected)
    with pytest.raises(TypeError, match="unsupported operand"):
        some * 3
