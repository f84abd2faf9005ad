"""Random problems of projection solved by cvxopt and by the program given: the same point.

usage: cvxopt_check.py PROGRAM [COUNT [SEED]]
"""
import subprocess
import sys

import numpy as np
from cvxopt import matrix, solvers, spmatrix

TOL = 3e-12  # of the program: gap over objective, and violation
SAME = 1e-7  # places, as the root mean square in the weights of the problem, over its size
# of cvxopt, which stops without a result where it asks too much: gap over objective, infeasibility
GOALS = [(1e-12, 1e-11), (1e-10, 1e-9), (1e-9, 1e-8)]


def grid(rng):
    """Up to 30 triangles: a grid with shifted corners, or loose ones."""
    nx, ny = rng.integers(1, 6), rng.integers(1, 4)
    X = np.array([[i, j] for j in range(ny + 1) for i in range(nx + 1)], float)
    X += 0.2 * rng.uniform(-1, 1, X.shape)
    tri = []
    for j in range(ny):
        for i in range(nx):
            a = j * (nx + 1) + i
            b, d = a + 1, a + nx + 1
            c = d + 1
            tri += [[a, b, c], [a, c, d]] if (i + j) % 2 else [[a, b, d], [b, c, d]]
    return X, np.array(tri[: rng.integers(1, len(tri) + 1)])


def ellipse(along, across, angle):
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, -s], [s, c]])
    B = R @ np.diag([along**2, across**2]) @ R.T
    return [B[0, 0], B[1, 1], B[0, 1]]


def limit(rng, kind):
    b = 1 + 10 ** rng.uniform(-3, -0.5)
    if kind == "isotropic":
        return [ellipse(b, b, 0)], [], []
    if kind == "ellipse":
        return [ellipse(b, 1 + 10 ** rng.uniform(-3, -0.5), rng.uniform(0, 3))], [], []
    if kind == "several":
        n = rng.integers(2, 4)
        return [ellipse(1 + 10 ** rng.uniform(-3, -0.3), 1 + 10 ** rng.uniform(-3, -0.3),
                        rng.uniform(0, 3)) for _ in range(n)], [], []
    m = rng.integers(2, 9)
    angle = list(np.pi * np.arange(m) / m + rng.uniform(-0.1, 0.1, m))
    bound = list(1 + 10 ** rng.uniform(-3, -0.5, m))
    if kind == "sampled":
        return [], angle, bound
    return [ellipse(b, 1.1 * b, rng.uniform(0, 3))], angle, bound


KINDS = ["isotropic", "ellipse", "several", "sampled", "mixed"]


