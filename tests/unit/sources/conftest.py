"""Where the shared meshes and motion are, when they are there."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def data() -> Path:
    folder = Path(__file__).resolve().parents[3] / ".." / "shared" / "data"
    if not folder.is_dir():
        folder = folder.parents[1].parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the shared data folder is not here; these tests read real meshes and motion from ../shared/data")
    return folder.resolve()
