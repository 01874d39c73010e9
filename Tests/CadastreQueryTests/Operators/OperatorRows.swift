import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// The rows of the operator tests: plots with an index of each kind, and keepers to whom plots link.
enum OperatorRows {
  /// The classes.
  static let schema = Schema([Boats.spot, keeper, plot])

  private static let keeper = ObjectSchema(
    className: "Keeper",
    properties: [
      Property(name: "code", type: .string, isPrimaryKey: true),
      Property(name: "rank", type: .int),
      Property(name: "seat", type: .object, isOptional: true, objectClassName: "Spot"),
    ],
    computedProperties: [
      Property(
        name: "plots", type: .linkingObjects, objectClassName: "Plot",
        linkOriginPropertyName: "keeper")
    ])

  private static let plot = ObjectSchema(
    className: "Plot",
    properties: [
      Property(name: "id", type: .int, isPrimaryKey: true),
      Property(name: "kind", type: .string, isOptional: true, isIndexed: true),
      Property(name: "size", type: .int, isOptional: true, isIndexed: true),
      Property(name: "price", type: .double, isOptional: true, isIndexed: true),
      Property(name: "sold", type: .date, isOptional: true, isIndexed: true),
      Property(name: "reach", type: .double, isIndexed: true),
      Property(name: "count", type: .int),
      Property(name: "ratio", type: .double, isOptional: true),
      Property(name: "title", type: .string, isOptional: true),
      Property(name: "note", type: .string, isFullTextIndexed: true),
      Property(name: "place", type: .object, isOptional: true, objectClassName: "Spot"),
      Property(name: "border", type: .geometry, isOptional: true),
      Property(name: "keeper", type: .object, isOptional: true, objectClassName: "Keeper"),
      Property(name: "helpers", type: .object, collection: .list, objectClassName: "Keeper"),
    ], compoundIndexes: [["kind", "size"], ["title", "count", "id"]])

  /// The properties whose columns are compared, by class.
  static let outputs = [
    "Plot": ["id", "ratio", "title", "sold", "keeper"], "Keeper": ["code", "rank"],
  ]

  /// The number of keepers of stores with many rows.
  static let keepers = 6

  // MARK: Objects

  /// Returns keepers and plots; the keys of the plots begin shortly before the second segment of cached columns.
  static func objects(plots: Int, keepers: Int = keepers, seed: UInt64) -> PlainObjects {
    var random = SeededGenerator(seed: seed)
    var objects = PlainObjects(schema: schema, firstKeys: ["Plot": firstPlot])
    for number in 0..<keepers {
      objects.insert(
        "Keeper",
        [
          "code": .value(.string("K\(number)")),
          "rank": .value(.int(random.pick([.min, .max, 0, 3, Int64(random.below(9))]))),
          "seat": random.oneIn(4) ? .value(.null) : near(&random),
        ])
    }
    for number in 0..<plots { objects.insert("Plot", plot(number, keepers: keepers, &random)) }
    return objects
  }

  private static let firstPlot = Int64(KeySegment.capacity) - 20

  /// Returns a plot with many edge cases among its values.
  private static func plot(
    _ number: Int, keepers: Int, _ random: inout SeededGenerator
  ) -> PlainObject {
    let links = keepers == 0 ? [] : (0..<5).map { _ in link(below: keepers, &random) }
    return [
      "id": .value(.int(id(number))),
      "kind": .value(random.pick([.null, text(""), text("a"), text("a"), text("b"), text("é")])),
      "size": .value(
        random.pick([
          .null, .int(.min), .int(.max), .int(-1), .int(0), .int(0), .int(1 << 53 + 1),
          .int(Int64(random.below(40))),
        ])),
      "price": .value(fraction(&random)), "ratio": .value(fraction(&random)),
      "sold": .value(date(&random)),
      "reach": .value(
        .double(random.pick([.nan, -0.0, 0, random.number(0...3e6), random.number(0...3e5)]))),
      "count": .value(.int(random.pick([.min, .max, 0, 1, Int64(random.below(9)) - 4]))),
      "title": .value(
        random.pick([
          .null, text(""), text("a"), text("A"), text("e\u{301}"), text("é"), text("wool"),
          text("w\(random.below(9))"),
        ])),
      "note": .value(
        text(random.pick(["", "north wind", "calm north", "south wind, wind", "Nord", "a north"]))),
      "place": place(&random), "border": .value(border(&random)),
      "keeper": .value(links.first.map { random.oneIn(4) ? .null : $0 } ?? .null),
      "helpers": .list(Array(links.dropFirst(1 + random.below(4)))),
    ]
  }

