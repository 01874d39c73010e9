import CadastreFormatting
import CadastreModel

/// Type inference for the values of a JSON member.
///
/// Values of one kind get the type of that kind; integers together with fractions are doubles.
/// Objects with the members of a GeoJSON point are points. Other objects are embedded objects, or
/// maps if they have too many names for properties. Arrays are lists. Values of different kinds are
/// mixed. `Sources/Cadastre/Cadastre.docc/Datasets.md` describes the rules for users.
// Its properties are `@exclusivity(unchecked)`: nothing that runs during an access reaches the instance again; see
// `JSONObjectInference`.
final class JSONTypeInference {
  /// The kind of a value.
  private enum Kind: Int, CaseIterable {
    case null, bool, integer, number, string, objectId, uuid, date, decimal, point, object, array

    var singular: String {
      switch self {
      case .null: "null"
      case .bool: "a Boolean"
      case .integer: "an integer"
      case .number: "a number"
      case .string: "text"
      case .objectId: "an object id"
      case .uuid: "a UUID"
      case .date: "a date"
      case .decimal: "a decimal number"
      case .point: "a point"
      case .object: "an object"
      case .array: "an array"
      }
    }

    var plural: String {
      switch self {
      case .null: "nulls"
      case .bool: "Booleans"
      case .integer: "integers"
      case .number: "numbers"
      case .string: "texts"
      case .objectId: "object ids"
      case .uuid: "UUIDs"
      case .date: "dates"
      case .decimal: "decimal numbers"
      case .point: "points"
      case .object: "objects"
      case .array: "arrays"
      }
    }

    init(_ type: PropertyType) {
      switch type {
      case .objectId: self = .objectId
      case .UUID: self = .uuid
      case .date: self = .date
      case .decimal128: self = .decimal
      case .int: self = .integer
      default: self = .number
      }
    }
  }

  /// The number of names above which objects are maps.
  static let maximumNames = 100
  /// The maximum nesting of embedded objects and lists; deeper values are mixed.
  static let maximumDepth = 8

  @exclusivity(unchecked)
  private var counts = [Int](repeating: 0, count: Kind.allCases.count)
  @exclusivity(unchecked)
  private var firstLines = [Int](repeating: 0, count: Kind.allCases.count)
  @exclusivity(unchecked) private var texts = TextTypeInference([.date, .uuid])
  /// Whether an integer needs more than 64 bits.
  @exclusivity(unchecked) private var sawWideInteger = false
  /// Whether an integer is beyond 2^53, so that a double may not represent it exactly.
  @exclusivity(unchecked) private var sawLongInteger = false
  @exclusivity(unchecked) private var elements: JSONTypeInference?
  @exclusivity(unchecked) private var fields: JSONObjectInference?
  private let depth: Int
  private let budget: JSONNameBudget

  init(depth: Int, budget: JSONNameBudget) {
    self.depth = depth
    self.budget = budget
  }

  /// The number of observed values other than null.
  var valueCount: Int { counts.reduce(0, +) - counts[Kind.null.rawValue] }

  /// Observes a value.
  func observe(_ record: JSONRecord, _ node: Int) {
    let kind = kind(record, node)
    if counts[kind.rawValue] == 0 { firstLines[kind.rawValue] = record.lineNumber }
    counts[kind.rawValue] += 1
    guard depth < Self.maximumDepth else { return }
    switch kind {
    case .object:
      if fields == nil { fields = JSONObjectInference(depth: depth + 1, budget: budget) }
      fields?.observe(record, node)
    case .array:
      let elements = self.elements ?? JSONTypeInference(depth: depth + 1, budget: budget)
      self.elements = elements
      for element in record.elements(of: node) { elements.observe(record, element) }
    default: break
    }
  }

