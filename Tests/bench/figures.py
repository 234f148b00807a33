# SPDX-License-Identifier: Apache-2.0
"""Samples, their medians, and the Markdown they become."""

import statistics
from pathlib import Path

BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"
HEAD = "# Performance\n\nMeasured by `make bench`; the figures describe one machine and one run.\n\n"


class Figure:
    """One thing that is measured, of each contestant: rows in the order of their first sample."""

    def __init__(self, title: str, unit: str = "ms", decimals: int = 1, base: str = ""):
        self.title, self.unit, self.decimals, self.base = title, unit, decimals, base
        self.samples = {}
        self.failures = {}

    def add(self, contestant: str, value: float):
        """One sample, in the figure's unit."""
        self.samples.setdefault(contestant, []).append(value)

    def fail(self, contestant: str):
        """One attempt without a sample."""
        self.samples.setdefault(contestant, [])
        self.failures[contestant] = self.failures.get(contestant, 0) + 1

    def median(self, contestant: str) -> float:
        """The median of a contestant's samples."""
        return statistics.median(self.samples[contestant])

    def less(self, base: str, title: str) -> "Figure":
        """The same samples, each less the median of `base`, without `base`."""
        figure = Figure(title, self.unit, 3)
        zero = self.median(base)
        for name, values in self.samples.items():
            if name != base:
                figure.samples[name] = [value - zero for value in values]
                figure.failures |= {name: count for key, count in self.failures.items() if key == name}
        return figure

    def markdown(self) -> str:
        """A table with a row a contestant."""
        lines = [f"### {self.title}", "",
                 f"| | median, {self.unit} | min–max | n |" + (f" to {self.base} |" if self.base else ""),
                 "|---|---:|---:|---:|" + ("---:|" if self.base else "")]
        return "\n".join(lines + [self._row(name) for name in self.samples]) + "\n"

    def _row(self, name: str) -> str:
        values = self.samples[name]
        failed = f", {self.failures[name]} failed" if name in self.failures else ""
        if not values:
            return f"| {name} | – | – | 0{failed} |" + (" – |" if self.base else "")
        low, high = self._number(min(values)), self._number(max(values))
        row = f"| {name} | {self._number(self.median(name))} | {low}–{high} | {len(values)}{failed} |"
        if self.base and self.samples.get(self.base):
            row += f" {self.median(name) / self.median(self.base):.2f} |"
        return row

    def _number(self, value: float) -> str:
        return f"{value:.{self.decimals}f}"


class Facts:
    """A table of things that do not vary."""

    def __init__(self, title: str, columns):
        self.title, self.columns, self.rows = title, columns, {}

    def markdown(self) -> str:
        """A table with a row a contestant."""
        lines = [f"### {self.title}", "", f"| | {' | '.join(self.columns)} |", "|---|" + "---:|" * len(self.columns)]
        return "\n".join(lines + [f"| {name} | {' | '.join(cells)} |" for name, cells in self.rows.items()]) + "\n"


def write(path: Path, text: str):
    """Puts the text between the markers of a Markdown file, made if it is missing."""
    before, after = HEAD, ""
    if path.exists():
        page = path.read_text()
        if BEGIN in page and END in page:
            before, rest = page.split(BEGIN, 1)
            after = rest.split(END, 1)[1]
        else:
            before = page.rstrip("\n") + "\n\n"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{before}{BEGIN}\n{text.strip()}\n{END}{after or chr(10)}")
