# SPDX-License-Identifier: Apache-2.0 OR MIT
"""Executes a notebook in a directory, cell by cell, and requires what its cells should show."""

import pathlib
import sys
import tempfile

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

source, directory = pathlib.Path(sys.argv[1]), sys.argv[2]
notebook = nbformat.read(source, as_version=4)
cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
for cell in cells:
    assert cell.outputs == [] and cell.execution_count is None, f"{source} has outputs: strip them"
# Sockets of this user in place of TCP, in a directory with a short name, as sockets need.
with tempfile.TemporaryDirectory() as sockets:
    kernel = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=f"{sockets}/kernel")
    NotebookClient(notebook, km=kernel, timeout=120, resources={"metadata": {"path": directory}}).execute()
shown = [set().union(*(output.get("data", {}) for output in cell.outputs)) for cell in cells]
for cell, kinds in zip(cells, shown):
    assert kinds, f"a cell shows nothing:\n{cell.source}"
    assert not any(output.output_type == "stream" for output in cell.outputs), cell.outputs
pictures = sum("image/png" in kinds for kinds in shown)
tables = sum("text/html" in kinds for kinds in shown)
assert pictures == 3, f"{pictures} cells show a picture"
assert tables == 2, f"{tables} cells show a table"
print(f"{source}: {len(cells)} cells, {pictures} pictures, {tables} tables")
