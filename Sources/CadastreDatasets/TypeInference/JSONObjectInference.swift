import CadastreFormatting
import CadastreModel

/// What the members of some JSON objects have in common so far.
final class JSONObjectInference {
  private var names = JSONNameIndex()
  private var evidence: [JSONTypeInference] = []
  private var count = 0
  /// The values under the names that are too many to be properties.
  private var surplus: JSONTypeInference?
  private let depth: Int
  private let maximumNames: Int
  private let budget: JSONBudget

  /// Looks at objects that lie so many levels deep; at the top there may be as many names as a class has
  /// properties.
  init(depth: Int, budget: JSONBudget = JSONBudget()) {
    self.depth = depth
    self.budget = budget
    maximumNames = depth == 0 ? SchemaRules.maximumColumns : JSONTypeInference.maximumNames
  }

  /// Whether there are more names than can be kept apart.
  var isOverfull: Bool { surplus != nil }

  /// Takes an object into account.
  func observe(_ record: JSONRecord, _ object: Int) {
    beginObject()
    for (name, value) in record.members(of: object) { observe(record, name: name, value) }
  }

  /// Takes one more object into account, whose members are then told of one by one.
  func beginObject() {
    count += 1
    names.rewind()
  }

  /// Takes a member of the object into account.
  func observe(_ record: JSONRecord, name: Int, _ value: Int) {
    if let index = names.index(record, name) {
      evidence[index].observe(record, value)
    } else if evidence.count < maximumNames, depth == 0 || budget.takes() {
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
    evidence.append(new)
    return new
  }

  /// The members as fields.
  var fields: [DatasetField] {
    zip(names.names, evidence).map { name, values in
      DatasetField(
        name: name, shape: values.shape, isOptional: values.valueCount < count,
        reason: values.reason)
    }
  }

  /// The objects as a shape: with a property for each name, or as a map.
  var shape: DatasetShape {
    guard !evidence.isEmpty else { return .map(.nothing(.any), isOptional: false) }
    guard let surplus = surplus ?? (names.names.allSatisfy(Self.isName) ? nil : evidence[0]) else {
      return .object(fields)
    }
    let value = surplus.mapShape(with: evidence)
    return .map(
      value,
      isOptional: value != .scalar(.any) && (surplus.sawNull || evidence.contains(where: \.sawNull))
    )
  }

  /// Why they have that shape.
  var reason: String {
    if evidence.isEmpty { return "objects without members" }
    if surplus != nil { return "objects with more than \(grouped(evidence.count)) names" }
    guard let odd = names.names.first(where: { !Self.isName($0) }) else {
      return "objects with \(counted(evidence.count, "name")) in all"
    }
    return "objects with names that are none of properties, such as '\(printable(odd.prefix(40)))'"
  }

  /// Whether a property can be called so.
  private static func isName(_ name: String) -> Bool {
    (1...63).contains(name.utf8.count) && !name.contains(where: \.isNewline)
      && !name.utf8.contains(0) && name.utf8.first != UInt8(ascii: "#")
  }
}

/// How many names of embedded objects may be kept apart in all.
///
/// A table has 2,000 columns at most, and no file can fill the memory with names.
final class JSONBudget {
  private var left = 1_500

  /// Takes one; false when there is none left.
  func takes() -> Bool {
    guard left > 0 else { return false }
    left -= 1
    return true
  }
}
