import BenchmarkPlaces
import Cadastre
import CadastreGeometry
import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import Foundation

/// Measures the costs that the constants of `CostModel` describe, in units of one row read.
///
/// The arguments are the file of cities, a folder for the store and the number of places. Medians
/// of seven runs.
@main struct CostBenchmark {
  let file: StoreFile
  let snapshot: Snapshot
  let layout: TableLayout
  let count: Int
  /// Keys in a pseudorandom order, as an index on an unrelated property returns them.
  let shuffled: [Int64]

  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let count = Int(arguments[3]) else {
      print("usage: CostBenchmark CITIES FOLDER COUNT")
      return
    }
    let path = URL(fileURLWithPath: arguments[2]).appendingPathComponent("places.cadastre").path
    let file = try OpenStores.store(at: path)
    try file.prepare(for: schema)
    var generator = try PlaceGenerator(cities: arguments[1])
    try add(generator.places(count), to: file)
    try CostBenchmark(file, count).measure()
  }

  init(_ file: StoreFile, _ count: Int) throws {
    self.file = file
    self.count = count
    snapshot = try file.snapshot()
    guard let layout = snapshot.catalogue.layout("Place") else {
      preconditionFailure("the schema has no class Place")
    }
    self.layout = layout
    // The step and the count are coprime, so that each key occurs once.
    let step = Int64([7919, 7927].first { count % $0 != 0 } ?? 1)
    shuffled = (0..<Int64(count)).map { $0 * step % Int64(count) + 1 }
  }

  // MARK: Measurements

  private func measure() throws {
    let read = try rowRead()
    print("row read".padded(24) + String(format: "%9.0f ns = 1", read * 1e9))
    let costs = CostModel()
    let all: [(name: String, seconds: Double, cost: Double)] = [
      ("scan start", try scanStart(), costs.scanStart),
      ("scan step", try scan([population]), costs.scanStep),
      ("key scan step", try scan([]), costs.keyScanStep),
      ("memory step", try memoryStep(), costs.memoryStep),
      ("memory read", try memoryRead(), costs.memoryRead),
      ("index descent", try indexDescent(), costs.indexDescent),
      ("index step", try indexStep(), costs.indexStep),
      ("spatial descent", try spatialDescent(), costs.spatialDescent),
      ("spatial step", try spatialStep(), costs.spatialStep),
      ("text descent", try textDescent(), costs.textDescent),
      ("sort step", try sortStep(), costs.sortStep),
      ("key step", keyStep(), costs.keyStep),
    ]
    print("".padded(24) + " row reads    model")
    for one in all {
      print(one.name.padded(24) + String(format: "%10.4f %8.3f", one.seconds / read, one.cost))
    }
  }

  private var population: ColumnReference { ColumnReference(hops: [], column: 1, type: .int) }
  private var executor: Executor { Executor(snapshot) }

  /// Runs a closure without cached columns.
  private func cold<Result>(_ body: () throws -> Result) rethrows -> Result {
    let budget = file.columns.budget
    file.columns.budget = 0
    defer { file.columns.budget = budget }
    return try body()
  }

  private func rowRead() throws -> Double {
    try cold {
      let keys = shuffled.prefix(20_000)
      return try median(keys.count) {
        let reader = BatchReader(layout, [population], snapshot)
        var batch = reader.makeBatch()
        for start in stride(from: 0, to: keys.count, by: 1000) {
          try reader.read(Array(keys.dropFirst(start).prefix(1000)), into: &batch)
        }
      }
    }
  }

  private func scan(_ columns: [ColumnReference]) throws -> Double {
    try cold {
      try median(count) {
        let reader = BatchReader(layout, columns, snapshot)
        var batch = reader.makeBatch()
        while try reader.readNext(into: &batch) {}
      }
    }
  }

  private func scanStart() throws -> Double {
    let plan = try plan(.scan(className: "Nothing"), of: "Nothing", filters: ["number > 3"])
    return try median(1) { _ = try executor.keys(plan) }
  }

  private func memoryStep() throws -> Double {
    let plan = try plan(.scan(className: "Place"), filters: ["population > 100000000"])
    return try median(count) { _ = try executor.keys(plan) }
  }

  private func memoryRead() throws -> Double {
    let keys = (1...Int64(count)).filter { $0 % 3 == 0 }
    let filter = try bound("population > 100000000", "Place")
    return try median(keys.count) { _ = try executor.matching(keys, of: "Place", filter) }
  }

  private func indexDescent() throws -> Double {
    guard let index = layout.valueIndexes.first else { return .nan }
    let numbers = shuffled.prefix(20_000)
    return try median(numbers.count) {
      let search = ValueIndexSearch(index, layout, snapshot)
      for number in numbers { _ = try search.keys(EntryRange(.exactly(.int(number)))) }
    }
  }

  private func indexStep() throws -> Double {
    guard let index = layout.valueIndexes.first else { return .nan }
    return try median(count) {
      _ = try ValueIndexSearch(index, layout, snapshot).keys(
        EntryRange(ValueRange(lower: .init(.int(0), isIncluded: true))))
    }
  }

  /// Measures a circle in the Pacific that contains no place.
  private func spatialDescent() throws -> Double {
    let plan = try circle(-125, -45, radians: 0.001)
    return try median(1) { _ = try executor.keys(plan) }
  }

  private func spatialStep() throws -> Double {
    let europe = try circle(10, 48, radians: 0.2)
    let hits = try executor.keys(europe).keys.count
    return try median(hits) { _ = try executor.keys(europe) }
  }

  private func textDescent() throws -> Double {
    guard let index = layout.textIndexes.first else { return .nan }
    let rare = TextTerm(word: "qqqq", isPrefix: false)
    return try median(100) {
      for _ in 0..<100 {
        _ = try TextIndexSearch(index, snapshot).keys(including: [rare], excluding: [])
      }
    }
  }

  private func sortStep() throws -> Double {
    var plan = try plan(.scan(className: "Place"))
    plan.query = try ObjectQuery(
      "Place", order: [SortKey(PropertyPath("population"))], limit: count / 2
    ).bound(to: Self.schema)
    return try median(count / 2) { _ = try executor.keys(plan) }
  }

  private func keyStep() -> Double {
    median(shuffled.count) { _ = KeySort.ascending(shuffled) }
  }

  // MARK: Plans

  /// Returns the plan of a query for the places in a circle.
  private func circle(_ longitude: Double, _ latitude: Double, radians: Double) throws -> Plan {
    guard let center = GeoPoint(latitude: latitude, longitude: longitude),
      let circle = GeoCircle(center: center, radiusInRadians: radians)
    else { preconditionFailure("the coordinates or the radius are invalid") }
    let query = ObjectQuery(
      "Place", where: .geoWithin(GeoWithin(PropertyPath("location"), .circle(circle))))
    let plan = try QuerySession(snapshot).plan(query.bound(to: Self.schema))
    precondition(plan.access.kind == .spatialSearch, "the plan has no spatial search")
    return plan
  }

  private func plan(
    _ access: AccessPath, of className: String = "Place", filters: [String] = []
  ) throws -> Plan {
    var plan = try QuerySession(snapshot).plan(
      ObjectQuery(className).bound(to: Self.schema))
    plan.access = access
    plan.filters = try filters.map { try bound($0, className) }
    return plan
  }

  private func bound(_ predicate: String, _ className: String) throws -> BoundPredicate {
    try ObjectQuery(className, where: QueryPredicate(parsing: predicate)).bound(to: Self.schema)
      .predicate
  }

  /// Returns the median of the seconds per operation, for a body of `count` operations.
  private func median(_ count: Int, _ body: () throws -> Void) rethrows -> Double {
    try body()
    let times = try (0..<7).map { _ in try ContinuousClock().measure(body) / .seconds(1) }
    return times.sorted()[3] / Double(count)
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    padding(toLength: width, withPad: " ", startingAt: 0)
  }
}
