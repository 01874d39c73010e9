"""The constants of all queries, defined once for all engines."""

import math
import random

# The sphere of Cadastre, which is Realm's, in metres.
EARTH_RADIUS = 6_378_100.0
PARIS = [2.3522, 48.8566]

# Queries whose hits depend on the edges between corners: great circles or straight in degrees.
EDGED = ("Q3", "Q4", "Q5", "Q6", "Q21")
# In the order of the report. "Q4p" is Q4 with edges that are straight in degrees.
ORDER = ["Q1", "Q2", "Q3", "Q3p", "Q4", "Q4p", "Q5", "Q5p", "Q6", "Q6p", "Q7", "Q8", "Q9", "Q10",
         "Q11", "Q11i", "Q12", "Q13", "Q13i", "Q14", "Q15", "Q16", "Q17", "Q18", "Q19", "Q20",
         "Q21", "Q21p", "Q22"]
GROWING = ["Q1", "Q2", "Q3p", "Q4", "Q4p", "Q6", "Q6p", "Q7", "Q8", "Q9", "Q10", "Q11", "Q12", "Q13", "Q13i", "Q14",
           "Q15", "Q17", "Q18", "Q22"]
CONCURRENT = ["Q4", "Q8"]
COLD = ["Q1", "Q7", "Q8", "Q10", "Q11", "Q14"]
WRITING = {
    "W1": "all objects in one transaction, with the spatial index",
    "W2": "the spatial index alone",
    "W3": "500 durable commits of one object, indexes maintained",
    "W4": "the file after W1",
    "W5": "CSV import with the command line tool",
    "W6": "GeoJSONSeq import with the command line tool",
    "W7": "command line, cold start to the first result (Q6)",
    "W8": "first (cold) unindexed scan of one column (Q8), new process",
}

# Joins of points and polygons, by the name of the row.
JOINS = {
    "J1": "airports in countries",
    "J2": "places in 5,000 polygons",
}


def polygon(vertices, radius, swing, waves):
    """Returns a wavy closed ring over central Europe."""
    ring = []
    for number in range(vertices):
        angle = 2 * math.pi * number / vertices
        reach = radius * (1 + swing * math.sin(waves * angle))
        ring.append([12 + reach * 1.4 * math.cos(angle), 49 + reach * math.sin(angle)])
    return ring + ring[:1]


def queries(places):
    """Returns the content of queries.json for the given places."""
    count = len(places)
    middle = count // 2
    large = {"center": PARIS, "meters": 1_000_000.0}
    category = {"category": "category 3"}

    def query(title, result="ids", **fields):
        return {"title": title, "result": result, **fields}

    return {"count": count, "earthRadius": EARTH_RADIUS, "queries": {
        "Q1": query("circle 100 km around Paris", center=PARIS, meters=100_000.0),
        "Q2": query("circle 1,000 km around Paris", **large),
        "Q3": query("box 15 × 15°", box=[-10.0, 35.0, 5.0, 50.0]),
        "Q4": query("polygon, 12 vertices", ring=polygon(12, 4.5, 0.25, 3)),
        "Q5": query("polygon, 8,001 vertices", ring=polygon(8000, 7.5, 0.3, 17)),
        "Q6": query("box 0.5 × 0.5°", box=[2.1, 48.6, 2.6, 49.1]),
        "Q7": query("Q2 and category == and population >", populationAbove=100_000, **large, **category),
        "Q8": query("population >, no index", populationAbove=100_000),
        "Q9": query("narrow population range, index", populationFrom=100_000, populationTo=101_500),
        "Q10": query("name ==, no index", name="Lausanne"),
        "Q11": query("name BEGINSWITH, no index", prefix="San"),
        "Q11i": query("name BEGINSWITH, index", prefix="San"),
        "Q12": query("name CONTAINS[c], no index", contains="ville"),
        "Q13": query("first 100 by population, no index", "ordered ids", limit=100),
        "Q13i": query("first 100 by population, index", "ordered ids", limit=100),
        "Q14": query("average rating of a category", "number", **category),
        "Q15": query("10 nearest to Paris", "ordered ids", center=PARIS, limit=10),
        "Q16": query("location equals a point",
                   point=[places.longitudes[middle], places.latitudes[middle]]),
        "Q17": query("all, by population and id", "ordered ids"),
        "Q18": query("distinct categories", "values"),
        "Q19": query("one Int of each of all results", "total"),
        "Q20": query("10,000 primary key look-ups", "total",
                   keys=random.Random(1).choices(range(1, count + 1), k=10_000)),
        "Q21": query("box 5 × 5° and rating >", box=[0.0, 45.0, 5.0, 50.0], ratingAbove=4.5),
        "Q22": query("count in 1,000 km", "count", **large),
    }}


def base(row):
    """Returns the query of a row: "Q4" for "Q4p"."""
    return row.removesuffix("p")


def is_planar(row):
    return row.endswith("p")


def title(row, constants):
    """Returns the title of a row of the report."""
    text = constants[base(row)]["title"]
    if base(row) in EDGED:
        text += ", straight in degrees" if is_planar(row) else ", great circles"
    return text


def name_for(row, edges):
    """Returns the name of a row's query for an engine, or None if the engine does not have its edges."""
    if base(row) not in EDGED:
        return row
    if ("planar" if is_planar(row) else "spherical") not in edges:
        return None
    return row if len(edges) > 1 else base(row)
