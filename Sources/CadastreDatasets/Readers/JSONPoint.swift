import CadastreFormatting
import CadastreModel

/// Points as GeoJSON writes them: `{"type": "Point", "coordinates": [longitude, latitude]}`.
enum JSONPoint {
  /// Whether an object has the shape of a point, wherever it lies.
  static func isPoint(_ record: JSONRecord, _ object: Int) -> Bool {
    guard let type = record.member("type", of: object), record[type].kind == .string,
      record.withText(type, { FieldParsing.matches($0, "point") }),
      let coordinates = record.member("coordinates", of: object)
    else { return false }
    return record[coordinates].kind == .array
      && record.elements(of: coordinates).allSatisfy { isNumber(record, $0) }
  }

  private static func isNumber(_ record: JSONRecord, _ node: Int) -> Bool {
    record[node].kind == .integer || record[node].kind == .number
  }

  /// Longitude and latitude in degrees, and what else there is; nil for an empty point.
  ///
  /// - Throws: `Refusal`.
  static func coordinates(
    _ record: JSONRecord, _ object: Int, _ field: String
  ) throws(Refusal) -> (longitude: Double, latitude: Double, altitude: Double?)? {
    guard let type = record.member("type", of: object), record[type].kind == .string else {
      throw Refusal(field: field, reason: "'\(printable(field))': expected a Point, found no type")
    }
    guard record.withText(type, { FieldParsing.matches($0, "point") }) else {
      throw Refusal(
        field: field,
        reason:
          "'\(printable(field))': expected a Point, found a \(printable(record.text(type).prefix(40)))"
      )
    }
    guard let list = record.member("coordinates", of: object), record[list].kind == .array else {
      throw Refusal(field: field, reason: "'\(printable(field))': expected coordinates, found none")
    }
    var numbers: [Double] = []
    for element in record.elements(of: list) {
      guard isNumber(record, element), let number = record.withText(element, FieldParsing.double)
      else {
        throw Refusal(
          field: field,
          reason: "'\(printable(field))': expected longitude and latitude in degrees, found "
            + "'\(printable(record.text(element).prefix(40)))'")
      }
      numbers.append(number)
    }
    if numbers.isEmpty { return nil }
    guard numbers.count >= 2 else {
      throw Refusal(
        field: field, reason: "'\(printable(field))': there is a longitude and no latitude")
    }
    for (axis, degrees) in [(Axis.longitude, numbers[0]), (.latitude, numbers[1])] {
      if let fault = axis.fault(degrees, shown: "\(degrees)") {
        throw Refusal(field: field, reason: "'\(printable(field))': \(fault)")
      }
    }
    return (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : nil)
  }
}
