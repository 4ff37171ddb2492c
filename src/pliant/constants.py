"""Numbers that matter, in one place: unit, usual value, and what happens when it is changed."""

GRAVITY = 9.81  # [m/s^2] standard gravity; the papers' scenes say 9.8 themselves
LENGTH_EPSILON = 1e-9  # [m] a shorter edge has no direction and is skipped; raising it freezes fine lace
STAGE_LIMIT = 1e4  # [m] a point farther from the origin counts as diverged; real stages are below 100 m
AIR_DENSITY = 1.2  # [kg/m^3] at 20 °C and sea level
TIED_STEP = 1.0 / 600.0  # [s] tied parts step no longer: a segment answers a tie one substep late
MEETING_STEP = 1.0 / 240.0  # [s] puppets that can meet step no longer: their contacts are solved once per substep
SUBSTEP_LIMIT = 64  # per frame; the default integrators never choose more, a user may ask for more
HAND_SPIN = 80.0  # [rad/s] what is driven turns no faster, as HAND_SPEED bounds its way
HAND_SPEED = 20.0  # [m/s] a dragged point follows the hand no faster; higher lets a pull tear through contacts
HAND_EDGES = 500.0  # [edges/s] nor faster than a mesh can follow; higher crumples fine cloth, at seconds a frame
MAXIMUM_UPLOAD = 256 * 2**20  # [bytes] larger mesh and motion files are refused with words
GAS_CONSTANT = 8.31446261815324  # [J/(mol K)]
ATMOSPHERE = 101325.0  # [Pa] ambient pressure at sea level
ROOM_TEMPERATURE = 293.15  # [K] 20 °C; with the pressure it fixes the density of the displaced air
AIR_MOLAR_MASS = 28.9647e-3  # [kg/mol]
