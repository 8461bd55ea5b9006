"""Cases of the table of operations: matrices, their factors and norms; functions of two numbers."""

# ruff: noqa: ARG005 - every call takes the library, whether it needs it or not

from __future__ import annotations

from tests.conformance.case import Case

SQUARE = ((3, 3),)


def _definite(t, x):
    """Return a positive definite matrix made of any."""
    return x @ x.mT + t.eye(3).double()


def _directions(t, x):
    """Return U Vh, in which the signs that are free cancel."""
    found = t.linalg.svd(x, full_matrices=False)
    return found.U @ found.Vh


def _factors() -> list[Case]:
    calls = {
        "inverse": lambda t, x: t.inverse(x),
        "det": lambda t, x: t.linalg.det(x),
        "slogdet": lambda t, x: t.linalg.slogdet(x)[1],
        "logdet": lambda t, x: t.logdet(_definite(t, x)),
        "cholesky": lambda t, x: t.linalg.cholesky(_definite(t, x)),
        "cholesky_upper": lambda t, x: t.linalg.cholesky(_definite(t, x), upper=True),
        "svdvals": lambda t, x: t.linalg.svdvals(x),
        "svd_product": _directions,
        "svd_of_old": lambda t, x: t.svd(x).U.abs() @ t.svd(x).V.abs().mT,
        "norm_nuc": lambda t, x: x.norm("nuc"),
        "norm_below_1": lambda t, x: x.norm(0.5, dim=1),
        "vector_norm": lambda t, x: t.linalg.vector_norm(x, 3),
        "matrix_norm": lambda t, x: t.linalg.matrix_norm(x),
        "matrix_norm_2": lambda t, x: t.linalg.matrix_norm(x, 2),
        "matrix_norm_least": lambda t, x: t.linalg.matrix_norm(x, -2, keepdim=True),
        "matrix_norm_columns": lambda t, x: t.linalg.matrix_norm(x, 1),
        "matrix_norm_rows": lambda t, x: t.linalg.norm(x, float("inf")),
        "trace": lambda t, x: x.trace(),
    }
    wide = {
        "svdvals_wide": lambda t, x: t.linalg.svdvals(x),
        "svd_wide": _directions,
        "norm_nuc_batch": lambda t, x: x.reshape(2, 2, 2).norm("nuc", dim=(2, 0)),
    }
    return [
        *[Case(name, call, SQUARE) for name, call in calls.items()],
        *[Case(name, call, ((2, 4),)) for name, call in wide.items()],
        Case("svd_tall", wide["svd_wide"], ((4, 2),)),
    ]


def _equations() -> list[Case]:
    solve = lambda t, a, b: t.linalg.solve(a, b)  # noqa: E731 - one call, three cases
    triangular = lambda t, a, b: t.linalg.solve_triangular(  # noqa: E731 - two cases
        a + 3 * t.eye(3).double(), b, upper=False
    )
    return [
        Case("solve", solve, ((3, 3), (3, 2))),
        Case("solve_vector", solve, ((3, 3), (3,))),
        Case("solve_batch", solve, ((2, 3, 3), (3, 2))),
        Case("solve_left", lambda t, a, b: t.linalg.solve(a, b, left=False), ((3, 3), (2, 3))),
        Case("solve_triangular", triangular, ((3, 3), (3, 2))),
        Case(
            "solve_unitriangular",
            lambda t, a, b: t.linalg.solve_triangular(a, b, upper=True, unitriangular=True),
            ((3, 3), (3, 2)),
        ),
    ]


def _sums() -> list[Case]:
    return [
        Case("addmm", lambda t, c, a, b: t.addmm(c, a, b), ((2,), (4, 3), (3, 2))),
        Case(
            "addmm_scaled",
            lambda t, c, a, b: c.addmm(a, b, beta=0.5, alpha=2),
            ((4, 2), (4, 3), (3, 2)),
        ),
        Case("addmv", lambda t, c, a, b: t.addmv(c, a, b, alpha=2), ((4,), (4, 3), (3,))),
        Case(
            "baddbmm",
            lambda t, c, a, b: t.baddbmm(c, a, b, beta=2),
            ((2, 1, 2), (2, 4, 3), (2, 3, 2)),
        ),
        Case("mm", lambda t, a, b: a.mm(b), ((2, 3), (3, 2))),
        Case("mv", lambda t, a, b: a.mv(b), ((2, 3), (3,))),
        Case("dot", lambda t, a, b: a.dot(b), ((3,), (3,))),
        Case("bmm", lambda t, a, b: t.bmm(a, b), ((2, 2, 3), (2, 3, 2))),
        Case("outer", lambda t, a, b: t.outer(a, b), ((2,), (3,))),
        Case("cross", lambda t, a, b: t.cross(a, b, dim=1), ((2, 3), (2, 3))),
        Case("einsum", lambda t, a, b: t.einsum("bi,bj->ij", a, b), ((2, 3), (2, 4))),
        Case("einsum_diagonal", lambda t, a: t.einsum("ii->i", a), SQUARE),
    ]


def _pairs() -> list[Case]:
    calls = {
        "logaddexp": lambda t, x, y: t.logaddexp(x, y),
        "hypot": lambda t, x, y: t.hypot(x, y),
        "atan2": lambda t, x, y: x.atan2(y),
        "remainder": lambda t, x, y: t.remainder(x, y),
    }
    cases = [Case(name, call, ((2, 3), (2, 3)), 0.3, 2) for name, call in calls.items()]
    broadcast = ((2, 1), (3,))
    return cases + [
        Case(f"{name}_broadcast", call, broadcast, 0.3, 2) for name, call in calls.items()
    ]


MATRICES = [*_factors(), *_equations(), *_sums(), *_pairs()]
