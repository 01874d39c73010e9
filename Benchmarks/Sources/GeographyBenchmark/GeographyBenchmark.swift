import BenchmarkPlaces
import Cadastre
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import Foundation

/// Measures regions and nearest neighbours on many places; `peers.py` runs the same queries on
/// peers.
///
/// The arguments are the file of cities, a folder for the store and the input of the peers, and the
/// number of places.
@main enum GeographyBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else {
      print("usage: GeographyBenchmark CITIES FOLDER COUNT")
      return
    }
    var generator = try PlaceGenerator(cities: arguments[1])
    let places = generator.places(count)
    let folder = URL(fileURLWithPath: arguments[2])
    try PeerFiles.write(places, RegionQuery.all, to: folder)
    let file = try OpenStores.store(at: folder.appendingPathComponent("places.cadastre").path)
    try file.prepare(for: PlaceStore.schema)
    let (adding, commit) = try PlaceStore.add(places, to: file)
    print(
      "\(count) places added in \(fixed(adding, 2)) s, packed, checked and committed in "
        + "\(fixed(commit, 2)) s")
    let snapshot = try file.snapshot()
    print(
      "query                            hits    nodes   boxes   exact  total ms    run ms  count ms"
    )
    for query in RegionQuery.all {
      for edges in EdgeModel.allCases where edges == .spherical || query.hasEdges {
        try measure(query, edges, snapshot)
      }
    }
    try measureNearest(snapshot)
    try Building.measure(file, places, more: generator.places(1000), in: folder)
  }

  private static func measure(
    _ region: RegionQuery, _ edges: EdgeModel, _ snapshot: Snapshot
  ) throws {
    let condition = QueryPredicate.geoWithin(
      GeoWithin(PropertyPath("location"), region.shape, edges: edges))
    let session = QuerySession(snapshot)
    let query = ObjectQuery("Place", where: condition)
    let total = try milliseconds {
      _ = try session.keys(query.bound(to: PlaceStore.schema))
    }
    let bound = try query.bound(to: PlaceStore.schema)
    let plan = try session.plan(bound)
    let executor = Executor(snapshot)
    let run = try milliseconds { _ = try executor.keys(plan) }
    let counting = try milliseconds { _ = try executor.count(plan) }
    let (keys, statistics) = try executor.keys(plan)
    let name = region.name + (edges == .planar ? ", planar" : "")
    print(
      column(name, 30, left: true) + column("\(keys.count)", 8)
        + column("\(statistics.nodesRead)", 8) + column("\(statistics.boxesTested)", 8)
        + column("\(statistics.exactTests)", 8) + column(fixed(total, 3), 10)
        + column(fixed(run, 3), 10) + column(fixed(counting, 3), 10))
  }

  private static func measureNearest(_ snapshot: Snapshot) throws {
    let session = QuerySession(snapshot)
    for filter in ["TRUEPREDICATE", "population > 100000"] {
      let query = try ObjectQuery(
        "Place", where: QueryPredicate(parsing: filter),
        order: [SortKey(PropertyPath("location"), by: .distance(from: RegionQuery.paris))],
        limit: 10
      ).bound(to: PlaceStore.schema)
      let plan = try session.plan(query)
      let executor = Executor(snapshot)
      let total = try milliseconds { _ = try session.keys(query) }
      let run = try milliseconds { _ = try executor.keys(plan) }
      let (keys, statistics) = try executor.keys(plan)
      print(
        column(
          "Q15 10 nearest, \(filter == "TRUEPREDICATE" ? "all" : "of 100,000+")", 30, left: true)
          + column("\(keys.count)", 8) + column("\(statistics.nodesRead)", 8)
          + column("\(statistics.boxesTested)", 8) + column("\(statistics.exactTests)", 8)
          + column(fixed(total, 3), 10) + column(fixed(run, 3), 10))
    }
  }
}

extension RegionQuery {
  /// Whether the shape has edges, so that the edge model matters.
  var hasEdges: Bool { if case .circle = shape { false } else { true } }
}

/// Formats a number with a fixed number of decimals.
func fixed(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }

/// Pads a text to the width of a column.
func column(_ text: String, _ width: Int, left: Bool = false) -> String {
  let fill = String(repeating: " ", count: max(0, width - text.count))
  return left ? text + fill : fill + text
}
