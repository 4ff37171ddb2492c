"""The same scene once more under another method, beside the first and stepped with it."""

from pliant.errors import PliantError
from pliant.loop import Session
from pliant.loop.simulate import with_methods


class Twin:
    """Follows a session: the same start, the same inputs, another integrator."""

    def __init__(self, session: Session, method: str) -> None:
        self.method = method
        scene = with_methods(session.scene.replace(inputs=()), None, method)
        self.session = Session(scene, fps=session.fps)
        self._log, self._done = session.log, len(session.log)
        self.behind = False  # it could not do what the first one did

    def follow(self, session: Session) -> None:
        """Do what has been done to the first since the last frame; go back where that one does."""
        if session.log is not self._log:
            self._log, self._done = session.log, len(session.log)
            if session.state.frame == 0:
                self.session.restart()
            else:
                self.session.rewind(session.state.time)
        for entry in session.log[self._done :]:
            if entry.verb == "set" and entry.path.endswith(".integrator"):
                continue
            try:
                self.session.repeat(entry)
            except PliantError:
                self.behind = True
        self._done = len(session.log)

    def step(self) -> None:
        self.session.step()
