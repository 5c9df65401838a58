"""Mathematics problems: characters, what ships, files, and the check of answers against numbers."""

import re
import string
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abstractor_lib.tasks.mathematics import (
    TASKS,
    NotGenerated,
    Problems,
    Unreadable,
    alphabet,
    equal,
    files,
    load,
)
from abstractor_lib.tasks.mathematics.alphabets import as_bytes, framed
from abstractor_lib.tasks.mathematics.answers import _read, parse

TEXTS = st.text(alphabet=string.printable[:95], max_size=160)


@given(st.lists(TEXTS, max_size=5))
def test_the_texts_alphabet_loses_nothing(texts):
    text = alphabet("text")
    assert text.decode(text.encode(texts, 160)) == texts


def test_alphabets_number_their_characters_one_by_one():
    text, code = alphabet("text"), alphabet("code")
    assert (len(text), len(code)) == (96, 86)
    assert set(text.characters) == set(string.printable[:95])
    for one in (text, code):
        numbers = one.encode(list(one.characters), 1)[:, 0]
        assert sorted(numbers) == list(range(len(one) - len(one.characters), len(one)))


def test_unknown_characters():
    assert alphabet("code").encode(["~a"], 3)[0, 0] == 1
    assert alphabet("code").decode(alphabet("code").encode(["~a"], 3)) == ["?a"]
    with pytest.raises(ValueError, match="'\\\\t' is not in the alphabet 'text'"):
        alphabet("text").encode(["a\tb"], 3)
    with pytest.raises(ValueError, match="outside ASCII"):
        alphabet("code").encode(["π"], 3)
    with pytest.raises(ValueError, match="allowed: 0 to 85"):
        alphabet("code").decode(np.array([[86]]))
    with pytest.raises(ValueError, match="alphabet is 'greek'; allowed: text, code"):
        alphabet("greek")


def test_answers_have_marks_and_decoders_read_one_behind():
    text = alphabet("text")
    found = Problems(text.encode(["What is 2 + 5?"], 160), text.encode(framed(["7"]), 32), "text")
    assert text.decode(found.decoder_inputs) == ["@7;"]
    assert text.decode(found.labels) == ["7;"]
    assert found.decoder_inputs.shape == found.labels.shape == (1, 31)
    longest = text.encode(["x" * 200], 160), text.encode(framed(["9" * 30]), 32)
    longest = Problems(*longest, "text")
    assert longest.question_texts() == ["x" * 160]
    assert text.decode(longest.labels) == ["9" * 30 + ";"]
    with pytest.raises(ValueError, match="31 characters; allowed: at most 30"):
        framed(["9" * 31])


@pytest.mark.parametrize("task", TASKS)
def test_the_sample_ships_without_doubled_questions(task):
    train, validation = load(task, "train", 128, "code"), load(task, "validation", 64, "code")
    questions = train.question_texts() + validation.question_texts()
    assert len(set(questions)) == 192
    assert not any("?" in text[:-1] for text in questions)  # no character is unknown to it
    assert all(0 < len(text) <= 30 for text in train.answer_texts())
    assert (train[:5].questions == load(task, "train", 5, "code").questions).all()


def test_sampled_answers_are_right():
    """Linear equations are solved by their answers; products and derivatives are asked of sympy;
    the next term is that of the polynomial of least degree."""
    import sympy

    for text, answer in zip(*_texts("algebra__linear_1d"), strict=True):
        equation, variable = text.removeprefix("Solve ").rstrip(".").split(" for ")
        left, right = (side.replace(variable, f"({answer})") for side in equation.split("="))
        assert equal(left, right), text
    for text, answer in zip(*_texts("polynomials__expand"), strict=True):
        product = text.removeprefix("Expand ").rstrip(".")
        assert sympy.expand(sympy.sympify(product) - sympy.sympify(answer)) == 0, text
    for text, answer in zip(*_texts("calculus__differentiate"), strict=True):
        assert equal(str(_derivative(text)), answer), text
    for text, answer in zip(*_texts("algebra__sequence_next_term"), strict=True):
        terms = [int(one) for one in re.findall(r"-?\d+", text)]
        assert _next(terms) == int(answer), text


def _derivative(text):
    """What a question of calculus asks for."""
    import sympy

    nth = ("first", "second", "third", "fourth", "fifth")
    order = next((k for k, one in enumerate(nth, 1) if f" {one} " in text), 1)
    body = re.split(r"derivative of |Differentiate ", text)[1].rstrip("?.")
    body, *named = re.split(r" wrt | with respect to ", body)
    names = {name: sympy.Symbol(name) for name in re.findall(r"[a-z]", body)}
    variable = names[named[0]] if named else next(iter(names.values()))
    return sympy.expand(sympy.diff(sympy.sympify(body, names), variable, order))


def _next(terms):
    """The term after those, if differences of some order are equal: that of Newton's scheme."""
    if len(set(terms)) == 1:
        return terms[0]
    return terms[-1] + _next([later - one for one, later in pairwise(terms)])