def orthonormal(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def problem(rng, index):
    X, tri = grid(rng)
    used = np.unique(tri)
    number = -np.ones(len(X), int)
    number[used] = np.arange(len(used))
    X, tri = X[used], number[tri]
    p = {"tri": tri, "nvert": len(X), "kind": KINDS[index % len(KINDS)]}
    p["rest"] = X[tri]
    nlimit = 1 if rng.uniform() < 0.5 else 3
    p["limit"] = [limit(rng, p["kind"]) for _ in range(nlimit)]
    p["limit_of"] = rng.integers(0, nlimit, len(tri))
    p["weight"] = 10 ** rng.uniform(-2, 0, len(X))
    # within all limits: laid out flat and a little smaller, turned; given components are from here
    inside = 0.9 * np.c_[X, np.zeros(len(X))] @ orthonormal(rng).T
    stretch = 10 ** rng.uniform(-0.2, 0.8)
    A = orthonormal(rng) @ np.diag([stretch, rng.uniform(0.05, 1), 1]) @ orthonormal(rng)
    hat = inside @ A + 10 ** rng.uniform(-3, 0) * rng.normal(size=inside.shape)
    fixed = np.zeros(len(X), int)
    if index % 2:
        fixed[rng.uniform(size=len(X)) < 0.25] = 7
        some = rng.uniform(size=len(X)) < 0.15
        fixed[some] = rng.integers(1, 7, some.sum())
    for c in range(3):
        given = (fixed >> c) & 1 == 1
        hat[given, c] = inside[given, c]
    p["xhat"], p["fixed"] = hat, fixed
    p["barrier"] = barriers(rng, p, inside) if index % 4 == 3 else []
    return p


def barriers(rng, p, inside):
    """Planes on the right side of which the state within the limits lies."""
    out = []
    for _ in range(rng.integers(1, 6)):
        n = int(rng.choice([1, 1, 2, 3, 4]))
        n = min(n, p["nvert"])
        vert = rng.choice(p["nvert"], n, replace=False)
        weight = rng.dirichlet(np.ones(n))
        frame = orthonormal(rng)
        y = weight @ inside[vert]
        out.append((vert, weight, frame, frame[0] @ y - rng.uniform(0.01, 0.2)))
    return out


def gradients(rest):
    """[3][2] gradients of the hat functions of a triangle."""
    E = np.array([rest[1] - rest[0], rest[2] - rest[0]]).T
    g = np.linalg.inv(E)
    return np.array([-g[0] - g[1], g[0], g[1]])


class Rows:
    """Rows of G u + s = h, s in a product of cones, with the given unknowns already put in."""

    def __init__(self, var, hat):
        self.var, self.hat, self.n = var, hat, 0
        self.i, self.j, self.v, self.h = [], [], [], []

    def add(self, terms, const):
        """s = const + sum of coefficients times coordinates: [(vertex, component, coefficient)]"""
        for a, c, k in terms:
            if self.var[a, c] < 0:
                const += k * self.hat[a, c]
            else:
                self.i.append(self.n)
                self.j.append(int(self.var[a, c]))
                self.v.append(-float(k))
        self.h.append(float(const))
        self.n += 1


def reference(p):
    """x by cvxopt's coneqp: linear, second-order and semidefinite cones, sparse."""
    free = np.array([[(f >> c) & 1 == 0 for c in range(3)] for f in p["fixed"]])
    var = np.where(free, np.cumsum(free).reshape(free.shape) - 1, -1)
    n = int(free.sum())
    w = np.repeat(p["weight"], 3).reshape(free.shape)[free]
    rows = Rows(var, p["xhat"])
    for vert, weight, frame, offset in p["barrier"]:
        rows.add([(a, c, k * frame[0][c]) for a, k in zip(vert, weight) for c in range(3)], -offset)
    nl, q, s = len(p["barrier"]), [], []
    cones = [(t, gradients(p["rest"][t]), p["limit"][p["limit_of"][t]])
             for t in range(len(p["tri"]))]
    for t, g, (_, angle, bound) in cones:
        for a, b in zip(angle, bound):
            h = g @ [np.cos(a), np.sin(a)] / b
            rows.add([], 1)
            for c in range(3):
                rows.add([(v, c, h[k]) for k, v in enumerate(p["tri"][t])], 0)
            q.append(4)
    for t, g, (ellipses, _, _) in cones:
        for B in ellipses:
            value, vector = np.linalg.eigh([[B[0], B[2]], [B[2], B[1]]])
            turned = g @ (vector / np.sqrt(value)) @ vector.T
            # [[I, F], [F', I]] by columns
            for j in range(5):
                for i in range(5):
                    lo, hi = min(i, j), max(i, j)
                    terms = []
                    if lo < 3 <= hi:
                        terms = [(v, lo, turned[k, hi - 3]) for k, v in enumerate(p["tri"][t])]
                    rows.add(terms, 1 if i == j else 0)
            s.append(5)
    P = spmatrix(list(map(float, w)), range(n), range(n))
    target = p["xhat"][free]
    G = spmatrix(rows.v, rows.i, rows.j, (rows.n, n))
    sol = None
    for gap, infeasible in GOALS:
        solvers.options.update(show_progress=False, abstol=1e-14, reltol=gap, feastol=infeasible)
        try:
            sol = solvers.coneqp(P, matrix(-w * target), G, matrix(rows.h),
                                 {"l": nl, "q": q, "s": s})
        except ArithmeticError:  # it went on until its scaling was 0: less is asked of it
            continue
        if sol["status"] == "optimal":
            break
    if sol is None:
        sys.exit("cvxopt solves the problem for none of its goals")
    x = p["xhat"].copy()
    x[free] = np.array(sol["x"]).ravel()
    return x, sol, free


def measures(p):
    """Kind, corners and gradients [3][1 or 2] of every limit, in which it reads sigma_max <= 1."""
    for t, tri in enumerate(p["tri"]):
        g = gradients(p["rest"][t])
        ellipses, angle, bound = p["limit"][p["limit_of"][t]]
        for a, b in zip(angle, bound):
            yield "flat", tri, (g @ [np.cos(a), np.sin(a)] / b)[:, None]
        for B in ellipses:
            value, vector = np.linalg.eigh([[B[0], B[2]], [B[2], B[1]]])
            yield "round", tri, g @ (vector / np.sqrt(value)) @ vector.T


def spread(tri, g, n):
    """F (3 m) = sum x_k g_k' as a matrix on all coordinates."""
    m = g.shape[1]
    A = np.zeros((3 * m, n))
    for k, v in enumerate(tri):
        for c in range(3):
            for e in range(m):
                A[3 * e + c, 3 * v + c] += g[k, e]
    return A


def constraints(p, x, near):
    """Value, gradient and Hessian of the constraints within `near` of equality; the worst of all.
    Sampled: |y|^2 - 1. Ellipses: the larger eigenvalue of F'F less one or, with both near one, all
    of F'F, and then the multipliers of these three form a matrix."""
    out, worst = [], -np.inf
    n = 3 * p["nvert"]
    for kind, tri, g in measures(p):
        A = spread(tri, g, n)
        F = (A @ x).reshape(-1, 3).T
        value, q = np.linalg.eigh(F.T @ F)
        worst = max(worst, value[-1] - 1)
        if value[-1] - 1 < -near:
            continue
        if kind == "round" and value[0] - 1 >= -near:
            for i, j in [(0, 0), (1, 1), (0, 1)]:
                a, b = A[3 * i: 3 * i + 3], A[3 * j: 3 * j + 3]
                out.append((F[:, i] @ F[:, j] - (i == j), a.T @ F[:, j] + b.T @ F[:, i],
                            a.T @ b + b.T @ a, "three"))
            continue
        a = np.einsum("e,ecn->cn", q[:, -1], A.reshape(-1, 3, n))
        grad = 2 * a.T @ (F @ q[:, -1])
        H = 2 * a.T @ a
        if kind == "round":
            b = np.einsum("e,ecn->cn", q[:, 0], A.reshape(-1, 3, n))
            mixed = b.T @ (F @ q[:, 1]) + a.T @ (F @ q[:, 0])
            H += 2 * np.outer(mixed, mixed) / (value[1] - value[0])
        out.append((value[-1] - 1, grad, H, "one"))
    for vert, weight, frame, offset in p["barrier"]:
        grad = np.zeros(n)
        for a, k in zip(vert, weight):
            grad[3 * a: 3 * a + 3] -= k * frame[0]
        value = grad @ x + offset
        worst = max(worst, value)
        if value >= -near:
            out.append((value, grad, np.zeros((n, n)), "one"))
    return out, worst


def polish(p, x, free):
    """Newton's method on the conditions of optimality with the constraints that cvxopt ends at, to
    rounding; None where these are not a proof: a multiplier below zero, or a limit passed."""
    f = free.ravel()
    w = np.repeat(p["weight"], 3)
    hat = p["xhat"].ravel()
    if constraints(p, hat, 0)[1] <= 0:
        return p["xhat"]
    for near in [1e-6, 1e-5, 1e-4, 1e-7, 1e-8]:
        y = x.ravel().copy()
        active, _ = constraints(p, y, near)
        if not active:
            continue
        G = np.array([a[1][f] for a in active])
        lam = np.linalg.lstsq(G.T, -(w * (y - hat))[f], rcond=1e-9)[0]
        kept = len(active)
        for _ in range(12):
            active, _ = constraints(p, y, near)
            if len(active) != kept:
                break
            G = np.array([a[1][f] for a in active])
            H = np.diag(w[f]) + sum(k * a[2][np.ix_(f, f)] for k, a in zip(lam, active))
            r = np.concatenate([-(w * (y - hat))[f] - G.T @ lam, [-a[0] for a in active]])
            K = np.block([[H, G.T], [G, np.zeros((kept, kept))]])
            d = np.linalg.lstsq(K, r, rcond=1e-12)[0]
            y[f] += d[: f.sum()]
            lam = lam + d[f.sum():]
        final, worst = constraints(p, y, near)
        if len(final) != kept or worst > 1e-11:
            continue
        G = np.array([a[1][f] for a in final])
        if np.abs((w * (y - hat))[f] + G.T @ lam).max() > 1e-11 * max(1, np.abs(lam).max()):
            continue
        if proof(lam, [a[3] for a in final]):
            return y.reshape(-1, 3)
    return None


def proof(lam, kinds):
    """All multipliers are at least zero, those of three constraints as a matrix."""
    k, least = 0, -1e-10 * max(1, np.abs(lam).max())
    while k < len(lam):
        if kinds[k] == "one":
            if lam[k] < least:
                return False
            k += 1
            continue
        # <Lam, F'F>: the third constraint is C12, which stands twice in the product
        if np.linalg.eigvalsh([[lam[k], lam[k + 2] / 2], [lam[k + 2] / 2, lam[k + 1]]])[0] < least:
            return False
        k += 3
    return True


def write(p, tol=TOL):
    out = [p["nvert"], len(p["tri"]), len(p["limit"]), len(p["barrier"]), tol]
    for name in ["tri", "rest", "limit_of", "weight", "fixed", "xhat"]:
        out += list(np.ravel(p[name]))
    for ellipses, angle, bound in p["limit"]:
        out += [len(ellipses), *np.ravel(ellipses), len(angle), *angle, *bound]
    for vert, weight, frame, offset in p["barrier"]:
        out += [len(vert), *vert, *weight, *np.ravel(frame), offset, 0, 0, 0, 0, 0]
    return " ".join(repr(float(v)) if isinstance(v, float) else str(v) for v in out)


def compare(p, head, values):
    """Returns what is wrong, and the difference over the size of the problem."""
    status, reason, iterations = (int(v) for v in head[:3])
    objective, bound, distance, violation = (float(v) for v in head[3:7])
    x = np.array(values[: 3 * p["nvert"]], float).reshape(-1, 3)
    ref, sol, free = reference(p)
    exact = polish(p, ref, free)
    ref = ref if exact is None else exact
    w = np.repeat(p["weight"], 3).reshape(ref.shape)
    best = 0.5 * np.sum(w * (ref - p["xhat"]) ** 2)
    size = max(1.0, np.abs(p["xhat"]).max())
    off = np.sqrt(np.sum(w * (x - ref) ** 2) / np.sum(w)) / size
    bad = []
    # converged, inside already, or as close as rounding allows
    if status != 0 or reason > 2:
        bad.append(f"status {status}, reason {reason}, {iterations} iterations")
    if not off <= SAME:
        bad.append(f"x differs by {off:.2e}")
    if not abs(objective - best) <= 1e-10 * best + 1e-14:
        bad.append(f"objective {objective!r}, the optimum is {best!r}")
    # the reference is known to 1e-11
    if not objective >= bound:
        bad.append(f"objective {objective} below bound {bound}")
    if not bound <= best * (1 + 1e-10) + 1e-14:
        bad.append(f"bound {bound!r} above the optimum {best!r}")
    apart = np.sqrt(np.sum(w * (x - ref) ** 2))
    if not apart <= distance + 1e-10 * size:
        bad.append(f"{apart:.2e} away, further than the certified {distance:.2e}")
    if not violation <= TOL + 1e-12:
        bad.append(f"violation {violation:.2e}")
    if np.abs((x - p["xhat"])[~free]).max(initial=0) > 0:
        bad.append("given components moved")
    return bad, off, exact is not None


def main():
    program = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 60
    rng = np.random.default_rng(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    problems = [problem(rng, k) for k in range(count)]
    text = "\n".join([str(count)] + [write(p) for p in problems])
    run = subprocess.run([program], input=text, capture_output=True, text=True, timeout=300)
    if run.returncode != 0:
        sys.exit(f"{program}: exit {run.returncode}: {run.stderr}")
    lines = run.stdout.splitlines()
    failed, worst, known = 0, 0.0, 0
    for k, p in enumerate(problems):
        bad, off, proven = compare(p, lines[2 * k].split(), lines[2 * k + 1].split())
        if not proven:
            continue
        known += 1
        worst = max(worst, off)
        if bad:
            failed += 1
            print(f"problem {k} ({p['kind']}, {len(p['tri'])} triangles, "
                  f"{len(p['barrier'])} barriers): " + "; ".join(bad))
    print(f"{known} of {count} proven, {failed} differ, worst difference {worst:.2e}")
    sys.exit(1 if failed or known < 0.8 * count else 0)


if __name__ == "__main__":
    main()
