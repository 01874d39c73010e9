"""The results as lines for the terminal and as a report in Markdown."""

from . import figures
from .catalogue import BASELINE, OURS


def times(ratio):
    """Formats the ratio of a peer's time to Cadastre's as "×12"."""
    return f"×{figures.short(ratio)}"


def line(row, query, titles):
    """Formats a query for the terminal."""
    ours = _median(query["answers"].get(OURS))
    parts = []
    for key, result in query["answers"].items():
        text = f"{titles[key]} {figures.short(_median(result))}"
        ratio = figures.ratio(_median(result), ours)
        parts.append(text if key == OURS or ratio is None else f"{text} ({times(ratio)})")
    return f"{row:5}{query['title']}: {query['hits']:,} hits\n       " + " | ".join(parts)


def _median(result):
    return result["summary"]["median"] if result else None


def writing_value(name, figures_):
    """Formats the result of a task with its unit."""
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
    return f"{name:5}{task['title']}\n       " + (" | ".join(parts) or "no engine")


def runs(processes):
    """Formats the medians of the first, the second and the tenth run of a query in new processes."""
    return ", ".join(figures.short(figures.summary([times[index] for times in processes])["median"])
                     for index in (0, 1, 9))


def limited(measured):
    """Formats the times of a query with another limit, and the peak of the memory."""
    peak = measured["peak"]
    return runs([measured["ms"]]) + ("" if peak is None else f"; {peak:,.0f} MB")


def cold_line(row, results, titles):
    parts = [f"{titles[key]} {runs(times)} ms" for key, times in results.items()]
    return f"{row:5}cold\n       " + (" | ".join(parts) or "no engine")


def join_line(row, join):
    parts = [f"{engine['engine']} {figures.short(engine['ms'])} ms, {engine['pairs']:,} pairs"
             for engine in join["engines"]]
    return f"{row:5}{join['title']}: {join['points']:,} points, {join['polygons']:,} polygons\n       " + " | ".join(parts)


