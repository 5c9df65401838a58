"""Whether an answer is right: the same characters, or the same function of its variables.

``(x + 1)*(x - 1)`` and ``x**2 - 1`` are equal answers. What a model writes is read by a small
grammar, never evaluated as code. Answers whose expansion would be large are refused before anything
is computed: a limit of size, where a limit of time would judge differently on a slow machine.
"""

import ast
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sympy import Expr

LONGEST = 200  # characters
MOST_TERMS = 1000  # of a polynomial multiplied out
MOST_BITS = 2000  # of a coefficient
HIGHEST = 100  # degree
MOST_WORK = 20_000  # of a fraction: bits times the coefficients that its degrees leave room for
ALLOWED = re.compile(r"[0-9A-Za-z+\-*/() ]+")
GLUED = re.compile(r"[0-9][A-Za-z]")  # 2x, 1e5, 0x1: none is in the answers' language


class Unreadable(ValueError):
    """A text that is no expression of the answers' language, or one that is too large."""


@dataclass(frozen=True)
class _Size:
    """Bounds on an expression multiplied out, as a fraction of two polynomials.

    Attributes:
        terms, bits: of numerator and denominator alike; bits of the largest coefficient.
        degrees: likewise, in each variable.
        fraction: whether variables may be in the denominator.
    """

    terms: int
    bits: int
    degrees: Mapping[str, int] = field(default_factory=dict)
    fraction: bool = False

    def checked(self) -> "_Size":
        """Itself. Common factors of a fraction are sought; that takes long with many variables.

        Raises:
            Unreadable: if it is too large.
        """
        degrees = self.degrees.values()
        work = self.bits * math.prod(degree + 1 for degree in degrees)
        large = self.terms > MOST_TERMS or self.bits > MOST_BITS or sum(degrees) > HIGHEST
        if large or (self.fraction and work > MOST_WORK):
            raise Unreadable("it is too large multiplied out")
        return self

    def times(self, other: "_Size") -> "_Size":
        add_up = min(self.terms, other.terms)  # products of two terms, at most
        bits = self.bits + other.bits + (add_up - 1).bit_length()
        degrees = dict(Counter(self.degrees) + Counter(other.degrees))
        fraction = self.fraction or other.fraction
        return _Size(self.terms * other.terms, bits, degrees, fraction).checked()

    def over(self, other: "_Size") -> "_Size":
        """Numerator times denominator, and the other way round."""
        fraction = self.fraction or bool(other.degrees)
        return replace(self.times(other), fraction=fraction or other.fraction).checked()

    def plus(self, other: "_Size") -> "_Size":
        """A sum of two fractions p/q + r/s is (p s + r q) / (q s); of polynomials terms add up."""
        if self.fraction or other.fraction:
            product = self.times(other)
            return replace(product, terms=2 * product.terms, bits=product.bits + 1).checked()
        bits = self.bits + other.bits + 1  # numbers may have denominators
        degrees = dict(Counter(self.degrees) | Counter(other.degrees))
        return _Size(self.terms + other.terms, bits, degrees).checked()

    def power(self, exponent: int) -> "_Size":
        found = _Size(1, 1)
        for _ in range(exponent):
            found = found.times(self)
        return found


def equal(answer: str, expected: str) -> bool:
    """Whether two answers are the same function of their variables.

    Fractions count as equal if they agree wherever both are defined.

    Args:
        answer: what a model wrote. What cannot be read is not equal to anything, nor is what is too
            large to compare.
        expected: the right answer.

    Raises:
        Unreadable: if the right answer cannot be read, or is too large.

    Example:
        >>> equal("(x - 1)*(1 + x)", "x**2 - 1"), equal("14/2", "7"), equal("x", "y")
        (True, True, False)
        >>> equal("__import__('os')", "7"), equal("9**9**9", "7"), equal("7 7", "7")
        (False, False, False)
    """
    from sympy import cancel

    right, right_size = _read(expected)
    try:
        given, size = _read(answer)
        size.plus(right_size)
    except Unreadable:
        return False
    return cancel(given - right) == 0


def parse(text: str) -> "Expr":
    """An expression as one of sympy: whole numbers (007 is none), single letters, ``+ - * / **``,
    parentheses.

    Raises:
        Unreadable: for anything else, division by zero, and what is too large multiplied out.

    Example:
        >>> parse("2*x - x + 3")
        x + 3
    """
    return _read(text)[0]


def _read(text: str) -> tuple["Expr", _Size]:
    if len(text) > LONGEST:
        raise Unreadable(f"the answer has {len(text)} characters; allowed: at most {LONGEST}")
    try:
        if not ALLOWED.fullmatch(text) or GLUED.search(text):
            raise Unreadable("allowed: whole numbers, single letters, + - * / ** ( )")
        return _expression(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, Unreadable, RecursionError, MemoryError) as error:
        raise Unreadable(f"{text!r} is not read as an answer: {error}") from None


def _expression(node: ast.expr) -> tuple["Expr", _Size]:
    """A node of the text's tree as an expression, with the bounds of its size."""
    import sympy

    match node:
        case ast.Constant(value=int(value)) if not isinstance(value, bool):
            return sympy.Integer(value), _Size(1, value.bit_length() + 1).checked()
        case ast.Name(id=name) if len(name) == 1:
            return sympy.Symbol(name), _Size(1, 1, {name: 1})
        case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=inner):
            value, size = _expression(inner)
            return (-value if isinstance(sign, ast.USub) else value), size
        case ast.BinOp(left=base, op=ast.Pow(), right=upper):
            return _power(*_expression(base), _expression(upper)[0])
        case ast.BinOp(left=left, op=operation, right=right):
            return _combined(operation, *_expression(left), *_expression(right))
    raise Unreadable(f"it holds {type(node).__name__}")


def _power(base: "Expr", size: _Size, exponent: "Expr") -> tuple["Expr", _Size]:
    from sympy import cancel

    if not (exponent.is_Integer and 0 <= exponent <= HIGHEST):
        raise Unreadable(f"it has an exponent other than 0 to {HIGHEST}")
    if exponent == 0 and cancel(base) == 0:
        raise Unreadable("it holds 0**0")
    found = size.power(int(exponent))
    return base ** int(exponent), found


def _combined(operation, a: "Expr", a_size: _Size, b: "Expr", b_size: _Size):
    from sympy import cancel

    match operation:
        case ast.Add():
            size = a_size.plus(b_size)
            return a + b, size
        case ast.Sub():
            size = a_size.plus(b_size)
            return a - b, size
        case ast.Mult():
            size = a_size.times(b_size)
            return a * b, size
        case ast.Div():
            size = a_size.over(b_size)
            if cancel(b) == 0:
                raise Unreadable("it divides by zero")
            return a / b, size
    raise Unreadable(f"it holds {type(operation).__name__}")
