import CadastreFormatting
import CadastreModel

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
