import CadastreFormatting
import CadastreGeometry
import CadastreModel
import CadastreStore
import Foundation

/// A converter of rows of text fields to rows.
// A class, because closures would copy the properties of a structure for each field.
final class TextRowConverter: RecordConverter {
  /// A property with single values.
  private struct Slot {
    let column: Int
    let type: PropertyType
    let isOptional: Bool
  }

  let properties: [Int]
  private let steps: [FieldStep]
  /// The properties that fields have; nil for other properties, whose fields are all null.
  private let slots: [Slot?]
  private let header: [String]
  private let columns: [Int]
  private let geometryColumns: GeometryColumns?
  private let invalidShapes: InvalidShapes
  private let text: TextFields
  private let transformation: CoordinateTransformation?
  /// The conversion of geometries in text or binary form.
  private let geometryConversion: GeometryConversion
  /// Whether longitude and latitude, or other coordinates, are separate columns.
  private let hasCoordinateColumns: Bool
  private let empty: ImportRow

  /// Creates a converter.
  ///
  /// - Parameters:
  ///   - target: The table.
  ///   - header: The names of the columns.
  ///   - columns: The indexes of the columns that are converted, in the order of the fields.
  ///   - text: The interpretation of fields.
  /// - Throws: ``ImportError`` if PROJ does not know the reference system of the caller.
  init(
    _ target: RowTarget, header: [String], columns: [Int], text: TextFields
  ) throws(ImportError) {
    let transformation = try target.fieldTransformation
    self.transformation = transformation
    geometryConversion = target.conversion.geometries(transformation)
    self.header = header
    self.columns = columns
    self.text = text
    geometryColumns = target.geometryColumns
    invalidShapes = target.imported.invalidShapes
    let (steps, indexes) = target.steps
    let slots = indexes.map { index -> Slot? in
      guard case .scalar(let column) = target.layout.fields[index] else { return nil }
      let property = target.layout.schema.properties[index]
      return Slot(column: column, type: property.type, isOptional: property.isOptional)
    }
    self.slots = slots
    properties = target.filled(by: indexes)
    empty = target.emptyRow(indexes)
    self.steps = steps
    hasCoordinateColumns = steps.contains { if case .degrees = $0 { true } else { false } }
  }

  func row(_ record: CSVRecord) throws(Rejection) -> ImportRow {
    var row = empty
    var degrees = LocationFields()
    for (index, step) in zip(columns, steps) {
      let isNull = record.withField(index, text.isNull)
      switch step {
      case .property(let slot):
        guard let slot = slots[slot] else {
          if isNull { continue }
          throw rejection(index, ": expected an empty field, found '\(quoted(record, index))'")
        }
        row.values[slot.column] =
          if isNull {
            try nullValue(slot.type, isOptional: slot.isOptional, index)
          } else {
            try value(record, index, slot.type)
          }
      case .degrees(let axis):
        degrees[axis] = isNull ? nil : try coordinate(record, index, axis)
      case .wkt:
        guard !isNull else { continue }
        let point = try point(record, index)
        (degrees[.longitude], degrees[.latitude]) = (point.longitude, point.latitude)
      case .ignored: continue
      }
    }
    if let transformation, hasCoordinateColumns { try degrees.convert(transformation) }
    try degrees.write(to: &row, in: geometryColumns)
    return row
  }

  // MARK: Fields

  private func nullValue(
    _ type: PropertyType, isOptional: Bool, _ index: Int
  ) throws(Rejection) -> Value {
    // A mixed property may be null without being optional.
    if isOptional || type == .any { return .null }
    // In a required string property an empty field is an empty string.
    if type == .string, text.nullIsEmpty { return .string("") }
    throw rejection(index, " is empty; expected \(articled(type)), which is required")
  }

  private func value(
    _ record: CSVRecord, _ index: Int, _ type: PropertyType
  ) throws(Rejection) -> Value {
    let value: Value? = record.withField(index) { bytes in
      if type == .string || type == .any { return TextValue.value(bytes, type) }
      if type.isNumeric { return text.withNumber(bytes) { TextValue.value($0, type) } }
      let bytes = bytes.trimmingBlanks()
      return type == .date
        ? text.date(bytes).map(Value.date)
        : type == .geometry
          ? TextValue.geometry(bytes, converting: geometryConversion).map(Value.geometry)
          : TextValue.value(bytes, type)
    }
    if case .geometry(let shape)? = value {
      return .geometry(try invalidShapes.checked(shape, field: header[index]))
    }
    guard let value else {
      if type == .geometry { throw geometryRejection(record, index) }
      let example = type == .date ? " such as 2024-12-20 (--date-format gives another form)" : ""
      throw rejection(
        index, ": expected \(articled(type))\(example), found '\(quoted(record, index))'")
    }
    return value
  }

