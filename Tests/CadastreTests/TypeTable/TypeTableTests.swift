import Cadastre
import Foundation
import Testing
import TestingSupport

/// The table of types in the documentation, each cell of which is tried.
@Suite struct TypeTableTests {
  private static let id = "00112233445566778899AABB"

  /// The rows in the order of the table.
  static var rows: [any TypeRow] {
    [
      ValueRow(name: "Bool") { [false, true] },
      ValueRow(name: "Int", numbers: [-5, 0, 0x1p40]) { [-5, 0, 1 << 40] },
      ValueRow(name: "Int8", numbers: [-128, 0, 127]) { [Int8.min, 0, .max] },
      ValueRow(name: "Int16", numbers: [-32768, 0, 32767]) { [Int16.min, 0, .max] },
      ValueRow(name: "Int32", numbers: [-2_147_483_648, 0, 2_147_483_647]) {
        [Int32.min, 0, .max]
      },
      ValueRow(name: "Int64", numbers: [-3, 0, 0x1p50]) { [-3, 0, Int64(1) << 50] },
      ValueRow(name: "Float", numbers: [-1.5, 0, 2.25]) { [Float(-1.5), 0, 2.25] },
      ValueRow(name: "Double", numbers: [-1.5, 0, 2.25]) { [-1.5, 0, 2.25] },
      ValueRow(name: "String") { ["", "Z", "é"] },
      ValueRow(name: "Data", text: { Array($0).description }) {
        [Data(), Data([1, 2]), Data([255])]
      },
      ValueRow(name: "Date", text: { "\($0.timeIntervalSince1970)" }) {
        [-1, 0, 1_000_000_000.5].map(Date.init(timeIntervalSince1970:))
      },
      ValueRow(name: "Decimal128", numbers: [-1.5, 0, 2.25]) { [Decimal128(-1.5), 0, 2.25] },
      ValueRow(name: "ObjectId") {
        [ObjectId(), ObjectId("0123456789abcdef01234567"), ObjectId("ff23456789abcdef01234567")]
      },
      ValueRow(name: "UUID") {
        ["00000000", "01234567", "FF234567"].compactMap {
          UUID(uuidString: "\($0)-89AB-4DEF-8123-456789ABCDEF")
        }
      },
      ValueRow(name: "Geometry") {
        ["POINT (1 2)", "LINESTRING (1 2, 3 4)", "POLYGON EMPTY"].compactMap {
          try? Geometry(wkt: $0)
        }
      },
      ValueRow(name: "AnyRealmValue", numbers: [1, 2.5]) {
        [AnyRealmValue.int(1), .double(2.5), .string("a")]
      },
      ValueRow(name: "PersistableEnum, Int", numbers: [-1, 3, 7]) { TypeTableLevel.allCases },
      ValueRow(name: "PersistableEnum, String") { TypeTableWord.allCases },
      ValueRow(name: "CustomPersistable, of Int", numbers: [1, 20, 300]) {
        [1, 20, 300].map(Cents.init(amount:))
      },
      ValueRow(name: "CustomPersistable, of EmbeddedObject", classes: [MappedLocation.self]) {
        [1, 2, 3].map { Coordinate(latitude: $0, longitude: 0) }
      },
      ValueRow(name: "FailableCustomPersistable, of String") {
        ["", "b", "c"].compactMap(TypeTableCode.init(persistedValue:))
      },
      ValueRow(name: "Object", classes: [Linked.self], text: { $0.name }) {
        ["a", "b", "c"].map { Linked(value: ["name": $0]) }
      },
      ValueRow(name: "EmbeddedObject", classes: [Held.self], text: { $0.name }) {
        ["a", "b", "c"].map { Held(value: ["name": $0]) }
      },
      CollectionRow<LinkingObjects<Linked>, Linked>(name: "LinkingObjects") { realm, object in
        object.next = object
        realm.create(Linked.self, value: ["next": object])
      } count: {
        $0.value.count
      },
      CollectionRow<List<Int>, Single<List<Int>>>(name: "List") { _, object in
        object.value.append(objectsIn: [1, 1])
      } count: {
        $0.value.count
      },
      CollectionRow<MutableSet<Int>, Single<MutableSet<Int>>>(name: "MutableSet") { _, object in
        object.value.insert(objectsIn: [1, 2, 1])
      } count: {
        $0.value.count
      },
      CollectionRow<Map<String, Int>, Single<Map<String, Int>>>(name: "Map") { _, object in
        object.value.merge(["a": 1, "b": 1]) { $1 }
      } count: {
        $0.value.count
      },
    ]
  }

