"""What a solver sees: plain arrays. Data only, no behaviour."""

from pliant.world.frame import Frame, PartFrame, Pose, Poses, part_frame, still
from pliant.world.joints import Joints
from pliant.world.part import Look, Part
from pliant.world.pipes import Pipes
from pliant.world.state import POCKET, Rows, State
from pliant.world.strain import edge_strain, structural_strain
from pliant.world.tables import BEND, SHEAR, STRUCTURAL, Hinges, Springs, Table, Volumes, structural
from pliant.world.ties import BODY, CLUSTER, FACE, FIXED, POINT, Ends, Ties
from pliant.world.tracks import PointTrack
from pliant.world.world import World, rows_of

__all__ = [
    "BEND",
    "BODY",
    "CLUSTER",
    "FACE",
    "FIXED",
    "POCKET",
    "POINT",
    "SHEAR",
    "STRUCTURAL",
    "Ends",
    "Frame",
    "Hinges",
    "Joints",
    "Look",
    "Part",
    "PartFrame",
    "Pipes",
    "PointTrack",
    "Pose",
    "Poses",
    "Rows",
    "Springs",
    "State",
    "Table",
    "Ties",
    "Volumes",
    "World",
    "edge_strain",
    "part_frame",
    "rows_of",
    "still",
    "structural",
    "structural_strain",
]
