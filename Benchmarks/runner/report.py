"""The results as text: lines for the terminal, and the report in Markdown."""

from . import figures
from .catalogue import FLOOR, OURS


def times(ratio):
    """A ratio as "×12": how many times as long as Cadastre."""
    return f"×{figures.short(ratio)}"


def line(row, question, titles):
    """A question on the terminal."""
    ours = _median(question["answers"].get(OURS))
    parts = []
    for key, answer in question["answers"].items():
        text = f"{titles[key]} {figures.short(_median(answer))}"
        ratio = figures.ratio(_median(answer), ours)
        parts.append(text if key == OURS or ratio is None else f"{text} ({times(ratio)})")
    return f"{row:5}{question['title']}: {question['hits']:,} hits\n       " + " | ".join(parts)


def _median(answer):
    return answer["summary"]["median"] if answer else None


def writing_value(name, figures_):
    """What a task's result amounts to, and its unit; less is better but for rates."""
    if name == "W4":
        return f"{figures_['bytes'] / 1e6:,.1f} MB"
    if name == "W7":
        summary = figures.summary(figures_["ms"])
        return f"{figures.short(summary['median'])} ms"
    rate = figures_["count"] / figures_["seconds"] if figures_["seconds"] else None
    unit = "commits/s" if name == "W3" else "rows/s"
    text = f"{figures.short(rate)} {unit}"
    return text if name == "W3" else f"{figures.short(figures_['seconds'])} s ({text})"


def writing_line(name, task, titles):
    parts = [f"{titles.get(key, key)} {writing_value(name, result)}" for key, result in task["results"].items()]
    return f"{name:5}{task['title']}\n       " + (" | ".join(parts) or "nobody")


def cold_line(row, results, titles):
    parts = [f"{titles[key]} {figures.short(figures.summary(ms)['median'])} ms" for key, ms in results.items()]
    return f"{row:5}cold\n       " + (" | ".join(parts) or "nobody")


