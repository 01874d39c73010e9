import CadastreGeometry
import CadastreModel
import CadastreStore
import Foundation

/// Turns the fields of a row into the columns of a class's table.
struct RowConverter {
  /// Why a row is refused.
  struct Refusal: Error {
    let reason: String
  }

  private enum Step {
    case scalar(column: Int, type: PropertyType, isOptional: Bool)
    case longitude
    case latitude
    case wkt
  }

  private let steps: [Step]
  private let header: [String]
  private let place: EmbeddedLayout?
  private let nullText: [UInt8]
  private let empty: [Value]

  init(
    _ imported: ImportedClass, _ layout: TableLayout, header: [String], nullText: String
  ) {
    self.header = header
    self.nullText = Array(nullText.utf8)
    empty = Array(repeating: .null, count: layout.columns.count)
    place = layout.schema.index(of: ImportedClass.locationName).flatMap { index in
      if case .embedded(let embedded) = layout.fields[index] { embedded } else { nil }
    }
    steps = imported.targets.map { target in
      switch target {
      case .longitude: return .longitude
      case .latitude: return .latitude
      case .wkt: return .wkt
      case .property(let name):
        // The class was made for these columns, or checked against them.
        guard let property = layout.schema[name], let column = layout.column(of: property) else {
          preconditionFailure("class '\(layout.schema.className)' has no property '\(name)'")
        }
        return .scalar(column: column, type: property.type, isOptional: property.isOptional)
      }
    }
  }

  /// A value for every column of the table.
  ///
  /// - Throws: `Refusal`, naming the column, what was found and what was expected.
  func row(_ record: CSVRecord) throws(Refusal) -> [Value] {
    var row = empty
    var longitude: Double?
    var latitude: Double?
    for (index, step) in steps.enumerated() {
      let isNull = record.withField(index) { $0.elementsEqual(nullText) }
      switch step {
      case .scalar(let column, let type, let isOptional):
        if isNull {
          row[column] = try nullValue(type, isOptional: isOptional, index)
        } else {
          row[column] = try value(record, index, type)
        }
      case .longitude: longitude = isNull ? nil : try degrees(record, index, "longitude", 180)
      case .latitude: latitude = isNull ? nil : try degrees(record, index, "latitude", 90)
      case .wkt:
        guard !isNull else { continue }
        let point = try point(record, index)
        (longitude, latitude) = (point.longitude, point.latitude)
      }
    }
    try setPlace(longitude, latitude, &row)
    return row
  }

  private func setPlace(
    _ longitude: Double?, _ latitude: Double?, _ row: inout [Value]
  ) throws(Refusal) {
    guard let place, let point = place.point else { return }
    switch (longitude, latitude) {
    case (let longitude?, let latitude?):
      row[place.presence] = .int(1)
      row[point.longitude] = .double(longitude)
      row[point.latitude] = .double(latitude)
    case (nil, nil): break
    case (nil, _): throw Refusal(reason: "there is a latitude and no longitude")
    case (_, nil): throw Refusal(reason: "there is a longitude and no latitude")
    }
  }

  // MARK: Fields

  private func nullValue(
    _ type: PropertyType, isOptional: Bool, _ index: Int
  ) throws(Refusal) -> Value {
    if isOptional { return .null }
    // An empty text is a text, where null is not allowed.
    if type == .string, nullText.isEmpty { return .string("") }
    throw Refusal(
      reason: "column '\(header[index])' is empty; expected a \(type), which is required")
  }

  private func value(
    _ record: CSVRecord, _ index: Int, _ type: PropertyType
  ) throws(Refusal) -> Value {
    let value: Value? = record.withField(index) { bytes in
      switch type {
      case .string: .string(String(decoding: bytes, as: UTF8.self))
      case .int: FieldParsing.int64(bytes).map(Value.int)
      case .double: FieldParsing.double(bytes).map(Value.double)
      case .float: FieldParsing.double(bytes).map { .float(Float($0)) }
      case .bool: FieldParsing.bool(bytes).map(Value.bool)
      case .UUID: FieldParsing.uuid(bytes).map(Value.uuid)
      case .date:
        FieldParsing.date(bytes).map {
          .date(Timestamp(seconds: $0.seconds, nanoseconds: Int64($0.nanoseconds)))
        }
      case .objectId:
        Hexadecimal.bytes(String(decoding: bytes, as: UTF8.self)).flatMap {
          $0.count == 12 ? .objectId(ObjectId(bytes: $0)) : nil
        }
      case .decimal128:
        Decimal128(parsing: String(decoding: bytes, as: UTF8.self)).map(Value.decimal)
      case .data, .object, .linkingObjects, .any: nil
      }
    }
    guard let value else {
      throw Refusal(
        reason: "column '\(header[index])': expected a \(type), found '\(shown(record, index))'")
    }
    return value
  }

  private func degrees(
    _ record: CSVRecord, _ index: Int, _ name: String, _ limit: Double
  ) throws(Refusal) -> Double {
    guard let degrees = record.withField(index, FieldParsing.double) else {
      throw Refusal(
        reason: "column '\(header[index])': expected a \(name) in degrees, found "
          + "'\(shown(record, index))'")
    }
    guard abs(degrees) <= limit else {
      throw Refusal(
        reason: "column '\(header[index])': \(name) \(shown(record, index)) is not within "
          + "-\(Int(limit))…\(Int(limit)) degrees")
    }
    return degrees
  }

  private func point(_ record: CSVRecord, _ index: Int) throws(Refusal) -> GeoPoint {
    do throws(GeometryTextError) {
      return try GeoPoint(wkt: record.text(index))
    } catch {
      throw Refusal(reason: "column '\(header[index])': \(printable("\(error)"))")
    }
  }

  private func shown(_ record: CSVRecord, _ index: Int) -> String {
    printable(record.text(index).prefix(60))
  }
}
