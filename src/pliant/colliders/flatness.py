"""Where a skin is smooth, and where so flat that points and faces alone keep it from another.

A point at a smooth skin of outward faces keeps out of the plane of the face it comes to lie over. The way to the
nearest corner of a face beside it would lean, and stop what slides there.

Where it is flat, pairs of edges need no look: points kept a gap g from the faces beside them, on both sides, hold two
flat skins apart all over. Where two faces make an angle phi, an edge of length l that crosses the ridge between them
has its ends at g or more over either face, and so its middle at g - l phi / 4 or more over the ridge. While that is
well above zero, edges cannot pass each other.

Only for skins that gas keeps smooth: a sheet may fold sharply before the next look.
"""

import math

from pliant.kernels import inner, lean, span, sweep
from pliant.kernels.closest import cross, dot, less, row

BULGE = 0.75  # of the gap that a ridge may rise
ROUGH, SMOOTH, FLAT = 0, 1, 2
STEEPEST = 0.5  # [rad] at any ridge of a smooth skin
# of the longest edge: how far apart the nearest ends of two edges that cross are at most (0.71), and a point over a
# triangle and its nearest corner (0.58)
OF_EDGES, OF_FACES = 0.8, 0.65


@sweep
def look_around(rows, x, skins, even, size):
    """For each of the rows: even[i], ROUGH, SMOOTH or FLAT, what lies around it; size[i] [m], how near another point
    must be to it for the faces or edges around them to lie above each other."""
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
        even[i], share = ROUGH, OF_EDGES
        if filled[i]:
            least = _least_cosine(x, triangles, of, start[i], start[i + 1])
            angle = 4.0 * BULGE * gap[i] / max(longest, 1e-300)
            if least >= 1.0 - 0.5 * STEEPEST * STEEPEST:
                even[i] = SMOOTH
                if least >= 1.0 - 0.5 * angle * angle:
                    even[i], share = FLAT, OF_FACES
        size[i] = share * longest


@lean
def _least_cosine(x, triangles, of, first, last):
    """Of the angles between the normals of any two neighbours of these triangles."""
    least = 1.0
    for one in range(first, last):
        for two in range(one + 1, last):
            if _neighbours(triangles, of[one], of[two]):
                m, n = _normal(x, triangles, of[one]), _normal(x, triangles, of[two])
                least = min(least, dot(m, n) / max(math.sqrt(dot(m, m) * dot(n, n)), 1e-300))
    return least


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
