"""Where a skin is so flat that points and faces alone keep it from another: there pairs of edges need no look.

Points kept a gap g from the faces beside them, on both sides, hold two flat skins apart all over. Where two faces make
an angle phi, an edge of length l that crosses the ridge between them has its ends at g or more over either face, and so
its middle at g - l phi / 4 or more over the ridge. While that is well above zero, edges cannot pass each other.

Only for skins that gas keeps smooth: a sheet may fold sharply before the next look.
"""

import math

from pliant.kernels import inner, lean, span, sweep
from pliant.kernels.closest import cross, dot, less, row

BULGE = 0.75  # of the gap that a ridge may rise
STEEPEST = 0.5  # [rad] at any ridge of a flat skin
# of the longest edge: how far apart the nearest ends of two edges that cross are at most (0.71), and a point over a
# triangle and its nearest corner (0.58)
OF_EDGES, OF_FACES = 0.8, 0.65


@sweep
def look_around(rows, x, skins, flat, size):
    """For each of the rows: flat[i], what lies around it needs no edges against another that is flat; size[i] [m], how
    near another point must be to it for the faces or edges around them to lie above each other."""
    start, of, triangles, gap, filled = (
        skins.triangle_start,
        skins.triangle_of,
        skins.triangles,
        skins.gap,
        skins.filled,
    )
    for n in span(rows.shape[0]):
        i = rows[n]
        longest = 0.0
        for slot in range(start[i], start[i + 1]):
            longest = max(longest, _longest_side(x, triangles, of[slot]))
        longest = math.sqrt(longest)
        flat[i], share = 0, OF_EDGES
        if filled[i]:
            angle = min(4.0 * BULGE * gap[i] / max(longest, 1e-300), STEEPEST)
            if _turns_less(x, triangles, of, start[i], start[i + 1], 1.0 - 0.5 * angle * angle):
                flat[i], share = 1, OF_FACES
        size[i] = share * longest


@lean
def _turns_less(x, triangles, of, first, last, least):
    """Whether the cosine between any two neighbours of these triangles is `least` or more."""
    for one in range(first, last):
        for two in range(one + 1, last):
            if _neighbours(triangles, of[one], of[two]):
                m, n = _normal(x, triangles, of[one]), _normal(x, triangles, of[two])
                if dot(m, n) < least * math.sqrt(dot(m, m) * dot(n, n)):
                    return False
    return True


@inner
def _neighbours(triangles, s, t):
    """Whether two triangles share two corners."""
    shared = 0
    for k in range(3):
        a = triangles[s, k]
        if a == triangles[t, 0] or a == triangles[t, 1] or a == triangles[t, 2]:
            shared += 1
    return shared > 1


@inner
def _normal(x, triangles, t):
    a, b, c = row(x, triangles[t, 0]), row(x, triangles[t, 1]), row(x, triangles[t, 2])
    return cross(less(b, a), less(c, a))


@inner
def _longest_side(x, triangles, t):
    """Its square."""
    a, b, c = row(x, triangles[t, 0]), row(x, triangles[t, 1]), row(x, triangles[t, 2])
    p, q, r = less(b, a), less(c, a), less(c, b)
    return max(dot(p, p), dot(q, q), dot(r, r))
