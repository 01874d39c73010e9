import CadastreFormatting
import CadastreGeometry

/// Conversion of GeoJSON geometries of records.
enum JSONGeometry {
  /// Returns whether an object has the type of a geometry other than a point.
  ///
  /// A point with damaged coordinates is no reason to store the points of a file as geometries.
  static func isShape(_ record: JSONRecord, _ node: Int) -> Bool {
    let kind = record.member("type", of: node).flatMap { Geometry.Kind(rawValue: record.text($0)) }
    return kind != nil && kind != .point
  }

  /// Returns the geometry of a GeoJSON object.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - node: The node of the object.
  /// - Returns: The geometry.
  /// - Throws: ``Rejection`` with what was found and what was expected.
  static func geometry(_ record: JSONRecord, _ node: Int) throws(Rejection) -> Geometry {
    let name = record.member("type", of: node).map { record.text($0) } ?? "no type"
    guard let kind = Geometry.Kind(rawValue: name) else {
      throw rejection("expected a geometry, found '\(printable(name.prefix(40)))'")
    }
    let member = kind == .collection ? "geometries" : "coordinates"
    guard let content = record.member(member, of: node), record[content].kind == .array else {
      throw rejection("expected \(member), found none")
    }
    let shape: Geometry.Shape =
      switch kind {
      case .point: .point(isEmpty(record, content) ? nil : try position(record, content))
      case .lineString: .lineString(try positions(record, content))
      case .multiPoint: .multiPoint(try positions(record, content))
      case .polygon: .polygon(try lines(record, content))
      case .multiLineString: .multiLineString(try lines(record, content))
      case .multiPolygon:
        .multiPolygon(
          try list(record, content) { (node) throws(Rejection) in try lines(record, node) })
      // The reader bounds the depth of records.
      case .collection:
        .collection(
          try list(record, content) { (node) throws(Rejection) in try geometry(record, node) })
      }
    do throws(GeometryError) {
      return try Geometry(shape)
    } catch {
      throw rejection(error.description)
    }
  }

  private static func isEmpty(_ record: JSONRecord, _ node: Int) -> Bool {
    var elements = record.elements(of: node).makeIterator()
    return elements.next() == nil
  }

  private static func lines(
    _ record: JSONRecord, _ node: Int
  ) throws(Rejection) -> [[GeoPosition]] {
    try list(record, node) { (node) throws(Rejection) in try positions(record, node) }
  }

  private static func positions(
    _ record: JSONRecord, _ node: Int
  ) throws(Rejection) -> [GeoPosition] {
    try list(record, node) { (node) throws(Rejection) in try position(record, node) }
  }

  private static func position(_ record: JSONRecord, _ node: Int) throws(Rejection) -> GeoPosition {
    let numbers = try list(record, node) { (node) throws(Rejection) in
      guard record[node].kind.isNumber, let number = record.withText(node, FieldParsing.double)
      else {
        throw rejection(
          "expected longitude and latitude in degrees, found "
            + "'\(printable(record.text(node).prefix(40)))'")
      }
      return number
    }
    guard numbers.count >= 2,
      let (longitude, latitude) = record.degrees(numbers[0], numbers[1]),
      let position = GeoPosition(
        longitude: longitude, latitude: latitude,
        altitude: numbers.count > 2 && numbers[2].isFinite ? numbers[2] : nil)
    else {
      throw rejection(
        "expected a longitude from -180 to 180 and a latitude from -90 to 90, found "
          + "\(numbers.prefix(3).map { "\($0)" }.joined(separator: ", "))")
    }
    return position
  }

  private static func list<Element>(
    _ record: JSONRecord, _ node: Int, _ read: (Int) throws(Rejection) -> Element
  ) throws(Rejection) -> [Element] {
    guard record[node].kind == .array else {
      throw rejection("expected an array, found '\(printable(record.text(node).prefix(40)))'")
    }
    var elements: [Element] = []
    for element in record.elements(of: node) { elements.append(try read(element)) }
    return elements
  }

  private static func rejection(_ reason: String) -> Rejection {
    Rejection(field: ImportedClass.geometryName, reason: "'geometry': \(reason)")
  }
}
