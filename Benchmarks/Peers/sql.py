"""The queries without regions, in the SQL that all SQL peers share."""

import math

from peer import Peer, Skipped

COLUMNS = "id, name, category, population, rating, longitude, latitude"
TABLE = ("(id INTEGER PRIMARY KEY, name TEXT, category TEXT, population INTEGER, "
         "rating DOUBLE PRECISION, longitude DOUBLE PRECISION, latitude DOUBLE PRECISION)")
# The number of commits of W3.
COMMITS = 500


def literal(text):
    return "'" + text.replace("'", "''") + "'"


class SQLPeer(Peer):
    """A peer with SQL; subclasses implement regions in `region` and run statements in `ids`."""

    def ids(self, sql):
        """Returns the first column of the rows of a statement."""
        raise NotImplementedError

    def prefix(self, column, text):
        """Returns a condition on the beginning of a column that can use an index."""
        after = text[:-1] + chr(ord(text[-1]) + 1)
        return f"{column} >= {literal(text)} AND {column} < {literal(after)}"

    def starts(self, column, text):
        """Returns a condition on the beginning of a column without an index."""
        return f"substr({column}, 1, {len(text)}) = {literal(text)}"

    def contains(self, column, text):
        """Returns a case-insensitive condition on a part of a text."""
        return f"{column} LIKE {literal('%' + text + '%')}"

    def within(self, query):
        """Returns a condition that a place is in a circle, by the haversine of the angular distance."""
        longitude, latitude = query["center"]
        limit = math.sin(self.angle(query) / 2) ** 2
        return f"{self.haversine(longitude, latitude)} <= {limit!r}"

    def haversine(self, longitude, latitude):
        cosine = math.cos(math.radians(latitude))
        north = f"sin(radians(latitude - {latitude!r}) / 2)"
        east = f"sin(radians(longitude - {longitude!r}) / 2)"
        return (f"({north} * {north} + {cosine!r} * cos(radians(latitude)) * {east} * {east})")

    def look_up(self, key):
        """Returns the population of the place with a primary key."""
        raise NotImplementedError

    def numbers(self, sql):
        """Returns the count and the sum of the first column, added up in Python."""
        values = self.ids(sql)
        return len(values), sum(values)

    def region(self, name, query):
        """Returns a function for Q1 to Q7, Q15, Q16, Q21 or Q22."""
        raise Skipped("no regions")

    def prepare(self, name, query):
        match name:
            case "Q8":
                sql = f"SELECT id FROM place WHERE population > {query['populationAbove']}"
            case "Q9":
                sql = (f"SELECT id FROM indexed WHERE population BETWEEN "
                       f"{query['populationFrom']} AND {query['populationTo']}")
            case "Q10":
                sql = f"SELECT id FROM place WHERE name = {literal(query['name'])}"
            case "Q11":
                sql = f"SELECT id FROM place WHERE {self.starts('name', query['prefix'])}"
            case "Q11i":
                sql = f"SELECT id FROM indexed WHERE {self.prefix('name', query['prefix'])}"
            case "Q12":
                sql = f"SELECT id FROM place WHERE {self.contains('name', query['contains'])}"
            case "Q13" | "Q13i":
                table = "place" if name == "Q13" else "indexed"
                sql = f"SELECT id FROM {table} ORDER BY population DESC, id LIMIT {query['limit']}"
            case "Q14":
                sql = f"SELECT avg(rating) FROM place WHERE category = {literal(query['category'])}"
                return lambda: self.ids(sql)[0]
            case "Q17":
                sql = "SELECT id FROM place ORDER BY population, id"
            case "Q18":
                sql = "SELECT DISTINCT category FROM place"
            case "Q19":
                return lambda: self.numbers("SELECT population FROM place")
            case "Q20":
                keys = query["keys"]
                return lambda: (len(keys), sum(map(self.look_up, keys)))
            case _:
                return self.region(name, query)
        return lambda: self.ids(sql)

    def filters(self, query):
        """Returns the conditions of Q7 and Q21 in addition to the region."""
        text = ""
        if "category" in query:
            text += f" AND category = {literal(query['category'])}"
        if "populationAbove" in query:
            text += f" AND population > {query['populationAbove']}"
        if "ratingAbove" in query:
            text += f" AND rating > {query['ratingAbove']}"
        return text
