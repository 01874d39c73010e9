import CadastreFormatting
package import CadastreGeometry
import CadastreModel
package import CadastrePredicate
import Foundation

extension PredicateArgument {
  /// Creates an argument from the command line: a JSON literal, a geometry, or `@` and the path of a
  /// geometry.
  ///
  /// GeoJSON and WKT of polygons become a region, and of other types a geometry; any other JSON object, and a point in
  /// GeoJSON, becomes the members of an embedded object, which a relation takes as a geometry. Text that is not JSON becomes a string.
  ///
  /// - Parameter text: A JSON literal, GeoJSON, WKT, or `@PATH` of a file with WKT, WKB or GeoJSON.
  /// - Throws: ``QueryPredicateError`` if the file cannot be read or a value is not supported.
  package init(commandLine text: String) throws(QueryPredicateError) {
    if text.hasPrefix("@") {
      self = try Self.file(String(text.dropFirst()))
    } else if let json = try? JSONSerialization.jsonObject(
      with: Data(text.utf8), options: [.fragmentsAllowed])
    {
      self = Self.isGeometry(json) ? try Self.inline(text) : try Self.argument(json, text)
    } else if text.prefixMatch(
      of: /\s*(?i:multi)?(?i:polygon)\s*(?i:z|m|zm)?\s*\(/)
      != nil
    {
      self = try Self.inline(text)
    } else {
      self = .value(.string(text))
    }
  }

  /// Returns whether JSON is GeoJSON of a geometry, or of features.
  private static func isGeometry(_ json: Any) -> Bool {
    guard let object = json as? [String: Any], let type = object["type"] as? String else {
      return false
    }
    return switch type {
    case "Feature": object["geometry"] != nil
    case "FeatureCollection": object["features"] != nil
    case "GeometryCollection": object["geometries"] != nil
    default: type != "Point" && Geometry.Kind(rawValue: type) != nil && object["coordinates"] != nil
    }
  }

  private static func inline(_ text: String) throws(QueryPredicateError) -> PredicateArgument {
    do throws(GeometryTextError) {
      return try geometry(Data(text.utf8))
    } catch {
      throw QueryPredicateError(.invalidArgument, "--arg, the geometry: \(printable("\(error)"))")
    }
  }

  /// Reads GeoJSON, which begins with a brace, WKB, which begins with a byte of 0 or 1, or WKT.
  private static func geometry(_ data: Data) throws(GeometryTextError) -> PredicateArgument {
    let first = data.first { !UInt8.isBlank($0) }
    do throws(GeometryTextError) {
      // A text begins with neither 0 nor 1.
      if let first = data.first, first <= 1 { return .shape(try GeoShape(wkb: data)) }
      return .shape(
        try first == UInt8(ascii: "{")
          ? GeoShape(geoJSON: data) : GeoShape(wkt: String(decoding: data, as: UTF8.self)))
    } catch let regionError {
      // The error of a polygon says more than that of another type.
      let geometry: Geometry? =
        if let first = data.first, first <= 1 {
          try? Geometry(wkb: data)
        } else if first == UInt8(ascii: "{") {
          try? Geometry(geoJSON: data)
        } else {
          try? Geometry(wkt: String(decoding: data, as: UTF8.self))
        }
      guard let geometry, geometry.region == nil else { throw regionError }
      return .value(.geometry(geometry))
    }
  }

  private static func file(_ path: String) throws(QueryPredicateError) -> PredicateArgument {
    let data = try content(path)
    do throws(GeometryTextError) {
      return try geometry(data)
    } catch {
      throw QueryPredicateError(
        .invalidArgument, "the geometry in '\(path)': \(printable("\(error)"))")
    }
  }

  /// The maximum size of a file with a geometry in bytes; parsing takes about ten times as much memory.
  private static let maximumGeometryBytes = 64 << 20

  private static func content(_ path: String) throws(QueryPredicateError) -> Data {
    let bytes: [UInt8]
    do throws(DatasetError) {
      bytes = try OpenFile(path: path).lookAhead(maximumGeometryBytes + 1)
    } catch {
      throw QueryPredicateError(.invalidArgument, "cannot read the geometry in '\(path)'")
    }
    guard bytes.count <= maximumGeometryBytes else {
      throw QueryPredicateError(
        .invalidArgument,
        "the geometry in '\(path)' has more than \(grouped(maximumGeometryBytes)) bytes; simplify it"
      )
    }
    return Data(bytes)
  }

  private static func argument(
    _ json: Any, _ text: String
  ) throws(QueryPredicateError) -> PredicateArgument {
    if let members = json as? [String: Any] {
      var arguments: [EmbeddedMember] = []
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        arguments.append(EmbeddedMember(name, try argument(member, text)))
      }
      return .members(arguments)
    }
    if let elements = json as? [Any] {
      var arguments: [PredicateArgument] = []
      for element in elements { arguments.append(try argument(element, text)) }
      return PredicateArgument(elements: arguments)
    }
    return .value(try value(json, text))
  }