def table(header, rows):
    """Formats a Markdown table; the first column is text and the others are numbers."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def markdown(run, plots):
    """Formats the report."""
    parts = [_head(run), _queries(run, plots), _cold(run), _limits(run), _joins(run), _writing(run), _threads(run),
             _growth(run, plots), _engines(run), _differences(run), _skipped(run)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _head(run):
    facts = run["machine"]
    tree = "clean" if facts["treeIsClean"] else "with uncommitted changes"
    rows = [
        ("command", f"`{run['command']}`, {run.get('minutes', 0)} minutes"
         + ("" if run["complete"] else ", **not complete**")),
        ("commit", f"{facts['commit']}, {tree}"),
        ("processor", f"{facts['processor']}, {facts['cores']} cores, "
         f"{facts['memoryBytes'] / 2**30:.0f} GiB, load {facts['load']} at the start"),
        ("system", f"{facts['system']}, kernel {facts['kernel']}"),
        ("compilers", f"{facts['swift']}; {facts['cc']}"),
        ("libraries", f"SQLite {facts['sqlite']}, GEOS {facts['geos']}, Python {facts['python']}"),
    ]
    table_ = "| | |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in rows)
    cities = 234_908
    made = (f"GeoNames cities, each moved by about 0.2° ({run['places'] / cities:.1f} synthetic places for "
            "each real city)" if run["places"] > cities
            else "GeoNames cities taken evenly from the file, each moved by about 0.2°")
    return (f"# {run['places']:,} places, {facts['date'][:10]}\n\n{table_}\n\n"
            f"Synthetic places: {made}. Data: GeoNames, CC BY 4.0.")


def _present(run):
    return [engine for engine in run["engines"]
            if any(engine["key"] in query["answers"] for query in run["questions"].values())]


def _joins(run):
    if not run.get("joins"):
        return ""
    titles = dict.fromkeys(engine["engine"] for join in run["joins"].values() for engine in join["engines"])
    rows = []
    for row, join in run["joins"].items():
        times_ = {engine["engine"]: engine["ms"] for engine in join["engines"]}
        pairs = max((engine["pairs"] for engine in join["engines"]), default=0)
        rows.append([f"{row} {join['title']}", f"{join['points']:,}", f"{pairs:,}",
                     *(figures.short(times_[title]) if title in times_ else "" for title in titles)])
    return ("## Joins\n\nMilliseconds to count the pairs of points and the polygons that contain them, medians of 5, on one "
            "thread, with edges straight in degrees. Cadastre's time is that of a new process, which opens the store and "
            "prepares the polygons; the peers are warm, and shapely has prepared its polygons before.\n\n"
            + table(["", "points", "pairs", *titles], rows))


def _queries(run, plots):
    if not run["questions"]:
        return ""
    engines = _present(run)
    before = run.get("before", {}).get("medians")
    rows = []
    for row, query in run["questions"].items():
        ours = _median(query["answers"].get(OURS))
        cells = [f"{row} {query['title']}", f"{query['hits']:,}"]
        if before:
            cells.append(figures.short(before[row]) if row in before else "")
        for engine in engines:
            result = query["answers"].get(engine["key"])
            if result is None:
                cells.append("")
                continue
            summary = result["summary"]
            mark = "†" if "difference" in result else ""
            if engine["key"] == OURS:
                cells.append(f"**{figures.short(summary['median'])}** ({figures.short(summary['min'])} to "
                             f"{figures.short(summary['max'])}){mark}")
            else:
                ratio = figures.ratio(summary["median"], ours)
                cells.append(figures.short(summary["median"]) + (f" {times(ratio)}" if ratio else "") + mark)
        rows.append(cells)
    slower = _slower(run)
    text = ("## Queries\n\nMilliseconds, medians of " f"{run['rounds']} interleaved rounds after a warm-up; a round "
            "repeats a short query for 25 ms (minimum to maximum for Cadastre; the JSON has all times). × is the "
            "ratio to the time of Cadastre in the same row. "
            "† marks hits that differ, explained below. \"great circles\" and \"straight in degrees\" are "
            "the edges of the region.\n\n"
            + table(["", "hits", *(["before"] if before else []),
                     *(engine["title"] for engine in engines)], rows))
    if before:
        text += f"\n\n\"before\" is Cadastre at {run['before']['commit']}, measured in another run."
    if slower:
        text += ("\n\nQueries in which a peer is faster than Cadastre (without the C baseline, which is a lower "
                 "bound): " + "; ".join(slower) + ".")
    if "ratios" in plots:
        text += f"\n\n![Time of each peer divided by the time of Cadastre]({plots['ratios'].name})"
    return text


def _slower(run):
    """Returns the rows in which a peer is faster than Cadastre, the largest ratio first."""
    titles = {engine["key"]: engine["title"] for engine in run["engines"]}
    slower = []
    for row, query in run["questions"].items():
        ours = _median(query["answers"].get(OURS))
        others = [(_median(result), key) for key, result in query["answers"].items()
                  if key not in (OURS, BASELINE)]
        if ours and others and min(others)[0] < ours:
            best, key = min(others)
            slower.append((ours / best, f"{row} ({titles[key]}, {figures.short(ours / best)} times)"))
    return [text for _, text in sorted(slower, reverse=True)]


def _titles(run):
    return {engine["key"]: engine["title"] for engine in run["engines"]}


def _cold(run):
    if not any(run["cold"].values()):
        return ""
    titles = _titles(run)
    keys = [key for key in titles if any(key in results for results in run["cold"].values())]
    rows = [[row] + [runs(results[key]) if key in results else ""
                     for key in keys] for row, results in run["cold"].items()]
    return ("## Cold\n\nMilliseconds of the first, the second and the tenth run of a query in a new process that has "
            "opened the store, medians of 3; the file is in the system's cache. Q8 is W8.\n\n"
            + table(["", *(titles[key] for key in keys)], rows))


def _limits(run):
    if not run["limits"]:
        return ""
    limits = list(run["limits"])
    rows = [[row] + [figures.short(run["questions"][row]["answers"][OURS]["summary"]["median"])]
            + [limited(run["limits"][limit][row]) if row in run["limits"][limit] else "" for limit in limits]
            for row in run["questions"] if OURS in run["questions"][row]["answers"]]
    return ("## Limits of the cached columns\n\nMilliseconds of Cadastre with the default limit (median), and of the "
            "first, the second and the tenth run in a new process with another limit; then the peak of the memory of the "
            "process during the runs, results included.\n\n"
            + table(["", "default", *(f"{limit} MiB" for limit in limits)], rows))


def _writing(run):
    if not run["writing"]:
        return ""
    titles = _titles(run)
    lines = []
    for name, task in run["writing"].items():
        results = "; ".join(f"{titles.get(key, key)} {writing_value(name, result)}"
                            for key, result in task["results"].items())
        lines.append(f"| {name} {task['title']} | {results} |")
    return "## Writing\n\n| | |\n|---|---|\n" + "\n".join(lines)


def _threads(run):
    if not any(run["threads"].values()):
        return ""
    titles = _titles(run)
    lines = []
    for what, results in run["threads"].items():
        parts = []
        for key, reply in results.items():
            commits = reply.get("commitsPerSecond")
            parts.append(f"{titles[key]} {figures.short(reply['perSecond'])}/s"
                         + (f", {figures.short(commits)} commits/s" if commits else ""))
        lines.append(f"| {what} | {'; '.join(parts)} |")
    return "## Concurrent readers\n\n| | queries per second of all readers |\n|---|---|\n" + "\n".join(lines)


def _growth(run, plots):
    if not run["growth"]:
        return ""
    titles = _titles(run)
    sizes = list(run["growth"])
    rows = []
    for row in dict.fromkeys(row for size in sizes for row in run["growth"][size]):
        for key, title in titles.items():
            cells = [run["growth"][size].get(row, {}).get(key) for size in sizes]
            if any(cells):
                rows.append([f"{row} {title}"] + [figures.short(cell["median"]) if cell else "" for cell in cells])
    text = "## Growth\n\nMilliseconds, medians of 5 interleaved rounds, by the number of places.\n\n"
    if "growth" in plots:
        text += f"![Growth of the times with the number of places]({plots['growth'].name})\n\n"
    return text + table(["", *(f"{int(size):,}" for size in sizes)], rows)


def _engines(run):
    if not run["engines"]:
        return ""
    rows = [f"| {engine['title']} | {engine.get('version') or ''} | {engine['threads']} | "
            f"{', '.join(engine['edges'])} | {engine.get('note') or ''} |" for engine in run["engines"]]
    return ("## Engines\n\n| | version | threads | edges | |\n|---|---|---:|---|---|\n" + "\n".join(rows))


def _differences(run):
    if not run["questions"] and not run["growth"]:
        return ""
    text = "## Hits\n\nThe hits of every engine and their sum were compared with a reference scan over all places. "
    if not run["differences"]:
        return text + "All are equal."
    lines = [f"- {'' if note['explained'] else '**'}{note['row']}, {note['engine']}: {note['sentence']}"
             f"{'' if note['explained'] else '**'}" for note in run["differences"]]
    return text + "These differ:\n\n" + "\n".join(lines)


def _skipped(run):
    if not run["skipped"]:
        return ""
    by_reason = {}
    for note in run["skipped"]:
        by_reason.setdefault((note["engine"], note["reason"]), []).append(note["what"])
    lines = [f"- {engine}, {', '.join(dict.fromkeys(what))}: {reason}"
             for (engine, reason), what in by_reason.items()]
    return "## Skipped\n\n" + "\n".join(lines)
