"""Medians, spreads and the format of numbers."""

import statistics


def summary(times):
    """Returns the median, the quartiles, the minimum and the maximum of times."""
    ordered = sorted(times)
    low, _, high = (statistics.quantiles(ordered, n=4, method="inclusive")
                    if len(ordered) > 1 else ordered * 3)
    return {"median": statistics.median(ordered), "q1": low, "q3": high,
            "min": ordered[0], "max": ordered[-1], "runs": len(ordered)}


def short(number):
    """Formats a number with at most three significant digits, and commas."""
    if number is None:
        return "–"
    if number >= 99.95:
        return f"{number:,.0f}"
    for digits, minimum in ((1, 9.995), (2, 0.9995), (3, 0.0995), (4, 0)):
        if number >= minimum:
            return f"{number:.{digits}f}"
    return str(number)


def ratio(theirs, ours):
    """Returns the ratio of a peer's time to Cadastre's."""
    return theirs / ours if theirs is not None and ours else None
