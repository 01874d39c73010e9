import CadastreGeometry
import CadastreModel
import CadastreSQLite
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// A recorded file, which every later version must read.
///
/// `CADASTRE_RECORD=1` records the file and the text of its schema again.
@Suite(.serialized) struct FormatTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .appendingPathComponent("Fixtures")
  private static let recorded = fixtures.appendingPathComponent("format-1.cadastre")
  private static let schemaText = fixtures.appendingPathComponent("format-1.sql")

  private static let isRecording = ProcessInfo.processInfo.environment["CADASTRE_RECORD"] == "1"

  /// Values of each type, including those with a special stored form.
  private static func values(_ type: PropertyType) -> [Value] {
    switch type {
    case .bool: [.bool(true), .bool(false)]
    case .int: [.int(7), .int(.min)]
    case .float: [.float(1.5), .float(-0.0), .float(Float(bitPattern: 0x7FC0_0001))]
    case .double: [.double(2.5), .double(.infinity), .double(.nan)]
    case .string: [.string("a\0é🗺"), .string("")]
    case .data: [.data(Data([0, 255])), .data(Data())]
    case .date:
      [
        .date(Timestamp(seconds: 988_675_200, nanoseconds: 1)),
        .date(Timestamp(Date.distantFuture)),
      ]
    case .objectId: [.objectId(ObjectId("0123456789abcdef01234567"))]
    case .UUID: [.uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255)))]
    case .decimal128:
      ["1.50", "1.5E+3", "NaN"].compactMap { Decimal128(parsing: $0) }.map(Value.decimal)
    case .geometry:
      ["LINESTRING Z (5 47 1, 16 46 NaN)", "POLYGON ((0 0, 1 0, 0 1, 0 0))", "POINT EMPTY"]
        .compactMap { try? Geometry(wkt: $0) }.map(Value.geometry)
    case .any:
      RandomValues.scalarTypes.flatMap { values($0) } + [
        .null, .object(ObjectAddress(className: "Target", key: ObjectKey(1))),
        .list([
          .int(1), .null, .list([]), .object(ObjectAddress(className: "Target", key: ObjectKey(2))),
        ]),
        .map(ValueMap(RandomValues.scalarTypes.map { ("\($0)", values($0)[0]) })),
      ]
    case .object: [.link(ObjectKey(1)), .link(ObjectKey(2))]
    case .linkingObjects: []
    }
  }

  /// The content of the collections of the first `Thing`.
  private static func model(_ layout: CollectionLayout) -> CollectionModel {
    var model = CollectionModel(kind: layout.kind)
    if layout.isOwning { return model }
    for (index, value) in values(layout.element.type).enumerated() {
      switch layout.kind {
      case .list: model.elements.append(value)
      case .set: if value.depth == 0 { _ = model.insert(value) }
      case .map: model.set(value, forKey: "k\(index)")
      }
    }
    if layout.kind == .list, layout.target == nil { model.elements.append(.null) }
    return model
  }

  private static func row(_ layout: TableLayout) -> [Value] {
    var row = layout.columns.map { column -> Value in
      column.type == .object ? .null : values(column.type).last ?? .null
    }
    for collection in layout.collections { row[collection.countColumn] = .int(0) }
    for (index, column) in layout.columns.enumerated() where column.name == "link" {
      row[index] = .link(ObjectKey(2))
    }
    return row
  }

  private static func write(to path: String) throws {
    let file = try OpenStores.store(at: path)
    try file.prepare(for: EveryKind.schema)
    let transaction = try file.beginWrite()
    for label in ["first", "second", "third"] {
      try transaction.insert(
        "Target", object: ["label": .text(label), "place": Boats.point(10.25, 56.5)])
    }
    try transaction.delete("Target", ObjectKey(3))
    let layout = try transaction.layout("Thing")
    let owner = try transaction.insert("Thing", row(layout))
    for collection in layout.collections {
      let model = model(collection)
      switch collection.kind {
      case .list: try transaction.insert(model.elements, at: 0, into: collection, of: owner)
      case .set:
        for value in model.elements {
          _ = try transaction.insert(value, into: collection, of: owner)
        }
      case .map:
        for (key, value) in zip(model.keys, model.elements) {
          try transaction.set(value, forKey: key, in: collection, of: owner)
        }
      }
    }
    let (inner, outer) = (
      try transaction.insert("Part", object: ["text": .text("inner")]),
      try transaction.insert("Part", object: ["text": .text("outer")])
    )
    try transaction.update(
      "Part", outer, [(try column("child", "Part", transaction.flush(.indexes)), .link(inner))])
    let parts = try transaction.collection("Thing", "part_list")
    try transaction.insert([.link(outer)], at: 0, into: parts, of: owner)
    let words = try transaction.collection("Thing", "site.words")
    _ = try transaction.insert(.string("w"), into: words, of: owner)
    try transaction.commit()
  }

  private static func column(
    _ name: String, _ className: String, _ reader: any StoreReader
  ) throws -> Int {
    try #require(reader.layout(className).columns.firstIndex { $0.name == name })
  }

  private static func schemaText(_ path: String) throws -> String {
    let connection = try Connection(path: path, mode: .readWrite)
    let rows = try connection.statement(
      "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT GLOB 'rtree_*_[npr]*' "
        + "ORDER BY type DESC, name")
    var lines: [String] = []
    while try rows.step() { lines.append(rows.text(0) + ";\n") }
    return lines.joined()
  }

  private static func record() throws {
    let folder = try TestFolder()
    let path = folder.file("format-1.cadastre")
    try write(to: path)
    let connection = try Connection(path: path, mode: .readWrite)
    try connection.checkpoint(truncating: true)
    try Data(contentsOf: URL(fileURLWithPath: path)).write(to: recorded)
    try Data(schemaText(path).utf8).write(to: schemaText)
  }

  /// A copy of the recorded file for a test.
  private func copy() throws -> (folder: TestFolder, path: String) {
    if Self.isRecording { try Self.record() }
    let folder = try TestFolder()
    let path = folder.file("copy.cadastre")
    try FileManager.default.copyItem(atPath: Self.recorded.path, toPath: path)
    return (folder, path)
  }

  @Test func `the recorded file can be read and written and is intact`() throws {
    let (folder, path) = try copy()
    defer { withExtendedLifetime(folder) {} }
    let file = try OpenStores.store(at: path, mustExist: true)
    let version = try file.snapshot().version
    try file.prepare(for: EveryKind.schema)
    let snapshot = try file.snapshot()

    #expect(snapshot.version == version)
    let layout = try snapshot.layout("Thing")
    let row = try #require(try snapshot.row(layout, ObjectKey(1)))
    let counts = Set(layout.collections.map(\.countColumn))
    for (index, value) in Self.row(layout).enumerated() where !counts.contains(index) {
      #expect(row[index] == value, "\(layout.columns[index].name)")
    }
    for collection in layout.collections where !collection.isOwning {
      var model = Self.model(collection)
      if "\(collection.path)" == "site.words" { _ = model.insert(.string("w")) }
      #expect(try snapshot.model(collection, ObjectKey(1)) == model, "\(collection.path)")
    }
    #expect(
      try snapshot.object("Target", 2) == [
        "label": .text("second"), "place": Boats.point(10.25, 56.5),
      ])
    #expect(try snapshot.object("Part", 2)?["text"] == .text("outer"))
    let child = try Self.column("child", "Part", snapshot)
    #expect(try snapshot.row(snapshot.layout("Part"), ObjectKey(2))?[child] == .link(ObjectKey(1)))
    #expect(try StoreCheck(snapshot).problems() == [])
    try add(["label": .text("fourth")], to: "Target", file)
    #expect(try file.snapshot().object("Target", 4) == ["label": .text("fourth")])
  }

  @Test func `a new file has the recorded tables and indexes`() throws {
    let (folder, path) = try copy()
    let expected = try String(contentsOf: Self.schemaText, encoding: .utf8)
    let new = folder.file("new.cadastre")
    try Self.write(to: new)

    #expect(try Self.schemaText(path) == expected)
    // A new table has the columns of data and geometries after the others; files of before are read as they are.
    var lines = expected.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let table = try #require(lines.firstIndex { $0.hasPrefix("CREATE TABLE \"Thing\"(") })
    for column in ["\"data\" BLOB", "\"geometry\" BLOB"] {
      lines[table] = lines[table].replacing("\(column), ", with: "")
        .replacing(");", with: ", \(column));")
    }
    #expect(try Self.schemaText(new) == lines.joined(separator: "\n"))
  }
}
