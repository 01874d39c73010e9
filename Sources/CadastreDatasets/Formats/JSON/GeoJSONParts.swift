import CadastreFormatting
import CadastreGeometry
import CadastreModel

/// The geometry and the fields of a record: of a Feature, a bare geometry, or another JSON object.
struct GeoJSONParts {
  private enum Kind { case feature, geometry, collection, other }

  /// The geometry types of RFC 7946, section 1.4.
  static let geometryNames = [
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon",
    "GeometryCollection",
  ]

  /// The standard members of a Feature.
  private static let reserved: [StaticString] = ["type", "geometry", "properties", "bbox"]

  private let kind: Kind
  /// The node of the geometry; nil if it is missing or null.
  let geometry: Int?
  /// Whether the record has a member for its geometry, which may be null.
  let namesGeometry: Bool
  private let properties: Int?
  /// The value of the member with the geometry of an object that is neither a Feature nor a geometry; nil if it has none.
  private let geometryMember: Int?

  init(_ record: JSONRecord) {
    let root = JSONRecord.root
    let type = Self.type(of: root, record)
    if type == "Feature" {
      kind = .feature
      properties = record.member("properties", of: root)
      let member = record.member("geometry", of: root)
      namesGeometry = member != nil
      geometry = member.flatMap { record[$0].kind == .null ? nil : $0 }
      geometryMember = nil
    } else if Self.isGeometry(root, record, type) {
      (kind, properties, geometry, namesGeometry) = (.geometry, nil, root, true)
      geometryMember = nil
    } else {
      let isCollection = type == "FeatureCollection" && record.member("features", of: root) != nil
      (kind, properties) = (isCollection ? .collection : .other, nil)
      geometryMember = isCollection ? nil : Self.geometryMember(of: record)
      geometry = geometryMember.flatMap { record[$0].kind == .null ? nil : $0 }
      namesGeometry = geometryMember != nil
    }
  }

  /// Returns the value of a member `geometry` or `geom` that is a GeoJSON geometry, or of a member `geometry` that is null.
  private static func geometryMember(of record: JSONRecord) -> Int? {
    for name in ["geometry", "geom"] {
      guard let node = record.member(name, of: JSONRecord.root) else { continue }
      if record[node].kind == .null, name == "geometry" { return node }
      if record[node].kind == .object, isGeometry(node, record, type(of: node, record)) {
        return node
      }
    }
    return nil
  }

  /// Returns the text of the member `type` of an object; nil if it has none.
  private static func type(of object: Int, _ record: JSONRecord) -> String? {
    record.member("type", of: object).flatMap { node in
      record[node].kind == .string ? record.text(node) : nil
    }
  }

  /// Returns whether an object with a type is a geometry, which has coordinates or geometries.
  private static func isGeometry(_ object: Int, _ record: JSONRecord, _ type: String?) -> Bool {
    guard let type, geometryNames.contains(type) else { return false }
    return record.member(
      type == "GeometryCollection" ? "geometries" : "coordinates", of: object) != nil
  }

  /// Whether the record is a FeatureCollection, which cannot become an object.
  var isCollection: Bool { kind == .collection }

  /// Whether the record has a geometry in addition to its fields; the geometry may be null.
  var isGeographic: Bool { kind == .feature || kind == .geometry || geometryMember != nil }

  /// Calls a closure with each field of the record.
  ///
  /// The fields of a Feature are its properties, and foreign members with other names. The fields
  /// of other objects are all members but the geometry.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - body: The closure; it receives the nodes of name and value.
  /// - Throws: The error of the closure.
  func forEachField<Failure: Error>(
    of record: JSONRecord, _ body: (_ name: Int, _ value: Int) throws(Failure) -> Void
  ) throws(Failure) {
    switch kind {
    case .geometry, .collection: return
    case .other:
      for member in record.members(of: JSONRecord.root) where member.value != geometryMember {
        try body(member.name, member.value)
      }
    case .feature:
      if let properties {
        for member in record.members(of: properties) { try body(member.name, member.value) }
      }
      for member in record.members(of: JSONRecord.root) where isForeign(member.name, record) {
        try body(member.name, member.value)
      }
    }
  }

