import CadastreFormatting
import CadastreGeometry
import CadastreModel
package import CadastrePredicate
import Foundation

extension PredicateArgument {
  /// The argument that a JSON literal stands for, or a file with WKT, WKB or GeoJSON after an `@`.
  ///
  /// A JSON object stands for the members of an embedded object; text that is no JSON for itself.
  ///
  /// - Throws: ``QueryPredicateError`` that says what was expected.
  package init(commandLine text: String) throws(QueryPredicateError) {
    if text.hasPrefix("@") {
      self = .shape(try Self.region(String(text.dropFirst())))
    } else if let json = try? JSONSerialization.jsonObject(
      with: Data(text.utf8), options: [.fragmentsAllowed])
    {
      self = try Self.argument(json, text)
    } else {
      self = .value(.string(text))
    }
  }

  private static func region(_ path: String) throws(QueryPredicateError) -> GeoShape {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw QueryPredicateError(.invalidArgument, "cannot read the region in '\(path)'")
    }
    do throws(GeometryTextError) {
      // Well-known binary begins with its byte order, which is no text.
      if let first = data.first, first <= 1 { return try GeoShape(wkb: data) }
      return try data.first { !UInt8.isBlank($0) } == UInt8(ascii: "{")
        ? GeoShape(geoJSON: data) : GeoShape(wkt: String(decoding: data, as: UTF8.self))
    } catch {
      throw QueryPredicateError(
        .invalidArgument, "the region in '\(path)': \(printable("\(error)"))")
    }
  }

  private static func argument(
    _ json: Any, _ text: String
  ) throws(QueryPredicateError) -> PredicateArgument {
    if let members = json as? [String: Any] {
      var found: [EmbeddedMember] = []
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        found.append(EmbeddedMember(name, try argument(member, text)))
      }
      return .members(found)
    }
    if let elements = json as? [Any] {
      var values: [Value] = []
      for element in elements { values.append(try value(element, text)) }
      return .list(values)
    }
    return .value(try value(json, text))
  }

  private static func value(_ json: Any, _ text: String) throws(QueryPredicateError) -> Value {
    switch json {
    case is NSNull: return .null
    case let string as String: return .string(string)
    case let number as NSNumber:
      // Foundation keeps JSON's true and false apart from numbers by their type only.
      if isBoolean(number) { return .bool(number.boolValue) }
      if let whole = Int64(exactly: number) { return .int(whole) }
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
