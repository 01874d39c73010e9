import CadastreGeometry
import CadastreModel
import Foundation

/// Conversion of text to values.
enum TextValue {
  /// Parses a text as a type; nil if it is no value of the type.
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