  private func isForeign(_ name: Int, _ record: JSONRecord) -> Bool {
    let isReserved = record.withText(name) { text in
      Self.reserved.contains { name in
        ByteSearch.areEqual(
          text, UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
      }
    }
    guard !isReserved else { return false }
    guard let properties else { return true }
    return record.member(record.text(name), of: properties) == nil
  }
}

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
  ///   - conversion: The conversion of the coordinates and the treatment of open rings.
  /// - Returns: The geometry.
  /// - Throws: ``Rejection`` with what was found and what was expected.
  static func geometry(
    _ record: JSONRecord, _ node: Int, _ conversion: GeometryConversion = GeometryConversion()
  ) throws(Rejection) -> Geometry {
    guard record[node].kind == .object else {
      throw rejection("expected a geometry, found \(record[node].kind.description)")
    }
    guard let type = record.member("type", of: node) else {
      throw rejection("expected a geometry, found an object without a type")
    }
    let name = record.text(type)
    guard let kind = Geometry.Kind(rawValue: name) else {
      throw rejection("expected a geometry, found '\(printable(name.prefix(40)))'")
    }
    let member = kind == .collection ? "geometries" : "coordinates"
    guard let content = record.member(member, of: node), record[content].kind == .array else {
      throw rejection("expected \(member), found none")
    }
    let shape: Geometry.Shape =
      switch kind {
      case .point:
        .point(isEmpty(record, content) ? nil : try position(record, content, conversion))
      case .lineString: .lineString(try positions(record, content, conversion))
      case .multiPoint: .multiPoint(try positions(record, content, conversion))
      case .polygon: .polygon(try lines(record, content, conversion))
      case .multiLineString: .multiLineString(try lines(record, content, conversion))
      case .multiPolygon:
        .multiPolygon(
          try list(record, content) { (node) throws(Rejection) in
            try lines(record, node, conversion)
          })
      // The reader bounds the depth of records.
      case .collection:
        .collection(
          try list(record, content) { (node) throws(Rejection) in
            try geometry(record, node, conversion)
          })
      }
    do throws(GeometryError) {
      return try Geometry(shape, conversion)
    } catch {
      throw rejection(error.description)
    }
  }

  private static func isEmpty(_ record: JSONRecord, _ node: Int) -> Bool {
    var elements = record.elements(of: node).makeIterator()
    return elements.next() == nil
  }

  private static func lines(
    _ record: JSONRecord, _ node: Int, _ conversion: GeometryConversion
  ) throws(Rejection) -> [[GeoPosition]] {
    try list(record, node) { (node) throws(Rejection) in try positions(record, node, conversion) }
  }

  private static func positions(
    _ record: JSONRecord, _ node: Int, _ conversion: GeometryConversion
  ) throws(Rejection) -> [GeoPosition] {
    try list(record, node) { (node) throws(Rejection) in try position(record, node, conversion) }
  }

