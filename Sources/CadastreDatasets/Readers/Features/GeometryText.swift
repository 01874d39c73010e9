/// A geometry as the text of GeoJSON, which is built from the texts of its coordinates.
struct GeometryText {
  /// The name of the type in GeoJSON.
  let type: String
  /// The value of its member `coordinates` or `geometries`.
  let content: OutputText

  /// The geometry as GeoJSON.
  var json: OutputText {
    var text = OutputText()
    text.append("{\"type\":\"\(type)\",\"")
    text.append(type == "GeometryCollection" ? "geometries" : "coordinates")
    text.append("\":")
    text.append(content.bytes)
    text.append("}")
    return text
  }

  /// Creates a geometry of a type with its coordinates.
  init(_ type: String, _ content: OutputText) {
    self.type = type
    self.content = content
  }

  /// Creates a geometry with several parts: of one type if all parts are simple and of one type.
  init(parts: [GeometryText]) {
    let simple = ["Point", "LineString", "Polygon"]
    if let first = parts.first?.type, simple.contains(first),
      parts.allSatisfy({ $0.type == first })
    {
      self.init("Multi\(first)", Self.list(parts.map(\.content)))
    } else {
      self.init("GeometryCollection", Self.list(parts.map(\.json)))
    }
  }

  /// Returns texts as an array of JSON.
  static func list(_ elements: some Sequence<OutputText>) -> OutputText {
    var text = OutputText()
    text.appendList(elements, ("[", "]")) { $0.append($1.bytes) }
    return text
  }

  /// Returns the texts of coordinates as a position.
  ///
  /// - Parameter coordinates: Longitude, latitude and, optionally, the altitude.
  /// - Returns: The position as JSON.
  /// - Throws: ``XMLProblem`` if there are too few or too many coordinates, or one is no number.
  static func position(_ coordinates: [String]) throws(XMLProblem) -> OutputText {
    var text = OutputText()
    guard (2...3).contains(coordinates.count) else {
      throw .geometry(
        detail: "found \(coordinates.count) coordinates; expected longitude and latitude, and "
          + "optionally the altitude")
    }
    text.append("[")
    for (index, coordinate) in coordinates.enumerated() {
      guard let number = FeatureContent.number(coordinate) else {
        throw .geometry(
          detail: "found the coordinate '\(coordinate.prefix(40))'; expected a number")
      }
      if index > 0 { text.append(",") }
      text.append(number)
    }
    text.append("]")
    return text
  }
}
