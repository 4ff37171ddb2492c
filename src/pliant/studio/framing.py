"""Where a page's camera stands at first: everything is seen in what the panel leaves free of this very page."""

import math

import numpy as np

from pliant.arrays import Array
from pliant.scene import View
from pliant.sinks.picture.camera import Bounds, fitted
from pliant.studio.view import FIELD_OF_VIEW, StageView

PANEL = 350.0  # [px] of the page's width that the panel covers
NARROW = 640.0  # [px] below which the panel lies at the page's foot
WIDEST = 0.45  # of the page at most that is left to the panel
PICTURE = 1.45  # aspect for which a scene's own view was chosen
USUAL = (1280.0, 800.0)  # [px] of a page that does not say
BACK, BACK_MOST = 1.03, 40  # a step back, and how many at most


def framed(
    view: StageView, own: View | None, width: float, height: float, *, beside: StageView | None = None
) -> tuple[Array, Array]:
    """(eye, target) for a page of so many pixels; `own` is the scene's view, chosen for a picture of it alone."""
    if width < 1.0 or height < 1.0:
        width, height = USUAL
    covered = min(PANEL, WIDEST * width) if width > NARROW else 0.0
    aspect = max((width - covered) / height, 0.3)
    if beside is not None:
        shift = np.array([beside.offset, 0.0, 0.0])
        both = view.bounds.joined(Bounds(view.bounds.low + shift, view.bounds.high + shift))
        camera = fitted(both, aspect)
        eye, target = camera.eye, camera.target
    elif own is None:
        return _all_in(view.bounds, *view.camera(aspect), width / height, covered / height)
    else:
        target = np.array(own.target, float)
        eye = target + max(1.0, PICTURE / aspect) * (np.array(own.eye, float) - target)
    return aside(eye, target, covered / height)


def _all_in(bounds: Bounds, eye: Array, target: Array, aspect: float, covered: float) -> tuple[Array, Array]:
    """Moved aside, and back until what is nearer than the target, which moves farther aside, is seen too."""
    for _ in range(BACK_MOST):
        moved, to = aside(eye, target, covered)
        x, y = _seen(bounds.corners, moved, to)
        if max(-x.min() - aspect, x.max() + 2.0 * covered - aspect, np.abs(y).max() - 1.0) < 0.0:
            break
        eye = target + BACK * (eye - target)
    return aside(eye, target, covered)


def _seen(points: Array, eye: Array, target: Array) -> tuple[Array, Array]:
    """Right of and above the middle of the page, in halves of its height; inf behind the eye."""
    back = (eye - target) / np.linalg.norm(eye - target)
    right = np.cross((0.0, 1.0, 0.0), back)
    right /= max(float(np.linalg.norm(right)), 1e-9)
    depth = -((points - eye) @ back) * math.tan(0.5 * FIELD_OF_VIEW)
    depth = np.where(depth > 1e-6, depth, 1e-300)
    return (points - eye) @ right / depth, (points - eye) @ np.cross(back, right) / depth


def aside(eye: Array, target: Array, covered: float) -> tuple[Array, Array]:
    """Moved aside so that the scene stands in the middle of what is free; `covered` is the panel's width per height."""
    away = eye - target
    distance = float(np.linalg.norm(away))
    right = np.cross((0.0, 1.0, 0.0), away)
    right /= max(float(np.linalg.norm(right)), 1e-9)
    shift = covered * distance * math.tan(0.5 * FIELD_OF_VIEW) * right
    return eye + shift, target + shift
