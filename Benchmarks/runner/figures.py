"""Medians, spreads and how numbers are written."""

import statistics


def summary(times):
    """Median, quartiles, least and most of some times."""
    ordered = sorted(times)
    low, _, high = (statistics.quantiles(ordered, n=4, method="inclusive")
                    if len(ordered) > 1 else ordered * 3)
    return {"median": statistics.median(ordered), "q1": low, "q3": high,
            "min": ordered[0], "max": ordered[-1], "runs": len(ordered)}


def short(number):
    """A number with three significant digits at most, and commas."""
    if number is None:
        return "–"
    if number >= 99.95:
        return f"{number:,.0f}"
    for digits, least in ((1, 9.995), (2, 0.9995), (3, 0.0995), (4, 0)):
        if number >= least:
            return f"{number:.{digits}f}"
    return str(number)


def ratio(theirs, ours):
    """How many times longer they take than we do."""
    return theirs / ours if theirs is not None and ours else None
