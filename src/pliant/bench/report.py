"""What a benchmark answers: a table to read, and values to compare."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Report:
    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    values: dict[str, Any] = field(default_factory=dict)  # for `--json`