  private func kind(_ record: JSONRecord, _ node: Int) -> Kind {
    switch record[node].kind {
    case .null: return .null
    case .true, .false: return .bool
    case .number: return .number
    case .integer:
      record.withText(node) { text in
        guard let integer = FieldParsing.int64(text) else {
          sawWideInteger = true
          return
        }
        if integer.magnitude > 1 << 53 { sawLongInteger = true }
      }
      return .integer
    case .string:
      record.withText(node) { texts.observe($0, line: record.lineNumber) }
      return .string
    case .array: return .array
    case .object:
      if JSONPoint.isPoint(record, node) { return .point }
      return ExtendedJSON(record, node).map { Kind($0.type) } ?? .object
    }
  }

  // MARK: Result

  private var kinds: [Kind] { Kind.allCases.filter { $0 != .null && counts[$0.rawValue] > 0 } }

  /// The type of all values.
  var shape: DatasetShape {
    switch kinds {
    case []: .nothing(.any)
    case [.bool]: .scalar(.bool)
    case [.integer]: .scalar(sawWideInteger ? .decimal128 : .int)
    case [.number]: .scalar(.double)
    // If a double would change an integer, the property is mixed.
    case [.integer, .number]: .scalar(sawLongInteger || sawWideInteger ? .any : .double)
    case [.string]: .scalar(texts.type)
    case [.objectId]: .scalar(.objectId)
    case [.uuid]: .scalar(.UUID)
    case [.date]: .scalar(.date)
    case [.decimal]: .scalar(.decimal128)
    case [.point]: .point
    case [.object]: fields?.shape ?? .scalar(.any)
    case [.array]: listShape
    default: .scalar(.any)
    }
  }

  /// Whether all values are texts of dates without a time of day.
  var isDay: Bool { kinds == [.string] && texts.isDay }

  private var listShape: DatasetShape {
    guard depth < Self.maximumDepth else { return .scalar(.any) }
    guard let elements, !elements.kinds.isEmpty else {
      return .list(.nothing(.any), isOptional: false)
    }
    switch elements.shape {
    case .scalar(.any), .nothing, .list, .map: return .list(.scalar(.any), isOptional: false)
    case .scalar(let type): return .list(.scalar(type), isOptional: elements.sawNull)
    case .point, .object:
      // A list of embedded objects cannot contain null.
      return .list(elements.sawNull ? .scalar(.any) : elements.shape, isOptional: false)
    }
  }

  /// The reason for the type.
  var reason: String {
    let kinds = kinds
    guard let first = kinds.first else { return "there are no values" }
    guard kinds.count == 1 || shape == .scalar(.double) else {
      return "the values differ: " + kinds.map { clause($0) }.joined(separator: ", ")
    }
    switch first {
    case .string: return texts.reason
    case .integer where kinds.count == 2:
      return "numbers, the first with a fraction on line \(grouped(line(.number)))"
    case .integer where sawWideInteger: return "integers, some of more than 64 bits"
    case .object: return fields?.reason ?? "objects, too deeply nested for classes"
    case .array:
      guard let elements, !elements.kinds.isEmpty else { return "arrays without elements" }
      return "arrays: \(elements.reason)"
    default:
      return valueCount == 1
        ? "the only value is \(first.singular)"
        : "all \(grouped(valueCount)) values are \(first.plural)"
    }
  }

  private func line(_ kind: Kind) -> Int { firstLines[kind.rawValue] }

  private func clause(_ kind: Kind) -> String {
    "\(kind.singular) on line \(grouped(line(kind)))"
  }

  /// Returns the type of the values of a map with these and other values: one scalar type, or
  /// mixed.
  func mapShape(with others: [JSONTypeInference]) -> DatasetShape {
    let shapes = Set(others.map(\.shape) + [shape]).filter {
      if case .nothing = $0 { false } else { true }
    }
    guard shapes.count == 1, let only = shapes.first, case .scalar = only else {
      return .scalar(.any)
    }
    return only
  }

  /// Whether a null was observed.
  var sawNull: Bool { counts[Kind.null.rawValue] > 0 }
}