def _texts(task):
    found = load(task, "validation", 64)
    return found.question_texts(), found.answer_texts()


def test_bad_input_is_told():
    with pytest.raises(ValueError, match="task is 'chess'; allowed: calculus__differentiate"):
        load("chess")
    with pytest.raises(ValueError, match="split is 'test'; allowed: train, validation"):
        load(TASKS[0], "test")
    with pytest.raises(ValueError, match="count is 0"):
        load(TASKS[0], count=0)


def _part(where, number, questions, split="train"):
    problems = as_bytes(questions, 160), as_bytes(["@1;"] * len(questions), 32)
    sha = files.checksum(*problems)
    part = files.Part(TASKS[0], split, number, "r", len(questions), len(questions), sha)
    files.write(where, part, *problems)
    return part


def test_parts_are_read_in_order_up_to_the_first_that_is_missing(tmp_path):
    names = [f"Solve {number}." for number in range(400)]
    _part(tmp_path, 0, names[:150])
    _part(tmp_path, 1, names[150:300])
    _part(tmp_path, 3, names[300:])
    assert load(TASKS[0], "train", 200, folder=tmp_path).question_texts() == names[:200]
    assert load(TASKS[0], "train", folder=tmp_path).question_texts() == names[:300]
    with pytest.raises(NotGenerated, match="this machine has 300; abstractor data mathematics"):
        load(TASKS[0], "train", 301, folder=tmp_path)


def test_the_sentence_names_the_command(tmp_path):
    with pytest.raises(NotGenerated, match=f"--task {TASKS[1]} --questions 5000 makes them"):
        load(TASKS[1], "train", 5000, folder=tmp_path)
    with pytest.raises(
        NotGenerated, match=f"has 64; abstractor data mathematics --task {TASKS[1]} m"
    ):
        load(TASKS[1], "validation", 5000, folder=tmp_path)
    assert len(load(TASKS[1], "validation", folder=tmp_path)) == 64


def test_damage_is_noticed(tmp_path):
    part = _part(tmp_path, 0, ["Solve 1."])
    other = _part(tmp_path, 1, ["Solve 2."])
    file = files.path(tmp_path, TASKS[0], "train", 0)
    file.write_bytes(files.path(tmp_path, TASKS[0], "train", 1).read_bytes())
    with pytest.raises(files.Damaged, match=r"train-00000\.npz does not have its checksum"):
        files.read(tmp_path, part)
    file.write_bytes(file.read_bytes()[:40])
    with pytest.raises(files.Damaged, match="cannot be read"):
        files.read(tmp_path, part)
    assert bytes(files.read(tmp_path, other)[0][0]).startswith(b"Solve 2.\0")


@pytest.mark.parametrize(
    "line", [b"", b"{", b"[]", b"{}", b'{"task": "x"}'], ids=["empty", "cut", "list", "bare", "key"]
)
def test_a_damaged_line_of_a_part_is_named(tmp_path, line):
    _part(tmp_path, 0, ["Solve 1."])
    files.path(tmp_path, TASKS[0], "train", 0).with_suffix(".json").write_bytes(line)
    with pytest.raises(files.Damaged, match=r"train-00000\.json cannot be read"):
        load(TASKS[0], "train", folder=tmp_path)


def test_a_line_of_another_part_or_count_is_noticed(tmp_path):
    part = _part(tmp_path, 0, ["Solve 1."])
    with pytest.raises(files.Damaged, match=r"train-00000\.npz does not have"):
        files.read(tmp_path, replace(part, kept=2))
    line = files.path(tmp_path, TASKS[0], "train", 0).with_suffix(".json")
    line.rename(line.with_name("train-00001.json"))
    _part(tmp_path, 0, ["Solve 2."])
    with pytest.raises(files.Damaged, match=r"train-00001\.json is another part's line"):
        load(TASKS[0], "train", folder=tmp_path)


LEAVES = st.one_of(st.integers(0, 99).map(str), st.sampled_from("xyz"))
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        inner.map(lambda text: f"(-{text})"),
        st.tuples(inner, st.integers(0, 3)).map(lambda t: f"({t[0]}**{t[1]})"),
    ),
    max_leaves=5,
)
POINTS = [dict(zip("xyz", map(Fraction, p), strict=True)) for p in ((2, 3, 5), (-7, 11, 1))]


def _values(text):
    """The expression's values in exact fractions, as Python computes them; None at a pole."""
    found = []
    for point in POINTS:
        whole = "".join(f"Fraction({c})" if c.isdigit() else c for c in _words(text))
        try:
            found.append(eval(whole, {"Fraction": Fraction, **point}))
        except ZeroDivisionError:
            found.append(None)
    return found


def _words(text):
    """Numbers as words, exponents left plain."""
    pieces = re.split(r"(\*\*\d|\d+)", text)
    return [piece for piece in pieces if piece]


