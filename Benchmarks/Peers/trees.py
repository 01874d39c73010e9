"""shapely's STRtree, vectorised over NumPy columns in memory, and SciPy's cKDTree for the nearest."""

import math
import time

import numpy
import scipy
import shapely
from scipy.spatial import cKDTree

from peer import Peer, Skipped, corners, serve, window


def vectors(longitudes, latitudes):
    """Points of the unit sphere, from degrees."""
    east, north = numpy.radians(longitudes), numpy.radians(latitudes)
    return numpy.stack([numpy.cos(north) * numpy.cos(east), numpy.cos(north) * numpy.sin(east),
                        numpy.sin(north)], -1)


class Trees(Peer):
    name = "shapely"
    note = "STRtree and NumPy columns in memory, cKDTree for Q15; nothing is durable"

    def version(self):
        return f"{shapely.__version__}, NumPy {numpy.__version__}, SciPy {scipy.__version__}"

    def load(self):
        columns = list(zip(*self.rows()))
        self.names = numpy.array(columns[1], dtype=object)
        self.categories = numpy.array(columns[2])
        self.populations = numpy.array(columns[3])
        self.ratings, self.longitudes, self.latitudes = map(numpy.array, columns[4:])
        seconds = self.index()
        self.neighbours = cKDTree(vectors(self.longitudes, self.latitudes))
        return seconds, None

    def index(self):
        start = time.perf_counter()
        points = shapely.points(self.longitudes, self.latitudes)
        self.tree = shapely.STRtree(points)
        self.tree.query(shapely.Point(0, 0))
        return time.perf_counter() - start

    def circle(self, question):
        angle, (longitude, latitude) = self.angle(question), question["center"]
        near = self.tree.query(shapely.box(*window(question["center"], angle)))
        north = numpy.sin(numpy.radians(self.latitudes[near] - latitude) / 2)
        east = numpy.sin(numpy.radians(self.longitudes[near] - longitude) / 2)
        cosines = numpy.cos(numpy.radians(self.latitudes[near])) * math.cos(math.radians(latitude))
        return near[north * north + cosines * east * east <= math.sin(angle / 2) ** 2]

    def ring(self, question):
        shape = shapely.Polygon(corners(question))
        shapely.prepare(shape)
        return self.tree.query(shape, predicate="covers")

    def filtered(self, found, question):
        if "category" in question:
            found = found[(self.populations[found] > question["populationAbove"])
                          & (self.categories[found] == question["category"])]
        if "ratingAbove" in question:
            found = found[self.ratings[found] > question["ratingAbove"]]
        return found

    def where(self, mask):
        return numpy.flatnonzero(mask) + 1

    def first(self, limit):
        """The first by population, descending, then by id."""
        least = numpy.partition(self.populations, -limit)[-limit]
        found = numpy.flatnonzero(self.populations >= least)
        return found[numpy.lexsort((found, -self.populations[found]))][:limit] + 1

    def answer(self, name, question):
        if name == "Q22":
            return lambda: len(self.circle(question))
        if name == "Q15":
            origin = vectors(*question["center"])
            return lambda: self.neighbours.query(origin, question["limit"])[1] + 1
        if "center" in question:
            return lambda: self.filtered(self.circle(question), question) + 1
        if "ring" in question or "box" in question:
            return lambda: self.filtered(self.ring(question), question) + 1
        match name:
            case "Q8":
                return lambda: self.where(self.populations > question["populationAbove"])
            case "Q10":
                return lambda: self.where(self.names == question["name"])
            case "Q11":
                prefix = question["prefix"]
                return lambda: [key for key, name in enumerate(self.names, 1) if name.startswith(prefix)]
            case "Q12":
                part = question["contains"]
                return lambda: [key for key, name in enumerate(self.names, 1) if part in name.casefold()]
            case "Q13":
                return lambda: self.first(question["limit"])
            case "Q14":
                return lambda: self.ratings[self.categories == question["category"]].mean()
            case "Q16":
                longitude, latitude = question["point"]
                return lambda: self.where((self.longitudes == longitude) & (self.latitudes == latitude))
            case "Q17":
                return lambda: numpy.argsort(self.populations, kind="stable") + 1
            case "Q18":
                return lambda: numpy.unique(self.categories)
            case "Q19":
                return lambda: (len(self.populations), int(self.populations.sum()))
            case "Q20":
                keys = question["keys"]
                return lambda: (len(keys), int(sum(self.populations[key - 1] for key in keys)))
        raise Skipped("it has no value index")

    def write(self, name):
        if name == "W2":
            return self.index(), self.count, None
        raise Skipped("it keeps nothing on disk")


if __name__ == "__main__":
    serve(Trees)
