import CadastreGeometry
import CadastreModel
import Foundation

extension QueryPredicate: CustomStringConvertible {
  /// Text that parses back to the same tree.
  public var description: String {
    switch self {
    case .constant(let value): value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .not(let inner): "NOT \(inner.bracketed)"
    case .and(let parts): Self.joined(parts, "AND", empty: "TRUEPREDICATE")
    case .or(let parts): Self.joined(parts, "OR", empty: "FALSEPREDICATE")
    case .comparison(let comparison): comparison.description
    case .geoWithin(let within): within.description
    }
  }

  private static func joined(_ parts: [QueryPredicate], _ word: String, empty: String) -> String {
    parts.isEmpty ? empty : parts.map(\.bracketed).joined(separator: " \(word) ")
  }

  /// The text, in brackets if it has parts of its own.
  private var bracketed: String {
    switch self {
    case .and, .or: "(\(self))"
    case .constant, .not, .comparison, .geoWithin: description
    }
  }
}

extension Comparison: CustomStringConvertible {
  /// Text that parses back to the same comparison.
  public var description: String { "\(left) \(operation.rawValue)\(options.suffix) \(right)" }
}

extension GeoWithin: CustomStringConvertible {
  /// Text that parses back to the same question.
  public var description: String {
    "\(PredicateText.path(path)) GEOWITHIN\(edges == .planar ? "[planar]" : "") \(shape)"
  }
}

extension Operand: CustomStringConvertible {
  /// Text that parses back to the same operand.
  public var description: String {
    switch self {
    case .property(let path): PredicateText.path(path)
    case .value(let value): PredicateText.literal(value)
    case .list(let values): "{\(values.map(PredicateText.literal).joined(separator: ", "))}"
    case .object(let reference): reference.description
    }
  }
}

extension ObjectReference: CustomStringConvertible {
  /// Text that parses back to the same reference.
  public var description: String {
    let name = PredicateText.quoted(className)
    return switch identity {
    case .primaryKey(let value): "obj(\(name), \(PredicateText.literal(value)))"
    case .key(let key): "objKey(\(name), \(key))"
    case .unmanaged: "objKey(\(name), null)"
    }
  }
}

/// How names and constants are written in a predicate.
enum PredicateText {
  /// The names of a path; characters and words that would be read otherwise are escaped.
  static func path(_ path: PropertyPath) -> String {
    path.names.map(name).joined(separator: ".")
  }

  private static func name(_ name: String) -> String {
    var text = Keyword(name) == nil ? "" : "#"
    for (index, scalar) in name.unicodeScalars.enumerated() {
      let isPlain = Lexer.isNameScalar(scalar) && (index > 0 || Lexer.isNameStart(scalar))
      if isPlain { text.unicodeScalars.append(scalar) } else { text += "\\\(scalar)" }
    }
    return text
  }

  /// A constant.
  static func literal(_ value: Value) -> String {
    switch value {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .float(let value): number(value, suffix: "f")
    case .double(let value): number(value, suffix: "")
    case .string(let value): quoted(value)
    case .data(let value): "bin(B64'\(value.base64EncodedString())')"
    case .date(let value): timestamp(value)
    case .objectId(let value): "oid(\(value))"
    case .uuid(let value): "uuid(\(value))"
    case .decimal(let value): quoted(value.exactText)
    case .link(let key): "objKey('', \(key))"
    case .object(let address): "objKey(\(quoted(address.className)), \(address.key))"
    case .list(let values): "{\(values.map(literal).joined(separator: ", "))}"
    case .map(let map):
      "{\(map.entries.map { "\(quoted($0.key)): \(literal($0.value))" }.joined(separator: ", "))}"
    }
  }

  /// A string in single quotes, with what cannot stand in them escaped.
  static func quoted(_ text: String) -> String {
    var quoted = "'"
    for scalar in text.unicodeScalars {
      switch scalar {
      case "'": quoted += "\\'"
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\0": quoted += "\\0"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "'"
  }

  private static func number(
    _ value: some BinaryFloatingPoint & LosslessStringConvertible, suffix: String
  ) -> String {
    // Without a sign `nanf` would be a name.
    let sign = suffix.isEmpty ? "" : "+"
    if value.isNaN { return sign + "nan" + suffix }
    if value.isInfinite { return (value < 0 ? "-" : sign) + "infinity" + suffix }
    return String(value) + suffix
  }

  /// Seconds since 1970 and nanoseconds of the same sign.
  private static func timestamp(_ value: Timestamp) -> String {
    guard value.seconds < 0, value.nanoseconds > 0 else {
      return "T\(value.seconds):\(value.nanoseconds)"
    }
    let nanoseconds = Int64(value.nanoseconds) - Timestamp.nanosecondsPerSecond
    return "T\(value.seconds + 1):\(nanoseconds)"
  }
}
