"""shapely's STRtree over NumPy columns in memory, and SciPy's cKDTree for nearest neighbours."""

import math
import time

import numpy
import scipy
import shapely
from scipy.spatial import cKDTree

from peer import Peer, Skipped, corners, serve, window


def vectors(longitudes, latitudes):
    """Converts degrees to points on the unit sphere."""
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

    def circle(self, query):
        angle, (longitude, latitude) = self.angle(query), query["center"]
        near = self.tree.query(shapely.box(*window(query["center"], angle)))
        north = numpy.sin(numpy.radians(self.latitudes[near] - latitude) / 2)
        east = numpy.sin(numpy.radians(self.longitudes[near] - longitude) / 2)
        cosines = numpy.cos(numpy.radians(self.latitudes[near])) * math.cos(math.radians(latitude))
        return near[north * north + cosines * east * east <= math.sin(angle / 2) ** 2]

    def ring(self, query):
        shape = shapely.Polygon(corners(query))
        shapely.prepare(shape)
        return self.tree.query(shape, predicate="covers")

    def filtered(self, rows, query):
        if "category" in query:
            rows = rows[(self.populations[rows] > query["populationAbove"])
                        & (self.categories[rows] == query["category"])]
        if "ratingAbove" in query:
            rows = rows[self.ratings[rows] > query["ratingAbove"]]
        return rows

    def where(self, mask):
        return numpy.flatnonzero(mask) + 1

    def first(self, limit):
        """Returns the first ids by descending population, then by id."""
        minimum = numpy.partition(self.populations, -limit)[-limit]
        rows = numpy.flatnonzero(self.populations >= minimum)
        return rows[numpy.lexsort((rows, -self.populations[rows]))][:limit] + 1

    def prepare(self, name, query):
        if name == "Q22":
            return lambda: len(self.circle(query))
        if name == "Q15":
            origin = vectors(*query["center"])
            return lambda: self.neighbours.query(origin, query["limit"])[1] + 1
        if "center" in query:
            return lambda: self.filtered(self.circle(query), query) + 1
        if "ring" in query or "box" in query:
            return lambda: self.filtered(self.ring(query), query) + 1
        match name:
            case "Q8":
                return lambda: self.where(self.populations > query["populationAbove"])
            case "Q10":
                return lambda: self.where(self.names == query["name"])
            case "Q11":
                prefix = query["prefix"]
                return lambda: [key for key, name in enumerate(self.names, 1) if name.startswith(prefix)]
            case "Q12":
                part = query["contains"]
                return lambda: [key for key, name in enumerate(self.names, 1) if part in name.casefold()]
            case "Q13":
                return lambda: self.first(query["limit"])
            case "Q14":
                return lambda: self.ratings[self.categories == query["category"]].mean()
            case "Q16":
                longitude, latitude = query["point"]
                return lambda: self.where((self.longitudes == longitude) & (self.latitudes == latitude))
            case "Q17":
                return lambda: numpy.argsort(self.populations, kind="stable") + 1
            case "Q18":
                return lambda: numpy.unique(self.categories)
            case "Q19":
                return lambda: (len(self.populations), int(self.populations.sum()))
            case "Q20":
                keys = query["keys"]
                return lambda: (len(keys), int(sum(self.populations[key - 1] for key in keys)))
        raise Skipped("no value index")

    def write(self, name):
        if name == "W2":
            return self.index(), self.count, None
        raise Skipped("nothing is stored on disk")


if __name__ == "__main__":
    serve(Trees)
