import CadastreFormatting
import CadastreModel

/// Type inference for the values of a JSON member.
///
/// Values of one kind get the type of that kind; integers together with fractions are doubles.
/// Objects with the members of a GeoJSON point are points. Other objects are embedded objects, or
/// maps if they have too many names for properties. Arrays are lists. Values of different kinds are
/// mixed. `Sources/Cadastre/Cadastre.docc/Datasets.md` describes the rules for users.
// Its properties are `@exclusivity(unchecked)`: nothing that runs during an access reaches the
// instance again; see `JSONObjectInference`.
final class JSONTypeInference {
  /// The kind of a value.
  private enum Kind: Int, CaseIterable {
    case null, bool, integer, number, string, objectId, uuid, date, decimal, data, point, object,
      array

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
      case .data: "binary data"
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
      case .data: "binary data"
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
      case .data: self = .data
      case .string: self = .string
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
      guard let extended = ExtendedJSON(record, node) else { return .object }
      if case .string(var text) = extended.value(record, .string), extended.type == .string {
        text.withUTF8 { texts.observe($0, line: record.lineNumber) }
      }
      return Kind(extended.type)
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
    case [.data]: .scalar(.data)
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

/// Type inference for the members of JSON objects.
// Its properties are `@exclusivity(unchecked)`: nothing that runs during an access reaches the instance again,
// and the dynamic checks would take a third of the time of an observation.
final class JSONObjectInference {
  @exclusivity(unchecked) private var names = JSONNameIndex()
  /// The values of each name.
  @exclusivity(unchecked) private var values: [JSONTypeInference] = []
  @exclusivity(unchecked) private var count = 0
  /// The values of all names beyond the maximum.
  @exclusivity(unchecked) private var surplus: JSONTypeInference?
  private let depth: Int
  private let maximumNames: Int
  private let budget: JSONNameBudget

  /// Creates an inference for objects at a nesting level; at level 0 the number of names is limited
  /// by the number of properties of a class.
  init(depth: Int, budget: JSONNameBudget = JSONNameBudget()) {
    self.depth = depth
    self.budget = budget
    maximumNames = depth == 0 ? SchemaRules.maximumColumns : JSONTypeInference.maximumNames
  }

  /// Whether there are more names than the maximum.
  var exceedsMaximum: Bool { surplus != nil }

  /// Observes an object.
  func observe(_ record: JSONRecord, _ object: Int) {
    beginObject()
    for (name, value) in record.members(of: object) { observe(record, name: name, value) }
  }

  /// Begins an object whose members are observed one by one.
  func beginObject() {
    count += 1
    names.rewind()
  }

  /// Observes a member of the object.
  func observe(_ record: JSONRecord, name: Int, _ value: Int) {
    if let index = names.index(record, name) {
      values[index].observe(record, value)
    } else if values.count < maximumNames, depth == 0 || budget.takeOne() {
      add(record.text(name)).observe(record, value)
    } else {
      let surplus =
        self.surplus ?? JSONTypeInference(depth: JSONTypeInference.maximumDepth, budget: budget)
      self.surplus = surplus
      surplus.observe(record, value)
    }
  }

  private func add(_ name: String) -> JSONTypeInference {
    names.append(name)
    let new = JSONTypeInference(depth: depth, budget: budget)
    values.append(new)
    return new
  }

  /// The members as fields.
  var fields: [DatasetField] {
    zip(names.names, values).map { name, values in
      DatasetField(
        name: name, shape: values.shape, isOptional: values.valueCount < count,
        isDay: values.isDay, reason: values.reason)
    }
  }

  /// The type of the objects: embedded with a property for each name, or a map.
  var shape: DatasetShape {
    guard !values.isEmpty else { return .map(.nothing(.any), isOptional: false) }
    guard let surplus = surplus ?? (names.names.allSatisfy(Self.isName) ? nil : values[0]) else {
      return .object(fields)
    }
    let value = surplus.mapShape(with: values)
    return .map(
      value,
      isOptional: value != .scalar(.any) && (surplus.sawNull || values.contains(where: \.sawNull))
    )
  }

  /// The reason for the type.
  var reason: String {
    if values.isEmpty { return "objects without members" }
    if surplus != nil { return "objects with more than \(grouped(values.count)) names" }
    guard let invalid = names.names.first(where: { !Self.isName($0) }) else {
      return "objects with \(counted(values.count, "name")) in all"
    }
    return "objects with names that cannot be properties, for example "
      + "'\(printable(invalid.prefix(40)))'"
  }

  /// Returns whether a property may have a name.
  private static func isName(_ name: String) -> Bool {
    (1...63).contains(name.utf8.count) && !name.contains(where: \.isNewline)
      && !name.utf8.contains(0) && name.utf8.first != UInt8(ascii: "#")
  }
}

/// The maximum number of distinct names in all embedded objects of a file.
///
/// It keeps a class within the 2,000 columns of a table, and bounds the memory that a file can use.
final class JSONNameBudget {
  private var left = 1_500

  /// Takes one name; returns false if none is left.
  func takeOne() -> Bool {
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}

/// An index of member names.
///
/// Objects in a file mostly have the same names in the same order, so a name is compared with those
/// after the last match before it is looked up in a dictionary.
struct JSONNameIndex {
  /// The names in the order of their addition.
  private(set) var names: [String] = []
  private var bytes: [[UInt8]] = []
  private var indexes: [[UInt8]: Int] = [:]
  private var next = 0

  /// Creates an empty index.
  init() {}

  /// Creates an index of distinct names.
  init(_ names: [String]) {
    for name in names { append(name) }
  }

  /// Adds a new name.
  mutating func append(_ name: String) {
    indexes[Array(name.utf8)] = names.count
    names.append(name)
    bytes.append(Array(name.utf8))
  }

  /// Restarts at the first name, for a new object.
  mutating func rewind() { next = 0 }

  /// Returns the index of the name in a node of a record; nil if it is unknown.
  mutating func index(_ record: JSONRecord, _ node: Int) -> Int? {
    let near = record.withText(node) { text in
      (next..<min(next + 8, bytes.count)).first { index in
        bytes[index].withUnsafeBufferPointer { ByteSearch.areEqual(text, $0) }
      }
    }
    guard let index = near ?? indexes[record.withText(node) { Array($0) }] else { return nil }
    next = index + 1
    return index
  }
}
