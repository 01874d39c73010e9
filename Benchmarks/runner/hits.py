"""Whether an engine's hits are right, and if not, which rule of its own explains them."""

from .questions import EDGED, base, is_planar


def judge(row, hits, total, oracle, engine):
    """None where an answer is right; else (explained, sentence).

    A difference is explained only where working the question out by the other rule gives the very hits and
    sum that the engine gave.
    """
    if oracle.answer(row).agrees(hits, total):
        return None
    wanted = oracle.answer(row).hits
    if base(row) in EDGED:
        other = base(row) + ("" if is_planar(row) else "p")
        if oracle.answer(other).agrees(hits, total):
            edges = "great circles" if is_planar(row) else "straight in degrees"
            return True, f"{hits:,} hits instead of {wanted:,}: its edges are {edges}"
    radius = engine.get("radius")
    if radius and "meters" in oracle.asked[base(row)]:
        if oracle.answer(row, radius).agrees(hits, total):
            return True, f"{hits:,} hits instead of {wanted:,}: its sphere has a radius of {radius:,.0f} m"
    if hits == wanted:
        return False, f"UNEXPLAINED: {hits:,} hits as wanted, but not the wanted ones (or their order)"
    return False, f"UNEXPLAINED: {hits:,} hits instead of {wanted:,}"
