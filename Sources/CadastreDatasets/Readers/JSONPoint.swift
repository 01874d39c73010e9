import CadastreFormatting
import CadastreModel

/// GeoJSON points: `{"type": "Point", "coordinates": [longitude, latitude]}`.
enum JSONPoint {
  /// Returns whether an object has the members of a point; its coordinates may be out of range.
  static func isPoint(_ record: JSONRecord, _ object: Int) -> Bool {
    guard let type = record.member("type", of: object), record[type].kind == .string,
      record.withText(type, { FieldParsing.matches($0, "point") }),
      let coordinates = record.member("coordinates", of: object)
    else { return false }
    return record[coordinates].kind == .array
      && record.elements(of: coordinates).allSatisfy { record[$0].kind.isNumber }
  }

  /// Returns longitude and latitude in degrees and the altitude in metres.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - object: The node of the point.
  ///   - field: The name of the field, for messages.
  ///   - isGeometry: Whether the point is the geometry, whose coordinates may be converted.
  /// - Returns: Nil for an empty point.
  /// - Throws: ``Rejection`` if the object is no point or a coordinate is out of range.
  static func coordinates(
    _ record: JSONRecord, _ object: Int, _ field: String, isGeometry: Bool = false
  ) throws(Rejection) -> (longitude: Double, latitude: Double, altitude: Double?)? {
    guard let type = record.member("type", of: object), record[type].kind == .string else {
      throw Rejection(
        field: field, reason: "'\(printable(field))': expected a Point, found no type")
    }
    guard record.withText(type, { FieldParsing.matches($0, "point") }) else {
      throw Rejection(
        field: field,
        reason:
          "'\(printable(field))': expected a Point, found a \(printable(record.text(type).prefix(40)))"
      )
    }
    guard let list = record.member("coordinates", of: object), record[list].kind == .array else {
      throw Rejection(
        field: field, reason: "'\(printable(field))': expected coordinates, found none")
    }
    var numbers: [Double] = []
    for element in record.elements(of: list) {
      guard record[element].kind.isNumber,
        let number = record.withText(element, FieldParsing.double)
      else {
        throw Rejection(
          field: field,
          reason: "'\(printable(field))': expected longitude and latitude in degrees, found "
            + "'\(printable(record.text(element).prefix(40)))'")
      }
      numbers.append(number)
    }
    if numbers.isEmpty { return nil }
    guard numbers.count >= 2 else {
      throw Rejection(
        field: field, reason: "'\(printable(field))': there is a longitude but no latitude")
    }
    if isGeometry {
      guard let (longitude, latitude) = record.degrees(numbers[0], numbers[1]) else {
        throw Rejection(
          field: field,
          reason: "'\(printable(field))': the coordinates \(numbers[0]), \(numbers[1]) have no "
            + "counterpart in WGS 84")
      }
      numbers.replaceSubrange(0..<2, with: [longitude, latitude])
    }
    for (axis, degrees) in [(Axis.longitude, numbers[0]), (.latitude, numbers[1])] {
      if let error = axis.error(degrees, quoted: "\(degrees)") {
        throw Rejection(field: field, reason: "'\(printable(field))': \(error)")
      }
    }
    return (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : nil)
  }
}
