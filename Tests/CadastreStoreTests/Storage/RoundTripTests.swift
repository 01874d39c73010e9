import CadastreModel
import CadastreTestSupport
import Foundation
import Testing

@testable import CadastreStore

/// Values are read exactly as they were written, after the file was closed.
@Suite struct RoundTripTests {
  private static let all = Schema([
    ObjectSchema(
      className: "Everything",
      properties: PropertyType.allCases.filter { $0 != .object }.map {
        Property(name: "\($0)".replacing(" ", with: "_"), type: $0, isOptional: true)
      })
  ])

  private static let values: [Value] =
    [true, false].map(Value.bool)
    + [0, 1, -1, .max, .min, 1 << 53 + 1].map(Value.int)
    + [
      0, -0.0, 1, -1, 0.1, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      .nan, .signalingNaN, -.nan, Double(bitPattern: 0x7FF0_0000_0000_0001),
      Double(bitPattern: 0xFFFF_FFFF_FFFF_FFFF), 0x1p53, 0x1p63, -0x1p63, 123_456_789,
    ].map(Value.double)
    + [
      0, -0.0, 1, 0.1, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude,
      .nan,
      -.nan, Float(bitPattern: 0x7F80_0001), Float(bitPattern: 0xFFFF_FFFF), 0x1p24, 0x1p63,
    ].map(Value.float)
    + [
      "", " ", "a\0b", "\0", "🚢⚓️", "e\u{301}", "\u{e9}", "'\"\\", "\u{FEFF}x", "\u{FFFF}", "123",
      "1.0", String(repeating: "日", count: 100_000),
    ].map(Value.string)
    + [Data(), Data([0]), Data([0xFF, 0, 0xFE]), Data(repeating: 7, count: 200_000)].map(Value.data)
    + [
      Timestamp(seconds: 0), Timestamp(seconds: -1, nanoseconds: 999_999_999),
      Timestamp(seconds: 988_675_200, nanoseconds: 1), Timestamp(seconds: 9_223_372_036),
      Timestamp(seconds: -9_223_372_036, nanoseconds: -854_775_808),
      Timestamp(seconds: 9_223_372_036, nanoseconds: 854_775_807), Timestamp(Date.distantPast),
      Timestamp(Date.distantFuture),
      // Whole seconds and the finest steps of a date in the years 2500, 1500 and 12345.
      Timestamp(seconds: 16_725_225_601), Timestamp(seconds: -14_831_769_601),
      Timestamp(Date(timeIntervalSinceReferenceDate: 15_746_918_401.3)),
      Timestamp(Date(timeIntervalSinceReferenceDate: 15_746_918_400.0.nextUp)),
      Timestamp(Date(timeIntervalSinceReferenceDate: -15_746_918_400.0.nextUp)),
      Timestamp(seconds: 327_403_382_400 + 7),
      Timestamp(Date(timeIntervalSinceReferenceDate: 1e17)),
      Timestamp(Date(timeIntervalSinceReferenceDate: -1e17)),
      // Between two nanoseconds, and beyond all calendars.
      Timestamp(Date(timeIntervalSinceReferenceDate: 1.0 / 3)),
      Timestamp(Date(timeIntervalSinceReferenceDate: -1e-300)),
      Timestamp(Date(timeIntervalSinceReferenceDate: 0.1.nextUp)),
      Timestamp(Date(timeIntervalSinceReferenceDate: 1e200)),
      Timestamp(Date(timeIntervalSinceReferenceDate: -1e301)),
      Timestamp(Date(timeIntervalSinceReferenceDate: .greatestFiniteMagnitude)), .least, .greatest,
    ].map(Value.date)
    + [ObjectId(), ObjectId("ffffffffffffffffffffffff")].map(Value.objectId)
    + [UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255))].map(Value.uuid)

  @Test func `values of every type survive closing the file`() throws {
    let folder = try TestFolder()
    let path = folder.file("all.cadastre")
    try {
      let file = try OpenStores.store(at: path)
      try file.prepare(for: Self.all)
      let transaction = try file.beginWrite()
      try transaction.insert("Everything", object: [:])
      for value in Self.values { try transaction.insert("Everything", object: Self.object(value)) }
      try transaction.commit()
    }()

    let snapshot = try OpenStores.store(at: path, mustExist: true).snapshot()

    #expect(try snapshot.rowCount("Everything") == Self.values.count + 1)
    #expect(try snapshot.object("Everything", 1) == [:])
    for (index, value) in Self.values.enumerated() {
      let found = try snapshot.object("Everything", Int64(index) + 2)
      #expect(found == Self.object(value), "\(value)")
    }
  }

  @Test func `batches read the same values as single rows`() throws {
    var objects = PlainObjects(schema: Self.all)
    for value in Self.values { objects.insert("Everything", Self.object(value)) }
    let snapshot = try TestStore.temporary(holding: objects).snapshot()
    let layout = try snapshot.layout("Everything")
    let columns = layout.columns.indices.map {
      ColumnReference(hops: [], column: $0, type: layout.columns[$0].type)
    }
    let reader = BatchReader(layout, columns, snapshot)
    var batch = reader.makeBatch()

    #expect(try reader.readNext(into: &batch))
    for row in batch.allRows {
      let expected = try snapshot.row(layout, ObjectKey(batch.key(row)))
      for (index, vector) in batch.columns.enumerated() {
        let (found, right) = (vector.value(row), expected?[index])
        // Converting a Float to Double and back may change a signalling NaN to a quiet one.
        if case .float(let number) = found, number.isNaN, right?.doubleValue?.isNaN == true {
          continue
        }
        #expect(found == right)
      }
    }
  }

  private static func object(_ value: Value) -> PlainObject {
    [value.type.map { "\($0)".replacing(" ", with: "_") } ?? "": .value(value)]
  }

  @Test func `regular and odd points survive unchanged`() throws {
    let points: [Member] = [
      Boats.point(10.2, 56.15), Boats.point(10.2, 56.15, 0), Boats.point(10.2, 56.15, -0.0),
      Boats.point(-0.0, -0.0), Boats.point(180, 90), Boats.point(-180, -90, 8848.86),
      Boats.point(1, 2, .infinity), Boats.point(1, 2, .nan), Boats.point(1, 2, 3, 4),
      Boats.point(), Boats.point(5), Boats.point(200, 0), Boats.point(.nan, 0),
      Boats.point(-.infinity, .infinity), Boats.point(1, 2, type: "point"),
      Boats.point(1, 2, type: ""), Boats.point(1, 2, type: "Ünï\"\\\n\0code"),
      Boats.point(0.1, 1e-300), Boats.point(123.456789012345678, .leastNonzeroMagnitude),
    ]
    let folder = try TestFolder()
    let path = folder.file("points.cadastre")
    try {
      let file = try OpenStores.store(at: path)
      try file.prepare(for: Boats.schema)
      let transaction = try file.beginWrite()
      for (index, point) in points.enumerated() {
        try transaction.insert("Harbor", object: ["code": .text("\(index)"), "site": point])
      }
      try transaction.commit()
    }()

    let snapshot = try OpenStores.store(at: path).snapshot()

    for (index, point) in points.enumerated() {
      let found = try snapshot.object("Harbor", Int64(index) + 1)?["site"]
      #expect(found.map(Self.withoutPayload) == Self.withoutPayload(point))
    }
    #expect(try snapshot.spatialProblems() == [])
  }

  /// Replaces every NaN by the same one: an invalid point does not preserve the bits of NaN.
  private static func withoutPayload(_ point: Member) -> Member {
    guard case .embedded(var members) = point, case .list(let values)? = members["coordinates"]
    else { return point }
    members["coordinates"] = .list(
      values.map { $0.doubleValue?.isNaN == true ? .double(.nan) : $0 })
    return .embedded(members)
  }

  @Test func `embedded objects and links survive`() throws {
    let folder = try TestFolder()
    let path = folder.file("boats.cadastre")
    try {
      let file = try OpenStores.store(at: path)
      try file.prepare(for: Boats.schema)
      let transaction = try file.beginWrite()
      try transaction.insert(Boats.examples)
      try transaction.commit()
    }()

    let snapshot = try OpenStores.store(at: path).snapshot()

    for className in ["Harbor", "Boat"] {
      for key in Boats.examples.keys(className) {
        #expect(try snapshot.object(className, key) == Boats.examples.object(className, key))
      }
    }
  }
}