  private static func value(_ json: Any, _ text: String) throws(QueryPredicateError) -> Value {
    switch json {
    case is NSNull: return .null
    case let string as String: return .string(string)
    case let number as NSNumber:
      // Foundation represents true and false as numbers with another Objective-C type.
      if isBoolean(number) { return .bool(number.boolValue) }
      if let integer = Int64(exactly: number) { return .int(integer) }
      return .double(number.doubleValue)
    default:
      throw QueryPredicateError(.invalidArgument, "expected a value, found '\(text)'")
    }
  }

  private static func isBoolean(_ number: NSNumber) -> Bool {
    String(cString: number.objCType) == "c"
  }
}

extension UInt8 {
  fileprivate static func isBlank(_ byte: UInt8) -> Bool { byte <= UInt8(ascii: " ") }
}

/// A region from options of the command line; it applies to the first point of a class, or to its first
/// geometry, which must have a point in the region.
package enum RegionCondition: Sendable {
  /// A circle: `--within 50km --of 2.35,48.86`.
  case circle(GeoCircle)
  /// A box between meridians and parallels: `--bbox W,S,E,N`.
  case box(BoundingBox)

  /// Returns the condition on the objects of a class.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - schema: The schema of the store.
  /// - Returns: The condition.
  /// - Throws: ``QueryPredicateError`` if the class has neither a point nor a geometry.
  func predicate(
    _ className: String, _ schema: Schema
  ) throws(QueryPredicateError) -> QueryPredicate {
    guard let property = try schema.queriedClass(className).place(in: schema) else {
      throw QueryPredicateError(.invalidQuery, "class '\(className)' has no point and no geometry")
    }
    let path = PropertyPath([property.name])
    let regions: [(shape: GeoShape, edges: EdgeModel)] =
      switch self {
      case .circle(let circle): [(.circle(circle), .spherical)]
      case .box(let box): box.parts.map { (.box($0), .planar) }
      }
    return .any(
      regions.map { region in
        schema.isPoint(property)
          ? .geoWithin(GeoWithin(path, region.shape, edges: region.edges))
          : .relation(
            GeometryRelation(.path(path), .intersects, .region(region.shape), edges: region.edges))
      })
  }
}

extension BoundingBox {
  /// The boxes whose west is not greater than their east: two for a box that crosses ±180°.
  fileprivate var parts: [GeoBox] {
    (west <= east ? [(west, east)] : [(west, 180), (-180, east)]).compactMap {
      GeoBox(
        bottomLeft: (latitude: max(south, -90), longitude: max($0.0, -180)),
        topRight: (latitude: min(north, 90), longitude: min($0.1, 180)))
    }
  }
}

/// The syntax of points on the command line: "LON,LAT" in degrees.
package enum CoordinateText {
  /// Parses a point; nil for invalid text and for degrees out of range.
  package static func point(_ text: String) -> GeoPoint? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map {
      Double(String($0.trimmingBlanks()))
    }
    guard numbers.count == 2, let longitude = numbers[0], let latitude = numbers[1] else {
      return nil
    }
    return GeoPoint(latitude: latitude, longitude: longitude)
  }
}

