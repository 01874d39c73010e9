import CadastreModel
import Foundation
import RealmFileTestSupport
import Testing
import TestingSupport

/// Realm files after import and export, compared with their exact content in bits.
@Suite struct RealmExportTests {
  @Test(arguments: RealmFixture.all)
  func `an export has the values of the file`(_ fixture: RealmFixture) throws {
    let scratch = try Scratch()
    let content = try fixture.expectedContent()
    let file = try scratch.file("app.realm", Data(fixture.bytes())).path
    let key = fixture.key.map { Data($0) }
    let options =
      try key.map { ["--key-file", try scratch.file("key", $0).path] } ?? []
    let store = scratch.path("a")
    let outcome = try Program.run(["import", file, "--store", store, "--quiet"] + options)
    guard content.tables.contains(where: { $0.name.hasPrefix("class_") }) else { return }
    try #require(outcome.status == 0, "\(outcome.stderr)")
    var comparison = ExportComparison(content)
    for table in content.tables where table.name.hasPrefix("class_") && table.kind == "top" {
      let rows = scratch.path("rows.ndjson")
      let name = String(table.name.dropFirst(6))
      try succeed("export", store, name, "--to", rows, "--force", "--quiet")
      let lines = try Data(contentsOf: URL(fileURLWithPath: rows)).split(separator: 0x0A)
      #expect(lines.count == table.objects.count, "\(table.name)")
      for (line, object) in zip(lines, table.objects) {
        comparison.compare(try ExactJSON(line), object.values, table, "\(table.name) \(object.key)")
      }
    }
    #expect(comparison.differences.isEmpty, "\(comparison.differences.prefix(3))")
    let hasObjects = content.tables.contains { $0.kind == "top" && !$0.objects.isEmpty }
    #expect(!hasObjects || comparison.count > 0 || fixture.name == "empty-schema")
  }
}

private struct ExportComparison {
  private let tables: [String: ExpectedContent.Table]
  /// The position of each object among those of its table, from 1.
  private let positions: [String: [Int64: Int]]
  /// The number of values that were compared.
  private(set) var count = 0
  private(set) var differences: [String] = []
  /// The geometry of the feature: a property, or one of an embedded object.
  private var geometry: ExactJSON?

  init(_ content: ExpectedContent) {
    tables = Dictionary(uniqueKeysWithValues: content.tables.map { ($0.name, $0) })
    positions = tables.mapValues { table in
      Dictionary(uniqueKeysWithValues: table.objects.enumerated().map { ($1.key, $0 + 1) })
    }
  }

  /// Compares a feature with an object: one property is the geometry.
  mutating func compare(
    _ feature: ExactJSON, _ values: [Value], _ table: ExpectedContent.Table, _ path: String
  ) {
    geometry = feature["geometry"]
    for (column, expected) in zip(table.columns, values) {
      let found = feature["properties"]?[column.name] ?? geometry ?? .string("missing")
      if !isEqual(found, expected, column) {
        differences.append("\(path).\(column.name): \(found), expected \(expected)")
      }
    }
  }

  private mutating func isEqual(
    _ found: ExactJSON, _ expected: Value, _ column: ExpectedContent.Column
  ) -> Bool {
    let target = column.target.flatMap { tables[$0] }
    guard column.collection == .set, case .array(let elements) = found,
      case .list(let values) = expected
    else { return isEqual(found, expected, target) }
    var rest = values
    for element in elements {
      guard let index = rest.indices.first(where: { isEqual(element, rest[$0], target) }) else {
        return false
      }
      rest.remove(at: index)
    }
    return rest.isEmpty
  }