  private static func position(
    _ record: JSONRecord, _ node: Int, _ conversion: GeometryConversion
  ) throws(Rejection) -> GeoPosition {
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
      let position = GeoPosition(
        numbers[0], numbers[1],
        altitude: numbers.count > 2 && numbers[2].isFinite ? numbers[2] : nil, conversion)
    else {
      let isLongitude = numbers.count >= 2 && abs(numbers[0]) <= 360 && abs(numbers[1]) <= 90
      throw rejection(
        "expected a longitude from -180 to 180 and a latitude from -90 to 90, found "
          + "\(numbers.prefix(3).map { "\($0)" }.joined(separator: ", "))"
          + (isLongitude
            ? " (--wrap takes it)"
            : numbers.count >= 2 ? " (--no-geometry leaves geometries out)" : ""))
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
  /// - Throws: ``Rejection`` if the object is not a point or a coordinate is out of range.
  static func coordinates(
    _ record: JSONRecord, _ object: Int, _ field: String, isGeometry: Bool = false
  ) throws(Rejection) -> (longitude: Double, latitude: Double, altitude: Double?)? {
    guard let type = record.member("type", of: object), record[type].kind == .string else {
      throw Rejection(field, "expected a Point, found no type")
    }
    guard record.withText(type, { FieldParsing.matches($0, "point") }) else {
      throw Rejection(
        field, "expected a Point, found a \(printable(record.text(type).prefix(40)))"
      )
    }
    guard let list = record.member("coordinates", of: object), record[list].kind == .array else {
      throw Rejection(field, "expected coordinates, found none")
    }
    var numbers: [Double] = []
    for element in record.elements(of: list) {
      guard record[element].kind.isNumber,
        let number = record.withText(element, FieldParsing.double)
      else {
        throw Rejection(
          field,
          "expected longitude and latitude in degrees, found "
            + "'\(printable(record.text(element).prefix(40)))'")
      }
      numbers.append(number)
    }
    if numbers.isEmpty { return nil }
    guard numbers.count >= 2 else {
      throw Rejection(field, "there is a longitude but no latitude")
    }
    if isGeometry {
      guard let (longitude, latitude) = record.degrees(numbers[0], numbers[1]) else {
        throw Rejection(
          field,
          "the coordinates \(numbers[0]), \(numbers[1]) have no "
            + "counterpart in WGS 84")
      }
      numbers.replaceSubrange(0..<2, with: [longitude, latitude])
    }
    for (axis, degrees) in [(Axis.longitude, numbers[0]), (.latitude, numbers[1])] {
      if let error = axis.error(degrees, quoted: "\(degrees)") {
        throw Rejection(field, "\(error)")
      }
    }
    return (
      CoordinateRange.snapped(numbers[0], to: 180), CoordinateRange.snapped(numbers[1], to: 90),
      numbers.count > 2 ? numbers[2] : nil
    )
  }
}

/// The reference system in the `crs` member of a GeoJSON object.
///
/// Source: the GeoJSON format specification of 2008, section 3; RFC 7946 allows only WGS 84.
enum GeoJSONSystem {
  /// The types whose member `crs` is a reference system.
  private static let types = Set(GeoJSONParts.geometryNames + ["Feature", "FeatureCollection"])

  /// Returns the name of a system other than WGS 84 in a record or its geometry; nil if there is none.
  static func foreignName(in record: JSONRecord) -> String? {
    foreignName(ofGeoJSON: JSONRecord.root, record)
      ?? record.member("geometry", of: JSONRecord.root).flatMap {
        foreignName(ofGeoJSON: $0, record)
      }
  }

  private static func foreignName(ofGeoJSON node: Int, _ record: JSONRecord) -> String? {
    guard let crs = record.member("crs", of: node), let type = record.member("type", of: node),
      record[type].kind == .string, types.contains(record.text(type))
    else { return nil }
    return foreignName(ofSystem: crs, record)
  }

  /// Returns the name of the system in a `crs` member; nil for WGS 84.
  static func foreignName(ofSystem crs: Int, _ record: JSONRecord) -> String? {
    if record[crs].kind == .null { return nil }
    guard let properties = record.member("properties", of: crs) else { return "an unnamed system" }
    // Before 2008, `crs` was an EPSG code.
    if let code = record.member("code", of: properties) {
      let name = "EPSG:\(record.text(code))"
      return isWGS84(name) ? nil : name
    }
    if let name = record.member("name", of: properties), record[name].kind == .string {
      return isWGS84(record.text(name)) ? nil : record.text(name)
    }
    guard let link = record.member("href", of: properties), record[link].kind == .string else {
      return "an unnamed system"
    }
    // Links of the register of EPSG and of spatialreference.org have the code in their path.
    let address = record.text(link)
    guard let match = address.firstMatch(of: /epsg[\/:.](?:\d[\d.]*\/)?(\d{4,6})\b/.ignoresCase())
    else { return address }
    let name = "EPSG:\(match.1)"
    return isWGS84(name) ? nil : name
  }

  /// Returns whether a name means longitude and latitude in WGS 84.
  ///
  /// EPSG:4326 defines latitude as the first axis, but GeoJSON files with that name have longitude
  /// first.
  static func isWGS84(_ name: String) -> Bool {
    let words = name.lowercased().split { ":/#.".contains($0) }
    switch words.last {
    case "crs84", "crs84h": return words.contains("ogc")
    case "4326": return words.contains("epsg")
    default: return false
    }
  }
}
