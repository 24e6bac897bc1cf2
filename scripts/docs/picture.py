"""Boxes, lines and text as SVG, in the light or dark colors of the page."""

import html

# An image follows the system's color scheme. On the site, docs/site.css sets the page's.
STYLE = """
.qf{--paper:#fff;--ink:#1f2430;--soft:#5d6575;--edge:#9aa3b5;--box:#f5f7fb;--a:#d9e2ff;--b:#ffe3c2;--c:#cdeed9;--d:#f0d9f5}
@media(prefers-color-scheme:dark){.qf{--paper:#1b1f2a;--ink:#e6e9f0;--soft:#a7b0c2;--edge:#66708a;--box:#232838;
--a:#2f407d;--b:#7a4d1b;--c:#23603d;--d:#5f3a69}}
.qf text{fill:var(--ink);font:13px system-ui,sans-serif}.qf .soft{fill:var(--soft);font-size:12px}
.qf .bold{font-weight:600}.qf .code{font-family:ui-monospace,monospace;font-size:12px}
.qf .middle{text-anchor:middle}.qf .end{text-anchor:end}
.qf path,.qf rect{stroke:var(--edge);fill:none}.qf .paper{fill:var(--paper);stroke:none}.qf .box{fill:var(--box)}.qf .head{fill:var(--edge)}
.qf .a{fill:var(--a)}.qf .b{fill:var(--b)}.qf .c{fill:var(--c)}.qf .d{fill:var(--d)}
.qf .faint{stroke-opacity:.35}.qf .dashed{stroke-dasharray:6 4;stroke-opacity:1}.qf .ticks{stroke:var(--ink)}.qf .less{stroke:#d9730d}
"""
LINE = 16


class Picture:
    def __init__(self, name, width, title):
        self.name, self.width, self.title = name, width, title
        self.parts, self.height = [], 0

    def add(self, part, bottom):
        self.parts.append(part)
        self.height = max(self.height, bottom)

    def text(self, x, y, words, style=""):
        style = f' class="{style}"' if style else ""
        self.add(f'<text x="{x:g}" y="{y:g}"{style}>{html.escape(words, quote=False)}</text>', y)

    def rect(self, x, y, width, height, style):
        shape = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
        self.add(f'<rect {shape} rx="{4 if height > 20 else 2}" class="{style}"/>', y + height)

    def path(self, path, style=""):
        style = f' class="{style}"' if style else ""
        self.add(f'<path d="{path}"{style}/>', 0)

    def box(self, x, y, width, lines, style=""):
        """Draws a box with a title and lines, with `code` in backticks. Returns the position of its
        lower edge."""
        height = LINE * len(lines) + 12
        self.rect(x, y, width, height, f"box {style}".strip())
        for number, line in enumerate(lines):
            styles = ["middle"]
            if line.startswith("`"):
                styles.append("code")
            if number == 0:
                styles.append("bold")
            elif not line.startswith("`"):
                styles.append("soft")
            # The widths of fonts differ slightly.
            room = 7.7 if number == 0 or "code" in styles else 6.4
            if len(line.strip("`")) * room > width:
                raise ValueError(f"'{line}' is longer than its box")
            at = y + LINE * (number + 1) + 2
            self.text(x + width / 2, at, line.strip("`"), " ".join(styles))
        return y + height

    def arrow(self, *points):
        """A line along these points, with an arrowhead at the last one."""
        (x0, y0), (x1, y1) = points[-2:]
        self.path("M" + "L".join(f"{x:g} {y:g}" for x, y in points))
        length = max(abs(x1 - x0), abs(y1 - y0))
        dx, dy = (x1 - x0) / length * 7, (y1 - y0) / length * 7
        corners = (x1 - dx - dy / 2, y1 - dy + dx / 2), (x1 - dx + dy / 2, y1 - dy - dx / 2)
        head = "L".join(f"{x:g} {y:g}" for x, y in ((x1, y1), *corners))
        self.path(f"M{head}Z", "head")

    def render(self):
        box = f'viewBox="0 0 {self.width} {self.height + 8:g}"'
        size = f'width="{self.width}" height="{self.height + 8:g}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" class="qf" {box} {size} role="img"'
        head += f' aria-label="{html.escape(self.title)}">'
        # A page may be light even if the system is dark.
        paper = '<rect width="100%" height="100%" rx="4" class="paper"/>'
        return "\n".join([head, f"<style>{STYLE}</style>", paper, *self.parts, "</svg>"]) + "\n"