  /// The cells of the table by row and column, footnotes left out.
  private static func table() throws -> (names: [String], cells: [String: [String: String]]) {
    let url = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Cadastre/Cadastre.docc/Types.md")
    let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("|") }
    let rows = lines.map { line in
      line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast().map {
        $0.filter { !"¹²³⁴⁵⁶⁷⁸⁹⁰`".contains($0) }.trimmingCharacters(in: .whitespaces)
      }
    }
    let columns = try #require(rows.first)
    var cells: [String: [String: String]] = [:]
    for row in rows.dropFirst(2) {
      cells[row[0]] = Dictionary(zip(columns, row), uniquingKeysWith: { $1 })
    }
    return (rows.dropFirst(2).map { $0[0] }, cells)
  }

  @Test func `the table has every type and every column`() throws {
    let (names, cells) = try Self.table()
    #expect(names == Self.rows.map(\.name))
    let columns = TypeColumn.allCases.filter { $0 != .extremes }.map(\.rawValue)
    for name in names { #expect(cells[name]?.keys.sorted() == (["type"] + columns).sorted()) }
  }

  @Test(arguments: rows.map(\.name)) func `every cell says what happens`(name: String) async throws
  {
    let row = try #require(Self.rows.first { $0.name == name })
    let cells = try #require(Self.table().cells[name])
    for column in TypeColumn.allCases where column != .extremes {
      let cell = try #require(cells[column.rawValue], "\(column)")
      switch (column, cell) {
      case (_, "yes"): try works(row, column)
      case (.aggregate, "min, max"): break
      case (.sort, "no"), (.aggregate, "no"), (.query, "no"): break
      case (_, "no"): #expect(try row.attempt(column) == .refused, "\(name), \(column)")
      case (_, "–"): #expect(try row.attempt(column) == .absent, "\(name), \(column)")
      default: Issue.record("\(name), \(column): '\(cell)' is none of yes, no, – and 'min, max'")
      }
    }
    for column in [TypeColumn.sort, .query] where cells[column.rawValue] == "no" {
      try await stops(row, column)
    }
    let aggregate = cells[TypeColumn.aggregate.rawValue]
    if aggregate != "yes" { try await stops(row, .aggregate) }
    if aggregate == "no" { try await stops(row, .extremes) } else { try works(row, .extremes) }
  }

  private func works(_ row: any TypeRow, _ column: TypeColumn) throws {
    #expect(try row.attempt(column) == .works, "\(row.name), \(column)")
  }

  /// Tries a cell in a process of its own, which must end with a sentence.
  private func stops(_ row: any TypeRow, _ column: TypeColumn) async throws {
    let name = row.name
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent], "\(name), \(column)"
    ) {
      [name = name as String, column = column as TypeColumn] in
      let row = try #require(TypeTableTests.rows.first { $0.name == name })
      _ = try row.attempt(column)
    }
    let text = standardError(of: result)
    #expect(text.contains("Cadastre: ") && text.contains("value"), "\(name), \(column): \(text)")
  }
}

enum TypeTableLevel: Int, PersistableEnum {
  case low = -1
  case middle = 3
  case high = 7
}

enum TypeTableWord: String, PersistableEnum {
  case a, b, c
}

/// Text without spaces.
struct TypeTableCode: FailableCustomPersistable, Hashable {
  let persistableValue: String

  init?(persistedValue: String) {
    if persistedValue.contains(" ") { return nil }
    persistableValue = persistedValue
  }
}