/// The syntax of sort orders on the command line: "FIELD [asc|desc][[cdn]] [nulls first|last], …".
package enum SortText {
  /// Returns the sort keys of a sort order.
  ///
  /// - Throws: ``QueryPredicateError`` for invalid syntax.
  package static func keys(_ text: String) throws(QueryPredicateError) -> [SortKey] {
    try parts(text).map(\.key)
  }

  /// A criterion of a sort order.
  struct Part {
    /// The field or the calculation.
    var name = ""
    /// Whether the order is ascending.
    var isAscending = true
    /// How texts are compared.
    var collation: Collation = []
    /// The position of null; nil for the default.
    var nulls: NullOrder?

    /// The sort key.
    var key: SortKey {
      SortKey(
        PropertyPath(name), isAscending: isAscending, collation: collation, nulls: nulls)
    }

    /// Reads the direction and the options after a field; nil for other words.
    fileprivate mutating func take(_ word: Substring) -> Bool {
      guard let match = word.wholeMatch(of: /(asc|desc)?(?:\[(\w+)\])?/.ignoresCase()),
        !word.isEmpty
      else { return false }
      if let letters = match.2 {
        guard let collation = Collation(String(letters)) else { return false }
        self.collation = collation
      }
      isAscending = match.1?.lowercased() != "desc"
      return true
    }
  }

  /// Parses a sort order.
  ///
  /// - Parameter text: The sort order.
  /// - Returns: The criteria in their order.
  /// - Throws: ``QueryPredicateError`` for invalid syntax.
  static func parts(_ text: String) throws(QueryPredicateError) -> [Part] {
    var parts: [Part] = []
    for text in ListText.parts(text) {
      // A blank of a name is written as `\ `, or the name is in quotes.
      var words = quotedWords(text)
      var part = Part()
      if words.count > 2, words[words.count - 2].lowercased() == "nulls",
        let nulls = NullOrder(rawValue: words[words.count - 1].uppercased())
      {
        part.nulls = nulls
        words.removeLast(2)
      }
      if words.count > 1, part.take(words[words.count - 1]) { words.removeLast() }
      part.name = words.joined(separator: " ").replacing(Self.blank, with: " ")
      if words.count == 1, words[0].contains(Self.blank) {
        parts.append(part)
        continue
      }
      let isCalculation = part.name.contains { "+-*/".contains($0) }
      guard words.count == 1 || words.count > 1 && (part.name.hasSuffix(")") || isCalculation)
      else {
        throw QueryPredicateError(
          .sort,
          "expected 'FIELD', 'FIELD asc' or 'FIELD desc', options such as 'FIELD asc[cn]', and 'nulls first' "
            + "or 'nulls last', found '\(text)'; a name with blanks is in quotes: \"'Ship Mode' desc\""
        )
      }
      parts.append(part)
    }
    return parts
  }

  /// The character for a blank that does not end a word.
  private static let blank = "\u{E000}"

  /// Splits a text at its blanks, except for those after a backslash or in quotes.
  private static func quotedWords(_ text: Substring) -> [Substring] {
    var joined = ""
    var quote: Character?
    var isEscaped = false
    var last: Character = " "
    for character in text {
      defer { last = character }
      switch character {
      case "\\" where !isEscaped:
        isEscaped = true
        continue
      case " " where isEscaped || quote != nil: joined += blank
      // A quote within a word is a part of it.
      case "'" where last == " " && !isEscaped && quote == nil,
        "\"" where last == " " && !isEscaped && quote == nil:
        quote = character
      case quote where !isEscaped: quote = nil
      default:
        if isEscaped { joined.append("\\") }
        joined.append(character)
      }
      isEscaped = false
    }
    return joined.split(separator: " ")
  }
}

/// The syntax of lists on the command line.
enum ListText {
  /// Splits a text at the commas outside of brackets.
  static func parts(_ text: String) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var depth = 0
    for index in text.indices {
      switch text[index] {
      case "(": depth += 1
      case ")": depth -= 1
      case "," where depth <= 0:
        parts.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
    }
    return parts + [text[start...]]
  }
}