  /// Returns the rejection of a field that has no valid geometry.
  private func geometryRejection(_ record: CSVRecord, _ index: Int) -> Rejection {
    let way = "; --types '\(header[index])=string' reads the column as text"
    do throws(GeometryTextError) {
      _ = try Geometry(wkt: record.text(index))
    } catch {
      return rejection(index, ": \(error), in '\(quoted(record, index))'\(way)")
    }
    return rejection(index, ": expected a geometry, found '\(quoted(record, index))'\(way)")
  }

  private func coordinate(
    _ record: CSVRecord, _ index: Int, _ axis: Axis
  ) throws(Rejection) -> Double {
    guard transformation != nil else { return try degrees(record, index, axis) }
    guard
      let number = record.withField(index, { text.withNumber($0, FieldParsing.double) })
    else {
      throw rejection(index, ": expected a coordinate, found '\(quoted(record, index))'")
    }
    return number
  }

  private func degrees(
    _ record: CSVRecord, _ index: Int, _ axis: Axis
  ) throws(Rejection) -> Double {
    let degrees =
      record.withField(index) { text.withNumber($0, FieldParsing.double) }
      ?? DegreesText.degrees(record.text(index), axis)
    guard let degrees else {
      let found = record.text(index)
      let hint =
        TextTypeInference.missingWords.contains(found)
        ? "; with --null '\(found)' it is null"
        : found.contains(",") ? "; for decimal commas use --decimal-comma" : ""
      throw rejection(
        index, ": expected a \(axis) in degrees, found '\(quoted(record, index))'\(hint)")
    }
    if let error = axis.error(degrees, quoted: quoted(record, index)) {
      throw rejection(index, ": \(error)")
    }
    return CoordinateRange.snapped(degrees, to: axis.limit)
  }

  private func point(_ record: CSVRecord, _ index: Int) throws(Rejection) -> GeoPoint {
    do throws(GeometryTextError) {
      return try PointText.point(
        record.text(index), converting: transformation == nil ? nil : geometryConversion)
    } catch {
      throw rejection(index, ": \(printable("\(error)"))")
    }
  }

  private func rejection(_ index: Int, _ text: String) -> Rejection {
    Rejection(field: header[index], reason: "column '\(printable(header[index]))'\(text)")
  }

  private func quoted(_ record: CSVRecord, _ index: Int) -> String {
    printable(record.text(index).prefix(60))
  }
}

/// Conversion of text to values.
enum TextValue {
  /// Parses a text as a type; nil if it is not a value of the type.
  static func value(_ bytes: UnsafeBufferPointer<UInt8>, _ type: PropertyType) -> Value? {
    switch type {
    case .string, .any: .string(String(decoding: bytes, as: UTF8.self))
    case .int: FieldParsing.int64(bytes).map(Value.int)
    case .double: FieldParsing.double(bytes).map(Value.double)
    case .float: FieldParsing.double(bytes).map { .float(Float($0)) }
    case .bool: FieldParsing.bool(bytes).map(Value.bool)
    case .UUID: FieldParsing.uuid(bytes).map(Value.uuid)
    case .date: FieldParsing.date(bytes).map(Value.date)
    case .objectId:
      Hexadecimal.bytes(String(decoding: bytes, as: UTF8.self)).flatMap {
        $0.count == 12 ? .objectId(ObjectId(bytes: $0)) : nil
      }
    case .decimal128:
      Decimal128(parsing: String(decoding: bytes, as: UTF8.self)).map(Value.decimal)
    case .data: Data(base64Encoded: Data(bytes)).map(Value.data)
    case .geometry: geometry(bytes, converting: nil).map(Value.geometry)
    case .object, .linkingObjects: nil
    }
  }

  /// Parses well-known text, GeoJSON, or well-known binary in hexadecimal digits, which PostGIS
  /// prints; a conversion applies to all but GeoJSON, which is in WGS 84.
  static func geometry(
    _ bytes: UnsafeBufferPointer<UInt8>, converting conversion: GeometryConversion?
  ) -> Geometry? {
    let text = String(decoding: bytes, as: UTF8.self)
    return switch bytes.first {
    case UInt8(ascii: "{"): try? Geometry(geoJSON: bytes)
    case UInt8(ascii: "0"):
      Hexadecimal.bytes(text).flatMap { bytes in
        bytes.withUnsafeBytes { try? Geometry(wkb: $0, converting: conversion) }
      }
    default: try? Geometry(wkt: text, converting: conversion)
    }
  }
}
