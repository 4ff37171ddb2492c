"""In a notebook the studio stands inline below the cell, and the call returns."""

import nbformat
import pytest

pytestmark = pytest.mark.slow


@pytest.mark.filterwarnings("ignore")
def test_show_stands_inline() -> None:
    from nbclient import NotebookClient

    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_code_cell("import pliant\npage = pliant.show('curtain', port=0)\npage"),
            nbformat.v4.new_code_cell(
                "import urllib.request\nanswer = urllib.request.urlopen(page.url)\n"
                "print(answer.status, b'pliant studio' in answer.read())\npage.close()"
            ),
        ]
    )
    NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
    shown, asked = notebook.cells[0].outputs[-1], notebook.cells[1].outputs[0]
    assert '<iframe src="http://127.0.0.1:' in shown["data"]["text/html"]
    assert asked["text"].startswith("200 True")
