// GeoJSON: geometries of all types, also inside a Feature or a collection.
//
// Source: RFC 7946. Unknown members and numbers after the third of a position are ignored.

extension TextReader {
  /// Reads a text to its end; returns the geometry and the reader, which makes errors.
  static func readGeoJSON(
    _ bytes: some Sequence<UInt8>
  ) throws(GeometryTextError) -> (Geometry, TextReader) {
    var reader = TextReader(bytes)
    let value = try reader.json()
    try reader.requireEnd()
    return (try reader.geometry(value), reader)
  }

  /// Reads the members of a GeoJSON object that another parser has read.
  ///
  /// - Parameters:
  ///   - members: The members, with arrays, dictionaries, strings and numbers as values.
  ///   - number: Returns a number as a floating-point number; nil for other values.
  /// - Returns: The geometry.
  /// - Throws: ``GeometryTextError`` if the members do not form a geometry.
  static func readGeoJSON(
    _ members: [String: Any], _ number: (Any) -> Double?
  ) throws(GeometryTextError) -> Geometry {
    let reader = TextReader([UInt8]())
    return try reader.geometry(reader.json(members, depth: 0, number))
  }

  /// Returns an object of another parser as a tree, in which all offsets are 0.
  private func json(
    _ value: Any, depth: Int, _ number: (Any) -> Double?
  ) throws(GeometryTextError) -> GeoJSONTree {
    guard depth < GeoJSONTree.maximumDepth else {
      throw error(expected: "at most \(GeoJSONTree.maximumDepth) levels of nesting")
    }
    let content: GeoJSONTree.Content
    switch value {
    case let text as String: content = .string(text)
    case let values as [Any]:
      var elements: [GeoJSONTree] = []
      elements.reserveCapacity(values.count)
      for value in values { elements.append(try json(value, depth: depth + 1, number)) }
      content = .array(elements)
    case let values as [String: Any]:
      var members: [String: GeoJSONTree] = [:]
      for (name, value) in values { members[name] = try json(value, depth: depth + 1, number) }
      content = .object(members)
    default: content = number(value).map(GeoJSONTree.Content.number) ?? .null
    }
    return GeoJSONTree(offset: 0, content: content)
  }

  /// Returns the geometry of a GeoJSON object; `json` has bounded the depth of the recursion.
  private func geometry(_ value: GeoJSONTree) throws(GeometryTextError) -> Geometry {
    let members = try members(value)
    let type = try member("type", of: members, value)
    switch type.content {
    case .string("Feature"):
      let content = try member("geometry", of: members, value)
      // A feature may have no geometry.
      if case .null = content.content { return Geometry() }
      return try geometry(content)
    case .string("FeatureCollection"):
      let features = try elements(try member("features", of: members, value)).filter {
        guard case .object(let members) = $0.content, case .null? = members["geometry"]?.content
        else { return true }
        return false
      }
      if features.count == 1 { return try geometry(features[0]) }
      return try collection(features, from: value.offset)
    case .string("GeometryCollection"):
      let geometries = try elements(try member("geometries", of: members, value))
      return try collection(geometries, from: value.offset)
    case .string(let name):
      guard let kind = Geometry.Kind(rawValue: name) else { break }
      let coordinates = try member("coordinates", of: members, value)
      return try geometry(try shape(kind, coordinates), from: coordinates.offset)
    default: break
    }
    throw error(
      expected: "the type of a geometry, \"Feature\" or \"FeatureCollection\"", at: type.offset)
  }

  private func collection(
    _ values: [GeoJSONTree], from start: Int
  ) throws(GeometryTextError) -> Geometry {
    var parts: [Geometry] = []
    for value in values { parts.append(try geometry(value)) }
    return try geometry(.collection(parts), from: start)
  }

  private func shape(
    _ kind: Geometry.Kind, _ value: GeoJSONTree
  ) throws(GeometryTextError) -> Geometry.Shape {
    switch kind {
    case .point: .point(try elements(value).isEmpty ? nil : try position(value))
    case .lineString: .lineString(try positions(value))
    case .multiPoint: .multiPoint(try positions(value))
    case .polygon: .polygon(try lines(value))
    case .multiLineString: .multiLineString(try lines(value))
    case .multiPolygon:
      .multiPolygon(
        try list(value) { (value) throws(GeometryTextError) in try lines(value) })
    case .collection: .collection([])
    }
  }

  private func lines(_ value: GeoJSONTree) throws(GeometryTextError) -> [[GeoPosition]] {
    try list(value) { (value) throws(GeometryTextError) in try positions(value) }
  }

  private func positions(_ value: GeoJSONTree) throws(GeometryTextError) -> [GeoPosition] {
    try list(value) { (value) throws(GeometryTextError) in try position(value) }
  }

  private func position(_ value: GeoJSONTree) throws(GeometryTextError) -> GeoPosition {
    let numbers = try list(value) { (element) throws(GeometryTextError) in
      guard case .number(let number) = element.content else {
        throw error(expected: "a number", at: element.offset)
      }
      return number
    }
    return try position(numbers, from: value.offset)
  }

  private func list<Element>(
    _ value: GeoJSONTree, _ read: (GeoJSONTree) throws(GeometryTextError) -> Element
  ) throws(GeometryTextError) -> [Element] {
    let values = try elements(value)
    var elements: [Element] = []
    elements.reserveCapacity(values.count)
    for value in values { elements.append(try read(value)) }
    return elements
  }

  private func elements(_ value: GeoJSONTree) throws(GeometryTextError) -> [GeoJSONTree] {
    guard case .array(let elements) = value.content else {
      throw error(expected: "an array", at: value.offset)
    }
    return elements
  }

  private func members(_ value: GeoJSONTree) throws(GeometryTextError) -> [String: GeoJSONTree] {
    guard case .object(let members) = value.content else {
      throw error(expected: "an object", at: value.offset)
    }
    return members
  }

  private func member(
    _ name: String, of members: [String: GeoJSONTree], _ value: GeoJSONTree
  ) throws(GeometryTextError) -> GeoJSONTree {
    guard let member = members[name] else {
      throw error(expected: "an object with the member \"\(name)\"", at: value.offset)
    }
    return member
  }
}
