# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bar charts of measurements, as SVG, in the light or dark colors of the page."""

import sys
from pathlib import Path

from .goals import is_special
from .report import PEERS, size_name, title, traffic_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts" / "docs"))
from picture import Picture  # noqa: E402

LEFT, WIDTH, BAR = 160, 420, 13  # pixels: of names, of traffic's bar, between bars


def draw_chart(record: dict, size: int, name: str) -> Picture:
    """A bar for each contender of each row, with its speed relative to traffic."""
    machine = record["machine"]
    what = f"{record['title']}, {size_name(size)} elements: Gelem/s, and the part of traffic"
    picture = Picture(name, LEFT + WIDTH + 110, what)
    picture.text(8, 18, what, "bold")
    date = machine["date"][:10]
    picture.text(
        8, 34, f"{machine['cpu']}, one core, {date}; best, and the quartiles of ours", "soft"
    )
    top = y = 48
    for row in record["rows"]:
        traffic = traffic_of(row, "quant-float")
        if row["elements"] != size or not traffic or is_special(row):
            continue
        picture.text(8, y + 12, title(row), "bold")
        y += 18
        for contender, outcome in row["contenders"].items():
            ours = contender.startswith("quant-float")
            if "best_gelems" not in outcome or not (ours or contender in PEERS):
                continue
            speed = outcome["best_gelems"]
            length = min(speed / traffic, 1.1) * WIDTH
            style = ("a" if contender == "quant-float" else "c") if ours else "b"
            picture.text(LEFT - 6, y + 10, contender, "soft end")
            picture.rect(LEFT, y + 1, max(length, 0.5), BAR - 3, style)
            if ours:
                low, high = (
                    LEFT + min(outcome[f"{which}_quartile_gelems"] / traffic, 1.1) * WIDTH
                    for which in ("lower", "upper")
                )
                middle = y + BAR / 2 - 0.5
                picture.path(f"M{low:g} {middle:g}H{high:g}", "ticks")
            mark = " (other bits)" if outcome.get("differing") else ""
            picture.text(LEFT + length + 5, y + 10, f"{speed:.3g}{mark}", "soft")
            y += BAR + 1
        y += 6
    if y == top:
        picture.text(8, y + 12, "nothing was measured", "soft")
        y += 18
    line = LEFT + WIDTH
    picture.path(f"M{line} {top}V{y}", "ticks dashed")
    picture.text(line, y + 12, "traffic", "middle soft")
    return picture
