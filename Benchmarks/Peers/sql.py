"""The questions without regions, in the SQL that all SQL peers share."""

import math

from peer import Peer, Skipped

COLUMNS = "id, name, category, population, rating, longitude, latitude"
TABLE = ("(id INTEGER PRIMARY KEY, name TEXT, category TEXT, population INTEGER, "
         "rating DOUBLE PRECISION, longitude DOUBLE PRECISION, latitude DOUBLE PRECISION)")
# What is written one by one by W3.
COMMITS = 500


def literal(text):
    return "'" + text.replace("'", "''") + "'"


class SQLPeer(Peer):
    """A peer asked in SQL; subclasses add the regions in `region` and run statements in `ids`."""

    def ids(self, sql):
        """The first column of what a statement gives."""
        raise NotImplementedError

    def prefix(self, column, text):
        """A condition that an index on a column can serve."""
        after = text[:-1] + chr(ord(text[-1]) + 1)
        return f"{column} >= {literal(text)} AND {column} < {literal(after)}"

    def starts(self, column, text):
        """A condition on the beginning of a column without an index."""
        return f"substr({column}, 1, {len(text)}) = {literal(text)}"

    def holds(self, column, text):
        """A condition on a part of a text, letters of either case."""
        return f"{column} LIKE {literal('%' + text + '%')}"

    def within(self, question):
        """A condition that a place is in a circle, by the haversine of the angle between."""
        longitude, latitude = question["center"]
        most = math.sin(self.angle(question) / 2) ** 2
        return f"{self.haversine(longitude, latitude)} <= {most!r}"

    def haversine(self, longitude, latitude):
        cosine = math.cos(math.radians(latitude))
        north = f"sin(radians(latitude - {latitude!r}) / 2)"
        east = f"sin(radians(longitude - {longitude!r}) / 2)"
        return (f"({north} * {north} + {cosine!r} * cos(radians(latitude)) * {east} * {east})")

    def look_up(self, key):
        """The population of the place with a primary key."""
        raise NotImplementedError

    def numbers(self, sql):
        """Count and sum of the first column, added up on this side."""
        found = self.ids(sql)
        return len(found), sum(found)

    def region(self, name, question):
        """A function for Q1 to Q7, Q15, Q16, Q21 and Q22."""
        raise Skipped("it has no regions")

    def answer(self, name, question):
        match name:
            case "Q8":
                sql = f"SELECT id FROM place WHERE population > {question['populationAbove']}"
            case "Q9":
                sql = (f"SELECT id FROM indexed WHERE population BETWEEN "
                       f"{question['populationFrom']} AND {question['populationTo']}")
            case "Q10":
                sql = f"SELECT id FROM place WHERE name = {literal(question['name'])}"
            case "Q11":
                sql = f"SELECT id FROM place WHERE {self.starts('name', question['prefix'])}"
            case "Q11i":
                sql = f"SELECT id FROM indexed WHERE {self.prefix('name', question['prefix'])}"
            case "Q12":
                sql = f"SELECT id FROM place WHERE {self.holds('name', question['contains'])}"
            case "Q13" | "Q13i":
                table = "place" if name == "Q13" else "indexed"
                sql = f"SELECT id FROM {table} ORDER BY population DESC, id LIMIT {question['limit']}"
            case "Q14":
                sql = f"SELECT avg(rating) FROM place WHERE category = {literal(question['category'])}"
                return lambda: self.ids(sql)[0]
            case "Q17":
                sql = "SELECT id FROM place ORDER BY population, id"
            case "Q18":
                sql = "SELECT DISTINCT category FROM place"
            case "Q19":
                return lambda: self.numbers("SELECT population FROM place")
            case "Q20":
                keys = question["keys"]
                return lambda: (len(keys), sum(map(self.look_up, keys)))
            case _:
                return self.region(name, question)
        return lambda: self.ids(sql)

    def filters(self, question):
        """The conditions beside the region of Q7 and Q21."""
        text = ""
        if "category" in question:
            text += f" AND category = {literal(question['category'])}"
        if "populationAbove" in question:
            text += f" AND population > {question['populationAbove']}"
        if "ratingAbove" in question:
            text += f" AND rating > {question['ratingAbove']}"
        return text
