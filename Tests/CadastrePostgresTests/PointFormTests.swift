import Cadastre
@testable import CadastrePostgres
import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

/// The forms of a point in a table: whichever is changed, the others follow.
@Suite(.enabled(if: PostgresServer.shared != nil, "\(PostgresServer.missing)"))
struct PointFormTests {
  private let address: String

  init() async throws {
    let port = PostgresPort()
    port.code = "P"
    port.site = PostgresSite(10, 20)
    port.site?.coordinates.append(30)
    let empty = PostgresPort()
    empty.code = "E"
    address = try await PortStore([port, empty]).push(to: try #require(PostgresServer.shared))
  }

  private static let table = "public.\"PostgresPort\""

  /// The forms of the point of a row as text.
  private func forms(_ code: String) async throws -> String {
    let result = try await PostgresConnection.open(address).run(
      SQLStatement(
        "SELECT concat_ws(' ', site, \"site.type\", \"site.coordinates\", \"site.longitude\", "
          + "\"site.latitude\", public.ST_AsText(\"site.geography\")) FROM \(Self.table) "
          + "WHERE code = '\(code)'"))
    guard case .text(let text) = try result.value(0, 0) else { throw UnexpectedKey() }
    return text
  }

  private func set(_ assignments: String, _ code: String = "P") async throws {
    try await PostgresConnection.open(address).run(
      SQLStatement("UPDATE \(Self.table) SET \(assignments) WHERE code = '\(code)'"))
  }

  @Test(arguments: [
    ("\"site.geography\" = 'POINT(1.5 -2)'", "t Point {1.5,-2,30} 1.5 -2 POINT(1.5 -2)"),
    ("\"site.longitude\" = 7", "t Point {7,20,30} 7 20 POINT(7 20)"),
    (
      "\"site.longitude\" = 180, \"site.latitude\" = -90",
      "t Point {180,-90,30} 180 -90 POINT(180 -90)"
    ),
    ("\"site.coordinates\" = '{-180,90}'", "t Point {-180,90} -180 90 POINT(-180 90)"),
    ("\"site.coordinates\" = '{-0,0.1}'", "t Point {-0,0.1} -0 0.1 POINT(0 0.1)"),
    (
      "\"site.coordinates\" = '{0.30000000000000004,5e-324}'",
      "t Point {0.30000000000000004,5e-324} 0.30000000000000004 5e-324 POINT(0.3 0)"
    ),
    // Coordinates that are no point have no location.
    ("\"site.coordinates\" = '{181,1}'", "t Point {181,1}"),
    ("\"site.coordinates\" = '{NaN,1}'", "t Point {NaN,1}"),
    ("\"site.coordinates\" = '{}'", "t Point {}"),
    ("\"site.type\" = 'Polygon'", "t Polygon {10,20,30}"),
    ("\"site.geography\" = 'POINT EMPTY'", "t Point {}"),
    ("\"site.geography\" = 'POINT(1e-40 2)'", "t Point {1e-40,2,30} 1e-40 2 POINT(0 2)"),
    ("\"site.geography\" = NULL", ""), ("\"site.coordinates\" = NULL", ""), ("site = NULL", ""),
    ("\"site.longitude\" = NULL, \"site.latitude\" = NULL", ""),
    ("depth = 3", "t Point {10,20,30} 10 20 POINT(10 20)"),
    (
      "\"site.longitude\" = 1, \"site.geography\" = 'POINT(1 20)'",
      "t Point {1,20,30} 1 20 POINT(1 20)"
    ),
  ])
  func `a change of one form changes the others`(
    assignments: String, expected: String
  ) async throws {
    #expect(try await forms("P") == "t Point {10,20,30} 10 20 POINT(10 20)")
    try await set(assignments)
    #expect(try await forms("P") == expected)
    // A program of Cadastre sees the same point.
    let store = try await PostgresStore.connect(address)
    let port = try #require(
      try await store.objects(PostgresPort.self).where { $0.code == "P" }.first())
    #expect((port.site == nil) == expected.isEmpty)
  }

