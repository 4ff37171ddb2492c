"""USD characters: the same points as UsdSkel bends them to, whatever the stage's unit and axes; bones and clips."""

import numpy as np
import pytest

import pliant
from pliant.errors import FormatError
from pliant.sinks.formats import for_suffix
from pliant.sources.doctor import check
from pliant.sources.recordings import load_recording
from pliant.sources.usd_characters import read_rigged

pytest.importorskip("pxr", reason="USD needs usd-core")

STAGE = """#usda 1.0
(
    defaultPrim = "man"
    endTimeCode = 24
    metersPerUnit = 0.01
    startTimeCode = 0
    timeCodesPerSecond = 24
    upAxis = "Z"
)
def SkelRoot "man"
{
    double3 xformOp:translate = (100, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Skeleton "bones" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        uniform token[] joints = ["hips", "hips/arm"]
        uniform matrix4d[] bindTransforms = [( (1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,90,1) ),
            ( (1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,150,1) )]
        uniform matrix4d[] restTransforms = [( (1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,90,1) ),
            ( (1,0,0,0), (0,1,0,0), (0,0,1,0), (0,0,60,1) )]
        rel skel:animationSource = </man/wave>
    }
    def SkelAnimation "wave"
    {
        uniform token[] joints = ["hips/arm"]
        quatf[] rotations.timeSamples = { 0: [(1, 0, 0, 0)], 24: [(0.70710678, 0.70710678, 0, 0)] }
        half3[] scales = [(1, 1, 1)]
        float3[] translations = [(0, 0, 60)]
    }
    def Mesh "skin" (prepend apiSchemas = ["SkelBindingAPI"])
    {
        uniform token[] skel:joints = ["hips/arm", "hips"]
        rel skel:skeleton = </man/bones>
        matrix4d primvars:skel:geomBindTransform = ( (2,0,0,0), (0,2,0,0), (0,0,2,0), (0,0,10,1) )
        int[] primvars:skel:jointIndices = [1, 0, 1, 0, 0, 0] (elementSize = 2
            interpolation = "vertex")
        float[] primvars:skel:jointWeights = [1, 0, 0.5, 0.5, 1, 0] (elementSize = 2
            interpolation = "vertex")
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        point3f[] points = [(0, 0, 40), (10, 0, 60), (0, 10, 80)]
    }
}
"""


def agrees(path, atol=1e-5):
    scene, clip = read_rigged(path), list(load_recording(path))
    for frame in (clip[0], clip[len(clip) // 2], clip[-1]):
        local = scene.pose_at(scene.animations[0], frame.time - clip[0].time)
        for mesh in scene.meshes:
            shown = next(part for name, part in frame.items() if name in (mesh.name, next(iter(frame))))
            np.testing.assert_allclose(scene.world_points(mesh, local), shown.points, atol=atol)
    return scene


def test_a_stage_in_centimetres_and_z_up(tmp_path):
    """Geometry bind transform, own joint order, blended weights, a moved root: against UsdSkel's own answer."""
    path = tmp_path / "man.usda"
    path.write_text(STAGE)
    scene = agrees(path)
    assert scene.names == ("bones", "hips", "arm")
    assert [(a.name, a.seconds) for a in scene.animations] == [("wave", 1.0)]
    rest = scene.world_points(scene.meshes[0])
    np.testing.assert_allclose(rest, [[1.0, 0.9, 0.0], [1.2, 1.3, 0.0], [1.0, 1.7, -0.2]], atol=1e-6)
    report = check(path)
    assert (report.kind, report.summary) == ("character", "character: 2 bones, 1 skinned mesh, 1 clip")
    skeleton, rows = scene.skeleton()
    assert skeleton.names[rows[1]] == "arm"
    assert len(scene.clip(scene.animations[0], fps=24.0)) == 25


@pytest.mark.parametrize("app", [None, "unreal"])
def test_our_own_puppets_come_back_as_characters(tmp_path, app):
    world = pliant.build(pliant.gallery.load("puppet"))
    target = tmp_path / "p.usda"
    with for_suffix(target)(target, world, fps=30.0, target_app=app) as sink:
        for frame in pliant.simulate(world, frames=6, fps=30.0):
            sink.write(frame)
    scene = agrees(target)
    assert set(scene.names[1:]) == {pose.name for pose in frame["puppet"].poses}


def test_a_stage_without_bones_is_one_line(tmp_path):
    path = tmp_path / "a.usda"
    path.write_text(
        '#usda 1.0\ndef Mesh "m"\n{\n    point3f[] points = [(0,0,0),(1,0,0),(0,1,0)]\n'
        "    int[] faceVertexCounts = [3]\n    int[] faceVertexIndices = [0,1,2]\n}\n"
    )
    with pytest.raises(FormatError, match="has no skeleton that bends a mesh"):
        read_rigged(path)