  /// The primary key of a plot: the greatest number, the least one, and then others in another order than that of
  /// the rows.
  static func id(_ number: Int) -> Int64 {
    switch number {
    case 0: .max
    case 1: .min
    default: Int64(number * 7919 % 10_007) - 5000
    }
  }

  private static func text(_ text: String) -> Value { .string(text) }

  private static func link(below keepers: Int, _ random: inout SeededGenerator) -> Value {
    .link(ObjectKey(Int64(random.below(keepers)) + 1))
  }

  private static func fraction(_ random: inout SeededGenerator) -> Value {
    random.pick([
      .null, .double(.nan), .double(-.nan), .double(-0.0), .double(0), .double(.infinity),
      .double(-.infinity), .double(.leastNonzeroMagnitude), .double(Double(random.below(8)) - 2),
      .double(1.5),
    ])
  }

  /// Returns null or a date; some dates are stored as bytes.
  private static func date(_ random: inout SeededGenerator) -> Value {
    random.pick([
      .null, .date(Timestamp(seconds: 0)), .date(Timestamp(seconds: -1, nanoseconds: 999_999_999)),
      .date(Timestamp(Date(timeIntervalSinceReferenceDate: 1e-10))),
      .date(Timestamp(Date.distantFuture)),
      .date(Timestamp(seconds: Int64(random.below(20)) * 86_400)),
    ])
  }

  private static func near(_ random: inout SeededGenerator) -> Member {
    Boats.point(random.number(-6...6), random.number(-6...6))
  }

  /// Returns a point, most often near [0, 0]; sometimes one without a valid position, and at times the same one.
  private static func place(_ random: inout SeededGenerator) -> Member {
    switch random.below(8) {
    case 0: .value(.null)
    case 1: random.spot()
    case 2: Boats.point(2.5, -1.25)
    default: near(&random)
    }
  }

  /// Returns null or a valid geometry near [0, 0], which may be empty.
  private static func border(_ random: inout SeededGenerator) -> Value {
    let (x, y) = (random.below(12) - 6, random.below(12) - 6)
    let (east, north) = (x + 1 + random.below(3), y + 1 + random.below(3))
    let box = "((\(x) \(y), \(east) \(y), \(east) \(north), \(x) \(north), \(x) \(y)))"
    let wkt =
      switch random.below(6) {
      case 0: "POINT (\(x) \(y))"
      case 1: "LINESTRING (\(x) \(y), \(east) \(north))"
      case 2: "POLYGON EMPTY"
      default: "POLYGON \(box)"
      }
    guard !random.oneIn(6), let geometry = try? Geometry(wkt: wkt) else { return .null }
    return .geometry(geometry)
  }

  // MARK: Stores

  /// Returns a new store with some objects.
  static func store(holding objects: PlainObjects, budget: Int? = nil) throws -> StoreFile {
    let file = try TestStore.temporary(objects.schema)
    if let budget { file.columns.budget = budget }
    let transaction = try file.beginWrite()
    // As if earlier rows had been deleted.
    try transaction.connection.run(
      "UPDATE cadastre_class SET next_key = \(firstPlot) WHERE name = 'Plot'")
    try transaction.insert(objects)
    try transaction.commit()
    return file
  }

  /// Adds, changes and deletes objects in a transaction, and in its expected content.
  static func change(
    _ transaction: WriteTransaction, _ objects: inout PlainObjects, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    for number in 1000..<1008 {
      let plot = plot(number, keepers: keepers, &random)
      let key = try transaction.insert("Plot", object: plot)
      #expect(objects.insert("Plot", plot) == key.rawValue)
      let changed = random.pick(objects.keys("Plot"))
      var changes = self.plot(0, keepers: keepers, &random)
      for name in ["id", "helpers"] { changes[name] = nil }
      try transaction.update("Plot", changed, members: changes)
      objects.update("Plot", changed, changes)
      let deleted = random.pick(objects.keys("Plot"))
      try transaction.delete("Plot", ObjectKey(deleted))
      objects.delete("Plot", deleted)
    }
    let rank: PlainObject = ["rank": .value(.int(4))]
    try transaction.update("Keeper", 2, members: rank)
    objects.update("Keeper", 2, rank)
    try transaction.delete("Keeper", ObjectKey(3))
    objects.delete("Keeper", 3)
  }
}
