import CadastreModel
import CadastrePredicate
import CadastreQuery
import CadastreStore
import CadastreTestSupport
import Testing

/// Values and orders of coordinates of points, also of points that the columns do not represent: out of range, and of
/// another type.
@Suite struct CoordinateTests {
  private let session: QuerySession

  init() throws {
    session = QuerySession(try TestStore.temporary(holding: Boats.examples).snapshot())
  }

  private static let expected: [(path: String, values: [Double?])] = [
    ("place.longitude", [10.2, 5.32, 200, 10.2, nil]),
    ("place.latitude", [56.15, 60.39, 0, 56.15, nil]),
    ("place.altitude", [nil, 3, nil, nil, nil]),
    ("escort.place.longitude", [nil, 10.2, 5.32, nil, nil]),
    ("berth.site.latitude", [56.15, 60.39, nil, 56.15, nil]),
  ]

  @Test(arguments: [[1, 2, 3, 4, 5], [5, 3, 1]] as [[Int64]])
  func `coordinates are those of the points`(keys: [Int64]) throws {
    for (path, values) in Self.expected {
      let wanted = keys.map { values[Int($0) - 1] }
      let path = PropertyPath(path.split(separator: ".").map(String.init))
      var single: [Double?] = []
      try session.forEachValue(keys, of: "Boat", at: [path]) { single.append($0[0].doubleValue) }
      #expect(single == wanted, "\(path)")
      var found: [Double?] = []
      let isColumn = try session.forEachBatch(keys, of: "Boat", at: [path]) { _, columns, rows in
        for row in rows { found.append(columns[0].value(row).doubleValue) }
      }
      #expect(isColumn)
      #expect(found == wanted, "\(path)")
    }
  }

  @Test func `objects without a coordinate sort last`() throws {
    for (path, expected) in [
      ("place.latitude", [3, 1, 4, 2, 5]), ("place.altitude", [2, 1, 3, 4, 5]),
      ("escort.place.longitude", [3, 2, 1, 4, 5]),
    ] as [(String, [Int64])] {
      let path = PropertyPath(path.split(separator: ".").map(String.init))
      let query = try ObjectQuery(
        "Boat", where: QueryPredicate(parsing: "TRUEPREDICATE"), order: [SortKey(path)]
      ).bound(to: Boats.schema)
      #expect(try session.keys(query).keys == expected, "\(path)")
    }
  }
}
