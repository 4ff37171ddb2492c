"""Key poses to pick: a figure that no puppet leads stands in another pose at once, and its clothes with it."""

from typing import Any

from pliant.scene import Actor
from pliant.scene.figures.posing import POSES
from pliant.studio.runner import Runner

OWN = "as given"


class Poses:
    """One choice for every figure of a scene that may be posed."""

    def __init__(self, gui: Any, runner: Runner) -> None:
        self._runner = runner
        self.choices: dict[str, Any] = {}
        actors = {n: p for n, p in runner.session.scene.parts.items() if isinstance(p, Actor) and not p.puppet}
        for name, actor in actors.items():
            if actor.clip is None:
                self._choice(gui, name, actor, f"pose of {name}" if len(actors) > 1 else "pose")

    def _choice(self, gui: Any, name: str, actor: Actor, label: str) -> None:
        hint = "The figure jumps into this pose; what it wears is draped anew for it, whatever came before"
        choice = gui.add_dropdown(label, (OWN, *POSES), initial_value=OWN, hint=hint)
        choice.on_update(lambda event: self.take(name, actor, str(choice.value)) if event.client is not None else None)
        self.choices[name] = choice

    def take(self, name: str, own: Actor, pose: str) -> None:
        """Stand in a pose; the figure's own poses and times come back with OWN."""
        poses, times = (own.poses, own.times) if pose == OWN else ((pose,), ())
        if pose != OWN and pose not in POSES:
            return

        def command(runner: Runner) -> None:
            runner.session.set(f"{name}.times", ())  # one each is asked for, so the old ones go first
            runner.session.set(f"{name}.poses", poses)
            if times:
                runner.session.set(f"{name}.times", times)

        self._runner.put(command)