def table(header, rows):
    """A Markdown table; the first column is text and the others are numbers."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def markdown(found, plots):
    """The report."""
    parts = [_head(found), _questions(found, plots), _cold(found), _writing(found), _threads(found),
             _growth(found, plots), _engines(found), _differences(found), _skipped(found)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(found):
    facts = found["machine"]
    tree = "clean" if facts["treeIsClean"] else "with changes that are not committed"
    rows = [
        ("command", f"`{found['command']}`, {found.get('minutes', 0)} minutes"
         + ("" if found["complete"] else ", **not complete**")),
        ("commit", f"{facts['commit']}, {tree}"),
        ("processor", f"{facts['processor']}, {facts['cores']} cores, "
         f"{facts['memoryBytes'] / 2**30:.0f} GiB, load {facts['load']} at the start"),
        ("system", f"{facts['system']}, kernel {facts['kernel']}"),
        ("compilers", f"{facts['swift']}; {facts['cc']}"),
        ("libraries", f"SQLite {facts['sqlite']}, GEOS {facts['geos']}, Python {facts['python']}"),
    ]
    table_ = "| | |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in rows)
    cities = 234_908
    made = (f"GeoNames cities, each moved by about 0.2° ({found['places'] / cities:.1f} synthetic places for "
            "each real city)" if found["places"] > cities
            else "GeoNames cities spread over the file, each moved by about 0.2°")
    return (f"# {found['places']:,} places, {facts['date'][:10]}\n\n{table_}\n\n"
            f"Synthetic places: {made}. Data: GeoNames, CC BY 4.0.")


def _present(found):
    return [engine for engine in found["engines"]
            if any(engine["key"] in question["answers"] for question in found["questions"].values())]


def _questions(found, plots):
    if not found["questions"]:
        return ""
    engines = _present(found)
    rows = []
    for row, question in found["questions"].items():
        ours = _median(question["answers"].get(OURS))
        cells = [f"{row} {question['title']}", f"{question['hits']:,}"]
        for engine in engines:
            answer = question["answers"].get(engine["key"])
            if answer is None:
                cells.append("")
                continue
            summary = answer["summary"]
            mark = "†" if "difference" in answer else ""
            if engine["key"] == OURS:
                cells.append(f"**{figures.short(summary['median'])}** ({figures.short(summary['min'])} to "
                             f"{figures.short(summary['max'])}){mark}")
            else:
                ratio = figures.ratio(summary["median"], ours)
                cells.append(figures.short(summary["median"]) + (f" {times(ratio)}" if ratio else "") + mark)
        rows.append(cells)
    lost = _lost(found)
    text = ("## Questions\n\nMilliseconds, medians of " f"{found['rounds']} rounds in turn after a warm-up, and in a "
            "turn of 25 ms for short ones (least to most for Cadastre; the JSON has all times); × says how many "
            "times as long as Cadastre in the same row. "
            "† marks hits that differ, explained below. \"great circles\" and \"straight in degrees\" are "
            "the edges of the region.\n\n"
            + table(["", "hits", *(engine["title"] for engine in engines)], rows))
    if lost:
        text += ("\n\nWhere another is faster than Cadastre (the C yardstick aside, which is what can be reached at "
                 "best): " + "; ".join(lost) + ".")
    if "ratios" in plots:
        text += f"\n\n![How many times as long as Cadastre each takes]({plots['ratios'].name})"
    return text


def _lost(found):
    """The rows in which the best of the others beats us, worst first."""
    titles = {engine["key"]: engine["title"] for engine in found["engines"]}
    lost = []
    for row, question in found["questions"].items():
        ours = _median(question["answers"].get(OURS))
        others = [(_median(answer), key) for key, answer in question["answers"].items()
                  if key not in (OURS, FLOOR)]
        if ours and others and min(others)[0] < ours:
            best, key = min(others)
            lost.append((ours / best, f"{row} ({titles[key]}, {figures.short(ours / best)} times)"))
    return [text for _, text in sorted(lost, reverse=True)]


def _titles(found):
    return {engine["key"]: engine["title"] for engine in found["engines"]}


def _cold(found):
    if not any(found["cold"].values()):
        return ""
    titles = _titles(found)
    keys = [key for key in titles if any(key in results for results in found["cold"].values())]
    rows = [[row] + [figures.short(figures.summary(results[key])["median"]) if key in results else ""
                     for key in keys] for row, results in found["cold"].items()]
    return ("## Cold\n\nMilliseconds of the first answer of a fresh process that has opened the store, median of 3; "
            "the system's cache of the file is warm. Q8 is W8.\n\n"
            + table(["", *(titles[key] for key in keys)], rows))


def _writing(found):
    if not found["writing"]:
        return ""
    titles = _titles(found)
    lines = []
    for name, task in found["writing"].items():
        results = "; ".join(f"{titles.get(key, key)} {writing_value(name, result)}"
                            for key, result in task["results"].items())
        lines.append(f"| {name} {task['title']} | {results} |")
    return "## Writing\n\n| | |\n|---|---|\n" + "\n".join(lines)


def _threads(found):
    if not any(found["threads"].values()):
        return ""
    titles = _titles(found)
    lines = []
    for what, results in found["threads"].items():
        parts = []
        for key, reply in results.items():
            commits = reply.get("commitsPerSecond")
            parts.append(f"{titles[key]} {figures.short(reply['perSecond'])}/s"
                         + (f", {figures.short(commits)} commits/s" if commits else ""))
        lines.append(f"| {what} | {'; '.join(parts)} |")
    return "## Readers at once\n\n| | questions a second, all readers together |\n|---|---|\n" + "\n".join(lines)


def _growth(found, plots):
    if not found["growth"]:
        return ""
    titles = _titles(found)
    sizes = list(found["growth"])
    rows = []
    for row in dict.fromkeys(row for size in sizes for row in found["growth"][size]):
        for key, title in titles.items():
            cells = [found["growth"][size].get(row, {}).get(key) for size in sizes]
            if any(cells):
                rows.append([f"{row} {title}"] + [figures.short(cell["median"]) if cell else "" for cell in cells])
    text = "## Growth\n\nMilliseconds, medians of 5 rounds in turn, by the number of places.\n\n"
    if "growth" in plots:
        text += f"![How answers grow with the number of places]({plots['growth'].name})\n\n"
    return text + table(["", *(f"{int(size):,}" for size in sizes)], rows)


def _engines(found):
    if not found["engines"]:
        return ""
    rows = [f"| {engine['title']} | {engine.get('version') or ''} | {engine['threads']} | "
            f"{', '.join(engine['edges'])} | {engine.get('note') or ''} |" for engine in found["engines"]]
    return ("## Engines\n\n| | version | threads | edges | |\n|---|---|---:|---|---|\n" + "\n".join(rows))


def _differences(found):
    if not found["questions"] and not found["growth"]:
        return ""
    text = "## Hits\n\nEvery engine's hits and their sum were compared with plain arithmetic over all places. "
    if not found["differences"]:
        return text + "All agree."
    lines = [f"- {'' if note['explained'] else '**'}{note['row']}, {note['engine']}: {note['sentence']}"
             f"{'' if note['explained'] else '**'}" for note in found["differences"]]
    return text + "These differ:\n\n" + "\n".join(lines)


def _skipped(found):
    if not found["skipped"]:
        return ""
    by_reason = {}
    for note in found["skipped"]:
        by_reason.setdefault((note["engine"], note["reason"]), []).append(note["what"])
    lines = [f"- {engine}, {', '.join(dict.fromkeys(what))}: {reason}"
             for (engine, reason), what in by_reason.items()]
    return "## Skipped\n\n" + "\n".join(lines)
