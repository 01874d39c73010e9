"""Plots as SVG: ratios on one logarithmic axis, growth on two.

Colours: Okabe and Ito, "Color Universal Design", 2008; every engine also has its own mark.
"""

import math
from html import escape

from .catalogue import KEYS, OURS

COLOURS = ["#000000", "#e69f00", "#56b4e9", "#009e73", "#b8a800", "#0072b2", "#d55e00", "#cc79a7",
           "#7f7f7f", "#8c510a"]
MARKS = ["circle", "square", "diamond", "up", "down", "plus", "cross", "ring", "frame", "bar"]
STYLE = ("text{font-family:system-ui,sans-serif;font-size:12px;fill:#222}"
         ".small{font-size:10px;fill:#555}.title{font-size:14px;font-weight:600}"
         ".grid{stroke:#ddd}.axis{stroke:#555;stroke-width:1.5}")


def mark(kind, x, y, colour, size=4.5):
    """Draws a mark at a position."""
    fill = f'fill="{colour}" stroke="white" stroke-width="0.6"'
    line = f'fill="none" stroke="{colour}" stroke-width="2"'
    left, right, top, bottom = x - size, x + size, y - size, y + size

    def path(style, d):
        return f'<path {style} d="{d}"/>'
    match kind:
        case "circle":
            return f'<circle {fill} cx="{x:.1f}" cy="{y:.1f}" r="{size}"/>'
        case "ring":
            return f'<circle {line} cx="{x:.1f}" cy="{y:.1f}" r="{size - 1}"/>'
        case "square":
            return path(fill, f"M{left:.1f} {top:.1f}H{right:.1f}V{bottom:.1f}H{left:.1f}z")
        case "frame":
            return path(line, f"M{left + 1:.1f} {top + 1:.1f}H{right - 1:.1f}V{bottom - 1:.1f}H{left + 1:.1f}z")
        case "diamond":
            return path(fill, f"M{x:.1f} {top - 1:.1f}L{right + 1:.1f} {y:.1f}L{x:.1f} {bottom + 1:.1f}"
                              f"L{left - 1:.1f} {y:.1f}z")
        case "up":
            return path(fill, f"M{x:.1f} {top:.1f}L{right:.1f} {bottom:.1f}H{left:.1f}z")
        case "down":
            return path(fill, f"M{x:.1f} {bottom:.1f}L{right:.1f} {top:.1f}H{left:.1f}z")
        case "plus":
            return path(line, f"M{left:.1f} {y:.1f}H{right:.1f}M{x:.1f} {top:.1f}V{bottom:.1f}")
        case "cross":
            return path(line, f"M{left:.1f} {top:.1f}L{right:.1f} {bottom:.1f}M{right:.1f} {top:.1f}"
                              f"L{left:.1f} {bottom:.1f}")
        case "bar":
            return path(line, f"M{x:.1f} {top:.1f}V{bottom:.1f}")


def looks(run):
    """Returns a colour and a mark for each engine, the same in every report."""
    indexes = {engine["key"]: KEYS.index(engine["key"]) for engine in run["engines"]}
    return {key: (COLOURS[index % len(COLOURS)], MARKS[index % len(MARKS)]) for key, index in indexes.items()}


def text(x, y, words, anchor="start", style=""):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
            + (f' class="{style}"' if style else "") + f">{escape(words)}</text>")


def line(x1, y1, x2, y2, style):
    return f'<line class="{style}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def legend(run, keys, x, y, width):
    """Draws the engines of a plot in rows of its width; returns the drawing and its height."""
    look, parts, left, top = looks(run), [], x, y
    for engine in run["engines"]:
        if engine["key"] not in keys:
            continue
        needed = 24 + 7.2 * len(engine["title"])
        if left + needed > x + width:
            left, top = x, top + 20
        colour, kind = look[engine["key"]]
        parts += [mark(kind, left + 6, top - 4, colour), text(left + 16, top, engine["title"])]
        left += needed
    return parts, top - y + 20


def drawing(width, height, title, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" width="{width}" '
            f'height="{height:.0f}" role="img"><title>{escape(title)}</title><style>{STYLE}</style>'
            f'<rect width="100%" height="100%" fill="white"/>' + "\n".join(parts) + "</svg>\n")


