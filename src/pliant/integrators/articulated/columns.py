"""Where each quantity stands in a segment's record.

Every segment has one row in three tables: numbers that never change, numbers that change, and integers. One row is
contiguous memory, so a sweep over a tree walks through it once. All are in the order of the plan: root first, each
segment after the one that carries it.
"""

# constant numbers
MASS, IMASS = 0, 1  # [kg], [1/kg]
INERTIA, IINERTIA = 2, 5  # (3) principal, body axes [kg m^2], and its inverse
CARRIER = 8  # (3) from the carrier's centre to the joint, in the carrier's axes
STEM = 11  # (3) from the carrier's own joint to this joint, in the carrier's axes
HERE = 14  # (3) from this segment's centre to the joint, own axes
NEUTRAL, NEUTRAL_E = 17, 21  # (4) neutral rotation of the joint, and that times its axis
COSINE2, TANGENT_LOW, TANGENT_HIGH = 25, 26, 27  # limits, as the cheap test needs them
SWING, LOW, HIGH = 28, 29, 30  # limits [rad]
AXIS_A, AXIS_B = 31, 34  # (3) twist axis in the joint's parent and child
SIDE_1, SIDE_2 = 37, 40  # (3) two directions across the axis, in the joint's parent
HALF_SWING, HALF_LOW, HALF_HIGH = 43, 45, 47  # (2) sine and cosine of half of each limit
CONSTANTS = 49

# changing numbers
X0, Q0, R0 = 0, 3, 7  # pose at the start of the substep: centre, quaternion, matrix
X, Q, R = 16, 19, 23  # pose at its end
P, LB, OM = 32, 35, 38  # momentum; angular momentum and mean spin in the body axes of the start
S, LEVER, ARM = 41, 44, 47  # world: joint to centre; carrier's joint to joint; carrier's centre to joint
A, B, D = 50, 56, 65  # mass seen at the joint: force by motion, by turn, torque by turn
KU, PW = 71, 80  # B times what is free to turn; that freedom's own inverse mass
AP, BP, DP = 86, 92, 101  # what the carrier feels of all this
LOAD, OFFSET, MOVE, SENT = 107, 113, 119, 125  # (6) load; jump across the joint; displacement; load on the carrier
FREE = 131  # (3) turn that the load alone makes
ROWS, DUAL = 134, 143  # (3 x 3) directions in which the joint cannot turn, and their dual basis
LAMBDA = 152  # (2) what the swing and the twist limit have pushed in this substep
PUSHED = 154  # (2 x 3) the same as vectors on the traversal's child
SPIN = 160  # (3) world spin at the start of the substep
KICK = 163  # (3) momentum the outer force gives in this substep
P_FREE, LB_FREE = 166, 169  # (3) both momenta as the free motion has them
VARIABLES = 172

# integers
ROW, UP = 0, 1  # the part's row; the carrier's slot (its own at a root)
PARENT, CHILD = 2, 3  # slots of the joint's own parent and child
KIND = 4  # bits, below
HELD = 5  # 1 = its motion is somebody else's
COUNT = 6  # number of angular rows
ROW_KIND = 7  # (3) what each is
RELEASES = 10  # (2) how often the swing and the twist limit let go in this substep
HIT = 12  # (2) 0 = inside; swing: 1 = outside; twist: 1 = above, 2 = below
INTEGERS = 14

# bits of KIND
HINGE, TWIST_LOCKED, SWING_LIMIT, TWIST_LIMIT = 1, 2, 4, 8

# values of ROW_KIND
ROW_SIDE_1, ROW_SIDE_2, ROW_LOCK, ROW_SWING, ROW_HIGH, ROW_LOW = 1, 2, 3, 4, 5, 6