@settings(max_examples=80, deadline=None)
@given(TREES, TREES)
def test_equal_answers_have_equal_values(first, second):
    try:
        parse(second)
    except Unreadable:
        with pytest.raises(Unreadable):
            equal(first, second)
        return
    if equal(first, second):
        for a, b in zip(_values(first), _values(second), strict=True):
            assert a is None or b is None or a == b


@settings(max_examples=50, deadline=None)
@given(TREES, TREES)
def test_other_orders_are_equal_and_one_more_is_not(first, second):
    try:
        parse(f"{first} + {second}")
    except Unreadable:
        return
    assert equal(f"{first} + {second}", f"{second} + {first}")
    assert equal(f"0 - ({second} - {first})", f"{first} - {second}")
    assert not equal(f"{first} + {second} + 1", f"{first} + {second}")


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("-7/1", "-7"),
        ("3*x*2 - x", "5*x"),
        ("(x + 1)**2", "x**2 + 2*x + 1"),
        ("x**2/x", "x"),
        (" 7", "7"),
        ("y*x", "x*y"),
        ("x**50 + x**51*1", "x**51 + x**50"),
        ("1/3 + x/7 - 1/21 + y/5", "y/5 + x/7 + 2/7"),
        ("(a + b)/(a*a + 2*a*b + b*b)", "1/(a + b)"),
    ],
)
def test_unsimplified_answers_are_right(answer, expected):
    assert equal(answer, expected)


@pytest.mark.parametrize(
    "answer",
    ["", "seven", "7;", "2x", "1e1", "0x7", "7.0", "x", "7 if 1 else 0", "f(7)", "x.y", "lambda: 7"]
    + ["9**9**9", "7/(x - x)", "7 + 0**0", "7**(1/2)", "7**-1", "(" * 99, "-" * 150 + "7", "True"]
    + ["+".join(f"(1/({a}+b)+1/{a})" for a in "acdefgh")]
    + [
        "(a+b+c+d+e+f+g+h)**9",
        "007",
        "7 + " + "9" * 700,
        "7\n7",
        "x[0]",
        "__import__('os').getpid()",
    ],
)
def test_what_is_no_answer_is_not_equal(answer):
    assert equal("7", "7")
    assert equal(answer, "7") is (answer == "-" * 150 + "7")


def test_a_right_answer_that_cannot_be_read_is_an_error():
    with pytest.raises(Unreadable, match="'2x' is not read as an answer"):
        equal("2*x", "2x")


@settings(max_examples=100, deadline=None)
@given(TREES)
def test_size_bounds_hold(text):
    """What is accepted is at most as large, multiplied out, as it was bounded to be."""
    import sympy

    try:
        value, size = _read(text)
    except Unreadable:
        return
    top, bottom = sympy.fraction(sympy.cancel(value))
    assert size.fraction or bottom.is_number
    for part in (top, bottom):
        found = sympy.Poly(part, *sympy.symbols("x y z"))
        for name, degree in zip("xyz", found.degree_list(), strict=True):
            assert degree <= size.degrees.get(name, 0)
        assert len(found.terms()) <= size.terms
        assert max(abs(int(one)).bit_length() for one in found.coeffs()) <= size.bits


def test_what_is_too_large_is_refused_unseen():
    assert len(str(parse("(a + b + c)**3*(a - 3)**4"))) < 200
    with pytest.raises(Unreadable, match="too large"):
        parse("(a + b + c)**3*(a - 3)**4*(b + 1)**2")
    parse("1/(a + b) + 1/(c + d) + 1/(e + f)")
    with pytest.raises(Unreadable, match="too large"):
        parse("1/(a + b) + 1/(c + d) + 1/(e + f) + 1/(g + h) + 1/(i + j)")
    # each alone is not too large, but to compare them is
    assert not equal("1/(a + b) + 1/(c + d) + 1/(e + f)", "1/(f + e) + 1/(c + d) + 1/(a + b)")


@pytest.mark.parametrize(
    "text",
    [  # whose common factors take minutes to seek
        "(a**9*b**9+c**9*d**9+e**9*f**9+g**9*h**9)/(a**8*b**7-c**8*d**7+e**8*f**7-g**8*h**7)",
        "(x**49-y**48+z**47-w**46+v**45)/(x**50+y**49-z**48+w**47-v**44)",
        "(a**9+b**9+c**9+d**9+e**9+f**9)/(a**8-b**8+c**8-d**8+e**8-f**8)",
    ],
)
def test_fractions_of_high_degrees_are_refused(text):
    with pytest.raises(Unreadable, match="too large"):
        parse(text)


def test_one_problem_by_itself_is_a_slice():
    some = load(TASKS[0], "train", 3)
    assert len(some[1:2]) == 1
    with pytest.raises(TypeError, match="rows is 1; expected a slice or an array, such as 1:2"):
        some[1]