def tens(low, high):
    """Returns the exponents of the powers of ten around a range, at least two."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return list(range(first, max(last, first + 1) + 1))


def power(exponent):
    """Formats a power of ten."""
    return f"{10 ** exponent:,}" if exponent >= 0 else f"{10 ** exponent:.{-exponent}f}"


def ratios(run):
    """Plots each peer's time divided by Cadastre's, one row per query; returns None without data."""
    rows = []
    for row, query in run["questions"].items():
        medians = {key: result["summary"]["median"] for key, result in query["answers"].items()}
        ours = medians.pop(OURS, 0)
        others = {key: time / ours for key, time in medians.items() if ours and time}
        if others:
            rows.append((f"{row} {query['title']}", ours, others))
    if not rows:
        return None
    width, left, right, step = 1000, 330, 30, 22
    title = "Time of each peer divided by the time of Cadastre (logarithmic; right of 1: Cadastre is faster)"
    shown = {key for *_, others in rows for key in others}
    key_parts, key_height = legend(run, shown, 16, 52, width - 32)
    top = 60 + key_height
    values = [value for *_, others in rows for value in others.values()]
    exponents = tens(min(0.5, *values), max(2, *values))
    bottom = top + step * len(rows)

    def across(value):
        fraction = (math.log10(value) - exponents[0]) / (exponents[-1] - exponents[0])
        return left + fraction * (width - left - right)
    parts = [text(16, 26, title, style="title"), *key_parts]
    for exponent in exponents:
        x = across(10 ** exponent)
        parts += [line(x, top, x, bottom, "grid"), text(x, bottom + 16, f"×{power(exponent)}", "middle"),
                  text(x, top - 6, f"×{power(exponent)}", "middle")]
    parts.append(line(across(1), top, across(1), bottom, "axis"))
    look = looks(run)
    for number, (name, ours, others) in enumerate(rows):
        y = top + step * (number + 0.5)
        parts += [line(left, y, width - right, y, "grid"), text(left - 10, y + 4, name, "end")]
        for key, value in others.items():
            colour, kind = look[key]
            parts.append(mark(kind, across(value), y, colour))
    return drawing(width, bottom + 34, title, parts)


def growth(run):
    """Plots milliseconds against the number of places, one panel per query; returns None without data."""
    sizes = sorted(run["growth"], key=int)
    names = list(dict.fromkeys(row for size in sizes for row in run["growth"][size]
                               if run["growth"][size][row]))
    if len(sizes) < 2 or not names:
        return None
    width, columns, panel = 1000, 3, 230
    title = "Milliseconds against the number of places, both logarithmic"
    shown = {key for size in sizes for row in names for key in run["growth"][size].get(row, {})}
    key_parts, key_height = legend(run, shown, 16, 52, width - 32)
    parts, look = [text(16, 26, title, style="title"), *key_parts], looks(run)
    top = 60 + key_height
    cells = [cell["median"] for size in sizes for row in names
             for cell in run["growth"][size].get(row, {}).values()]
    exponents = tens(min(cells), max(cells))
    first, last = math.log10(int(sizes[0])), math.log10(int(sizes[-1]))
    for number, row in enumerate(names):
        x0 = 56 + number % columns * (width - 20) / columns
        y0 = top + number // columns * (panel + 44)
        across_width, down = (width - 20) / columns - 76, panel - 30

        def position(size, value):
            fraction = (math.log10(value) - exponents[0]) / (exponents[-1] - exponents[0])
            return (x0 + (math.log10(int(size)) - first) / (last - first) * across_width,
                    y0 + 20 + down * (1 - fraction))
        parts.append(text(x0, y0 + 8, f"{row} {run['questions'].get(row, {}).get('title', '')}"))
        for exponent in exponents:
            y = position(sizes[0], 10 ** exponent)[1]
            parts += [line(x0, y, x0 + across_width, y, "grid"),
                      text(x0 - 6, y + 3, power(exponent), "end", "small")]
        for size in sizes:
            x = position(size, 1)[0]
            parts += [line(x, y0 + 20, x, y0 + 20 + down, "grid"),
                      text(x, y0 + 34 + down, f"{int(size):,}", "middle", "small")]
        for key, (colour, kind) in look.items():
            spots = [position(size, run["growth"][size][row][key]["median"]) for size in sizes
                     if run["growth"][size].get(row, {}).get(key, {}).get("median")]
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
            parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="1.5" points="{points}"/>')
            parts += [mark(kind, x, y, colour, 3.5) for x, y in spots]
    rows = -(-len(names) // columns)
    return drawing(width, top + rows * (panel + 44) + 10, title, parts)
