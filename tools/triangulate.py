"""Triangulates a plane region bounded by closed polylines, with a given number of inner points.

Points on the boundary stay where they are; the inner ones start on a lattice and are smoothed.
Deterministic, and without other packages: made for meshes of a few hundred points.
"""
import math


def inside(point, loops):
    """Even-odd rule over all loops."""
    x, y = point
    odd = False
    for loop in loops:
        for (x0, y0), (x1, y1) in zip(loop, loop[1:] + loop[:1]):
            if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
                odd = not odd
    return odd


def distance(point, a, b):
    """From a point to a segment."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    s = ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / (dx * dx + dy * dy)
    s = min(1.0, max(0.0, s))
    return math.hypot(point[0] - a[0] - s * dx, point[1] - a[1] - s * dy)


def encroached(point, loops):
    """In the circle over a boundary edge, where it would cut the edge off."""
    for l in loops:
        for a, b in zip(l, l[1:] + l[:1]):
            if math.dist(point, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)) < 0.505 * math.dist(a, b):
                return True
    return False


def clearance(point, loops):
    return min(distance(point, a, b) for l in loops for a, b in zip(l, l[1:] + l[:1]))


def sample(curve, count, closed=True):
    """`count` edges of equal length along a polyline; its ends are kept when it is open."""
    points = list(curve) + ([curve[0]] if closed else [])
    at = [0.0]
    for a, b in zip(points, points[1:]):
        at.append(at[-1] + math.dist(a, b))
    out, k = [], 0
    for i in range(count + (0 if closed else 1)):
        s = at[-1] * i / count
        while k < len(at) - 2 and at[k + 1] < s:
            k += 1
        f = (s - at[k]) / (at[k + 1] - at[k])
        a, b = points[k], points[k + 1]
        out.append((a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1])))
    return out


def circle(p, q, r):
    """Centre and squared radius of the circle through three points."""
    ax, ay, bx, by = q[0] - p[0], q[1] - p[1], r[0] - p[0], r[1] - p[1]
    d = 2 * (ax * by - ay * bx)
    if d == 0:
        return 0.0, 0.0, math.inf
    ux = (by * (ax * ax + ay * ay) - ay * (bx * bx + by * by)) / d
    uy = (ax * (bx * bx + by * by) - bx * (ax * ax + ay * ay)) / d
    return p[0] + ux, p[1] + uy, ux * ux + uy * uy


def delaunay(points):
    """Triangles of the Delaunay triangulation, counter-clockwise (Bowyer and Watson)."""
    size = max(max(abs(c) for c in p) for p in points) + 1
    n = len(points)
    p = list(points) + [(-30 * size, -20 * size), (30 * size, -20 * size), (0, 40 * size)]
    triangles = {(n, n + 1, n + 2): circle(p[n], p[n + 1], p[n + 2])}
    for i in range(n):
        x, y = p[i]
        edges = {}
        for t in [t for t, (cx, cy, rr) in triangles.items()
                  if (x - cx) ** 2 + (y - cy) ** 2 < rr * (1 - 1e-12)]:
            del triangles[t]
            for e in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])):
                if (e[1], e[0]) in edges:
                    del edges[e[1], e[0]]
                else:
                    edges[e] = True
        for a, b in edges:
            triangles[a, b, i] = circle(p[a], p[b], p[i])
    return [t for t in triangles if max(t) < n]


def region(points, loops):
    """The triangles that lie in the region, and the boundary edges that are missing."""
    keep, edges = [], set()
    for t in delaunay(points):
        c = tuple(sum(points[k][i] for k in t) / 3 for i in (0, 1))
        if inside(c, loops):
            keep.append(t)
            edges |= {frozenset(e) for e in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0]))}
    missing, first = [], 0
    for loop in loops:
        n = len(loop)
        missing += [(first + i, first + (i + 1) % n) for i in range(n)
                    if frozenset((first + i, first + (i + 1) % n)) not in edges]
        first += n
    return keep, missing


def lattice(loops, spacing, gap, mirror):
    """Hexagonal lattice in the region, no nearer than `gap` to the boundary."""
    xs = [p[0] for p in loops[0]]
    ys = [p[1] for p in loops[0]]
    out, j, y = [], 0, min(ys) + 0.5 * spacing
    while y < max(ys):
        i = 0
        while True:
            x = (i + 0.5 * (j % 2)) * spacing + (0 if mirror else min(xs))
            if x > max(xs):
                break
            if (inside((x, y), loops) and clearance((x, y), loops) > gap
                    and not encroached((x, y), loops)):
                out.append((x, y))
                if mirror and x > 0:
                    out.append((-x, y))
            i += 1
        j, y = j + 1, y + spacing * math.sqrt(3) / 2
    return out


def find_lattice(loops, inner, gap, width, mirror):
    """The lattice with exactly `inner` points: spacing first, then the gap, is varied."""
    for change in (0, 0.01, -0.01, 0.02, -0.02, 0.03, -0.03, 0.05, -0.05):
        lo, hi = 0.005 * width, 0.5 * width
        for _ in range(40):
            spacing = math.sqrt(lo * hi)
            found = lattice(loops, spacing, (gap + change) * spacing, mirror)
            if len(found) == inner:
                return found
            lo, hi = (spacing, hi) if len(found) > inner else (lo, spacing)
    raise SystemExit("no lattice with %d points" % inner)


def triangulate(loops, inner, gap=0.55, rounds=25, mirror=False, extra=()):
    """Points and triangles: the loops' points first, then `inner` more.

    The spacing of the lattice is searched so that it gives the wanted number; `gap` is the least
    distance from the boundary over the spacing. With `mirror` points come in pairs at x and -x.
    """
    loops = [list(l) for l in loops]
    fixed = [p for l in loops for p in l] + list(extra)
    width = max(p[0] for p in loops[0]) - min(p[0] for p in loops[0])
    best = find_lattice(loops, inner, gap, width, mirror)
    points = fixed + best
    first = len(fixed)
    for _ in range(rounds):
        near = {}
        for t in region(points, loops)[0]:
            for k in t:
                near.setdefault(k, set()).update(t)
        moved = list(points)
        for k in range(first, len(points)):
            ring = sorted(near.get(k, {k}) - {k})
            if not ring:
                continue
            c = tuple(sum(points[i][a] for i in ring) / len(ring) for a in (0, 1))
            c = (0.4 * points[k][0] + 0.6 * c[0], 0.4 * points[k][1] + 0.6 * c[1])
            if inside(c, loops) and not encroached(c, loops):
                moved[k] = c
        if mirror:
            moved = mirrored(moved, points, first)
        points = moved
    triangles, missing = region(points, loops)
    if missing:
        raise SystemExit("boundary edges are missing: %s" % [
            tuple(points[k] for k in e) for e in missing])
    used = {k for t in triangles for k in t}
    if len(used) != len(points):
        raise SystemExit("points without triangles: %s" % [
            points[k] for k in range(len(points)) if k not in used])
    return points, triangles


def mirrored(moved, points, first):
    """Moved points made symmetric about x = 0; pairs are found by their places before."""
    index = {(round(x, 6), round(y, 6)): k for k, (x, y) in enumerate(points)}
    out = list(moved)
    for k in range(first, len(points)):
        x, y = points[k]
        other = index.get((round(-x, 6) + 0.0, round(y, 6)), k)
        mx, my = moved[k]
        ox, oy = moved[other]
        out[k] = (0.5 * (mx - ox), 0.5 * (my + oy))
    return out


def quality(points, triangles):
    """Smallest angle, degrees."""
    least = 180.0
    for t in triangles:
        for k in range(3):
            a, b, c = (points[t[(k + i) % 3]] for i in range(3))
            u, v = (b[0] - a[0], b[1] - a[1]), (c[0] - a[0], c[1] - a[1])
            cosine = (u[0] * v[0] + u[1] * v[1]) / (math.hypot(*u) * math.hypot(*v))
            least = min(least, math.degrees(math.acos(max(-1, min(1, cosine)))))
    return least
