"""What the doctor says: one sentence per finding, with what, where, how many and what to do."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from pliant.arrays import Array

Severity = Literal["error", "warning", "note"]


class Finding(NamedTuple):
    """One thing that is wrong, odd or worth knowing."""

    severity: Severity  # error: it will not work; warning: it will work, differently than meant; note: good to know
    code: str  # a stable short name, for programs
    what: str
    where: str = ""
    amount: int = 0
    advice: str = ""
    fixable: bool = False  # by `repair`

    @property
    def sentence(self) -> str:
        """`3 edges have more than two faces (edge 4-9, …): they bend freely; split the surface there`."""
        where = f" ({self.where})" if self.where else ""
        advice = f": {self.advice}" if self.advice else ""
        return f"{self.what}{where}{advice}"


@dataclass(frozen=True)
class Report:
    """Everything found in one file."""

    path: Path
    kind: str  # mesh, motion, character, scene, recording or unknown
    summary: str  # one line of what it is
    findings: tuple[Finding, ...]
    uses: tuple[str, ...] = ()  # what it serves for: "as cloth: yes", "as balloon: no, it is open"

    @property
    def ok(self) -> bool:
        return not any(finding.severity == "error" for finding in self.findings)

    def lines(self) -> list[str]:
        """The whole report, one line per thing."""
        head = f"{self.path}: {self.summary}"
        body = [f"  {f.severity}: {f.sentence}{' [--fix]' if f.fixable else ''}" for f in self.findings]
        return [head, *body, *(f"  {use}" for use in self.uses)]


def some(what: str, rows: Array, first: int = 3) -> str:
    """`point 3, 7, 12, …`."""
    shown = ", ".join(str(int(row)) for row in rows[:first])
    return f"{what} {shown}{', …' if len(rows) > first else ''}"


def many(count: int, one: str, several: str | None = None) -> str:
    """`1 edge`, `2 edges`."""
    return f"{count} {one if count == 1 else several or one + 's'}"