  @Test(arguments: [
    "\"site.longitude\" = 1, \"site.geography\" = 'POINT(2 20)'", "\"site.longitude\" = NULL",
    "\"site.coordinates\" = '{1,2}', \"site.latitude\" = 3", "\"site.latitude\" = 91",
    "\"site.coordinates\" = '{1,2}', \"site.geography\" = NULL",
  ])
  func `forms that contradict each other are refused`(assignments: String) async throws {
    let error = await #expect(throws: PostgresError.self) { try await set(assignments) }
    #expect(error?.sqlState == "23514" && error?.message.contains("'site'") == true)
    #expect(try await forms("P") == "t Point {10,20,30} 10 20 POINT(10 20)")
  }

  @Test func `an object without a point gets one in each form`() async throws {
    for (assignments, expected) in [
      ("\"site.geography\" = 'POINT(1 2)'", "t Point {1,2} 1 2 POINT(1 2)"),
      ("\"site.longitude\" = 3, \"site.latitude\" = 4", "t Point {3,4} 3 4 POINT(3 4)"),
      ("\"site.coordinates\" = '{5,6}'", "t Point {5,6} 5 6 POINT(5 6)"),
    ] {
      try await set("site = NULL", "E")
      #expect(try await forms("E") == "")
      try await set(assignments, "E")
      #expect(try await forms("E") == expected)
    }
  }

  @Test func `rows are inserted with one form`() async throws {
    let connection = try await PostgresConnection.open(address)
    for (code, columns, values) in [
      ("G", "\"site.geography\"", "'SRID=4326;POINT(1 2)'"),
      ("D", "\"site.longitude\", \"site.latitude\"", "1, 2"),
      ("C", "\"site.coordinates\"", "'{1,2}'"),
    ] {
      try await connection.run(
        SQLStatement(
          "INSERT INTO \(Self.table) (code, draft, \"isOpen\", tags, marks, \"prices.keys\", prices, "
            + "partners, \(columns)) VALUES ('\(code)', 1, false, '{}', '{}', '{}', '{}', '{}', \(values))"
        ))
      #expect(try await forms(code) == "t Point {1,2} 1 2 POINT(1 2)")
    }
    let center = try #require(GeoPoint(latitude: 2, longitude: 1))
    let circle = GeoCircle(center: center, radius: try #require(Distance.kilometers(1)))
    let ports = try await PostgresStore.connect(address).objects(PostgresPort.self)
    #expect(try await ports.where { $0.site.geoWithin(circle) }.count() == 3)
  }

  @Test(arguments: ["hash(code)", "cell(site)"])
  func `points of partitions follow, and stay in their cell`(expression: String) async throws {
    let port = PostgresPort()
    port.code = "P"
    port.site = PostgresSite(10, 20)
    let local = try PortStore([port])
    let other = try #require(PostgresServer.shared).newAddress()
    let push = try StorePush(
      try OpenStores.store(at: local.path, mustExist: true).snapshot(),
      layout: .partitions(try RowDivision(try PartitionExpression(expression), count: 3)))
    let connection = try await PostgresConnection.open(other)
    _ = try await push.run(connection)
    func update(_ assignments: String) async throws {
      try await connection.run(SQLStatement("UPDATE \(Self.table) SET \(assignments)"))
    }
    try await update("\"site.longitude\" = 11")
    let found = try await connection.run(
      SQLStatement("SELECT \"site.coordinates\"::text FROM \(Self.table)"))
    #expect(try found.value(0, 0) == .text("{11,20}"))
    guard expression.hasPrefix("cell") else { return }
    let error = await #expect(throws: PostgresError.self) {
      try await update("\"site.longitude\" = 31")
    }
    #expect(error?.sqlState == "23514" && error?.message.contains("cell") == true)
    // 31° east and 20° north are in row 11 and column 21 of the cells of 10°.
    try await update("\"site.longitude\" = 31, \"site.cell\" = \(11 * 36 + 21)")
  }
}