  private mutating func isEqual(
    _ found: ExactJSON, _ expected: Value, _ target: ExpectedContent.Table?
  ) -> Bool {
    count += 1
    switch (found, expected) {
    case (.array(let elements), .list(let values)):
      guard elements.count == values.count else { return false }
      return zip(elements, values).allSatisfy { isEqual($0, $1, target) }
    case (.object(let members), .map(let map)):
      let sorted = members.sorted { $0.key < $1.key }
      let entries = map.entries.sorted { $0.key < $1.key }
      guard sorted.map(\.key) == entries.map(\.key) else { return false }
      return zip(sorted, entries).allSatisfy { isEqual($0.value, $1.value, target) }
    // A link to an object that is not in the file is null.
    case (.null, .link(let key)): return position(target?.name, key) == nil
    case (.null, .object(let address)): return position(address.className, address.key) == nil
    case (let found, .link(let key)) where target?.primaryKey != nil && target?.kind == "top":
      // Exports write the primary key of the target in place of the link.
      guard let target, let position = position(target.name, key),
        let column = target.columns.firstIndex(where: { $0.name == target.primaryKey })
      else { return false }
      return isEqual(found, scalar: target.objects[position - 1].values[column])
    case (.object, .link(let key)):
      guard let target, let position = position(target.name, key) else { return false }
      guard target.kind == "embedded" else { return isKey(found, position, nil) }
      let values = target.objects[position - 1].values
      return zip(target.columns, values).allSatisfy { column, value in
        isEqual(found[column.name] ?? geometry ?? .string("missing"), value, column)
      }
    case (.object, .object(let address)):
      guard let position = position(address.className, address.key) else { return false }
      return isKey(found, position, String(address.className.dropFirst(6)))
    default: return isEqual(found, scalar: expected)
    }
  }

  private func position(_ table: String?, _ key: ObjectKey) -> Int? {
    table.flatMap { positions[$0]?[key.rawValue] }
  }

  private func isKey(_ found: ExactJSON, _ position: Int, _ className: String?) -> Bool {
    guard case .number(let key)? = found["#key"], key == "\(position)" else { return false }
    guard let className else { return found["#class"] == nil }
    guard case .string(let name)? = found["#class"] else { return false }
    return name == className
  }

  private func isEqual(_ found: ExactJSON, scalar expected: Value) -> Bool {
    switch (found, expected) {
    case (.null, .null): true
    case (.bool(let found), .bool(let expected)): found == expected
    case (.number(let text), .int(let expected)): text == "\(expected)"
    case (.number(let text), .float(let expected)): Float(text)?.bitPattern == expected.bitPattern
    case (.number(let text), .double(let expected)): Double(text)?.bitPattern == expected.bitPattern
    case (.string(let text), .float(let expected)):
      expected.isNaN ? text == "nan" : expected.isInfinite && Float(text) == expected
    case (.string(let text), .double(let expected)):
      expected.isNaN ? text == "nan" : expected.isInfinite && Double(text) == expected
    case (.number(let text), .decimal(let expected)): isEqual(text, expected)
    case (.string(let text), .decimal(let expected)):
      expected.isNaN ? text == "NaN" : expected.isInfinite && isEqual(text, expected)
    case (.string(let text), .string(let expected)): text.utf8.elementsEqual(expected.utf8)
    case (.string(let text), .data(let expected)): Data(base64Encoded: text) == expected
    case (.string(let text), .uuid(let expected)): UUID(uuidString: text) == expected
    case (.string(let text), .objectId(let expected)): text == "\(expected)"
    case (.string(let text), .date(let expected)):
      date(text).map { $0 == stored(expected) } ?? false
    default: false
    }
  }

  private func isEqual(_ text: String, _ expected: Decimal128) -> Bool {
    Decimal128(string: text).bits == expected.bits
  }

  private func stored(_ date: Timestamp) -> [Int64] {
    [date.seconds, Int64(date.nanoseconds)]
  }

  /// Returns the seconds since 1970 and the nanoseconds of a date in UTC.
  ///
  /// Source of the formula: Fliegel and Van Flandern, Communications of the ACM 11 (1968), 657.
  private func date(_ text: String) -> [Int64]? {
    let pattern = /([+-]?\d+)-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z/
    guard let match = text.wholeMatch(of: pattern), let year = Int64(match.1),
      let month = Int64(match.2), let day = Int64(match.3), let hour = Int64(match.4),
      let minute = Int64(match.5), let second = Int64(match.6)
    else { return nil }
    // The formula is for positive years; the calendar repeats every 400 years. Sums wrap around,
    // because the first and the last second are at the limits of the type.
    let cycles = (year < 0 ? year - 399 : year) / 400 - 1
    let (y, m) = (year - cycles * 400, (month - 14) / 12)
    let days =
      1461 * (y + 4800 + m) / 4 + 367 * (month - 2 - 12 * m) / 12
      - 3 * ((y + 4900 + m) / 100) / 4 + day - 32075 - 2_440_588 + cycles * 146_097
    let time = hour * 3600 + minute * 60 + second
    let fraction = (match.7.map(String.init) ?? "").padding(
      toLength: 9, withPad: "0", startingAt: 0)
    return [days &* 86400 &+ time, Int64(fraction) ?? -1]
  }
}
