"""The tutorial notebook runs from top to bottom in a fresh kernel, `pliant.show` and all."""

import os
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "docs" / "tutorial.ipynb"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_the_tutorial_runs(tmp_path, monkeypatch):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("viser")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(NOTEBOOK.parents[1] / "src")]))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert all(not cell.get("outputs") for cell in notebook.cells), "the notebook is kept without its outputs"
    nbclient.NotebookClient(
        notebook, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in shown if output["output_type"] == "error"]
    assert any("image/png" in output.get("data", {}) for output in shown)
    assert "did you mean 'cotton'" in "".join(output.get("text", "") for output in shown)
    assert {path.name for path in tmp_path.glob("flag.*")} == {"flag.html", "flag.glb", "flag.npz"}
