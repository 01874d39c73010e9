"""The comparison of an engine's result with the expected one."""

from .queries import EDGED, base, is_planar


def compare(row, hits, total, oracle, engine):
    """Returns None if a result is correct, else (explained, sentence).

    A difference is explained only if the query under another rule, with other edges or another radius of
    the sphere, has exactly the hits and the sum of the engine.
    """
    if oracle.expected(row).agrees(hits, total):
        return None
    expected = oracle.expected(row).hits
    if base(row) in EDGED:
        other = base(row) + ("" if is_planar(row) else "p")
        if oracle.expected(other).agrees(hits, total):
            edges = "great circles" if is_planar(row) else "straight in degrees"
            return True, f"{hits:,} hits instead of {expected:,}: its edges are {edges}"
    radius = engine.get("radius")
    if radius and "meters" in oracle.constants[base(row)]:
        if oracle.expected(row, radius).agrees(hits, total):
            return True, f"{hits:,} hits instead of {expected:,}: its sphere has a radius of {radius:,.0f} m"
    if hits == expected:
        return False, f"UNEXPLAINED: {hits:,} hits as expected, but other ids or another order"
    return False, f"UNEXPLAINED: {hits:,} hits instead of {expected:,}"
