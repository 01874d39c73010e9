import CadastreModel
import CadastreTestSupport

/// A random schema of four classes, and what becomes of it in the next release.
///
/// `Root` holds `Part`s, which hold `Spot`s; each of these may be embedded or not. `Other` stands
/// alone.
struct RandomSchema {
  private var values: RandomValues
  /// The generator of compound indexes, so that all other choices of a seed stay as they were before these.
  private var indexes: SeededGenerator
  private(set) var schema = Schema()

  init(seed: UInt64) {
    values = RandomValues(seed: seed)
    indexes = SeededGenerator(seed: seed)
    change()
  }

  private static let names = ["a", "b", "A", "c", "d", "e", "f"]

  /// The next release: some properties stay, some change, some are new.
  mutating func change() {
    let before = schema
    let spot = self.class("Spot", from: before, children: [], isPoint: !values.random.oneIn(4))
    let part = self.class("Part", from: before, children: ["Spot"])
    let root = self.class("Root", from: before, children: ["Part", "Spot"], isTop: true)
    let other = self.class("Other", from: before, children: [], isTop: true)
    schema = Schema([spot, part, root, other])
  }

  private mutating func `class`(
    _ name: String, from before: Schema, children: [String], isTop: Bool = false,
    isPoint: Bool = false
  ) -> ObjectSchema {
    let isEmbedded = !isTop && !values.random.oneIn(3)
    var properties: [Property] = []
    if isPoint {
      properties = [
        Property(name: "type", type: .string),
        Property(name: "coordinates", type: .double, collection: .list),
      ]
    }
    for column in Self.names where !values.random.oneIn(3) {
      let stored = before[name]?.property(inColumn: column)
      if let stored, !values.random.oneIn(3) {
        properties.append(stored)
      } else {
        properties.append(property(column, children))
      }
    }
    if properties.isEmpty { properties = [Property(name: "z", type: .int)] }
    properties.shuffle(using: &values.random)
    return ObjectSchema(
      className: name, properties: properties, isEmbedded: isEmbedded,
      compoundIndexes: compoundIndexes(of: properties, isPoint: isPoint))
  }

  private mutating func compoundIndexes(of properties: [Property], isPoint: Bool) -> [[String]] {
    let types: [PropertyType] = [.int, .bool, .string, .date, .double, .float, .objectId, .UUID]
    let names = properties.filter {
      $0.collection == nil && types.contains($0.type) && !(isPoint && $0.name == "type")
    }.map(\.name)
    guard names.count > 1, indexes.oneIn(2) else { return [] }
    return [Array(names.shuffled(using: &indexes).prefix(2 + indexes.below(2)))]
  }

  private mutating func property(_ name: String, _ children: [String]) -> Property {
    let collection = values.random.pick([nil, nil, nil, .list, .map, .set] as [CollectionKind?])
    if !children.isEmpty, values.random.oneIn(2), collection != .set {
      return Property(
        name: name, type: .object, isOptional: collection != .list, collection: collection,
        objectClassName: values.random.pick(children))
    }
    let scalars = RandomValues.scalarTypes + [.any]
    let type = values.random.pick(collection == .set ? [.int, .string] : scalars)
    let isIndexed =
      collection == nil && [.int, .string, .date, .any].contains(type) && values.random.oneIn(3)
    return Property(
      name: name, type: type, isOptional: type != .any && values.random.oneIn(2),
      isIndexed: isIndexed,
      isFullTextIndexed: collection == nil && type == .string && values.random.oneIn(3),
      collection: collection)
  }

  // MARK: Objects

  /// A random object of a class, with all it holds.
  mutating func object(_ className: String) -> Node {
    guard let objectSchema = schema[className] else { return .value(.null) }
    var members: [String: Node] = [:]
    for property in objectSchema.properties { members[property.columnName] = member(property) }
    return .object(members)
  }

  private mutating func member(_ property: Property) -> Node {
    let count = values.random.below(4)
    switch property.collection {
    case .list?: return .list((0..<count).map { _ in element(property) })
    case .map?:
      var entries: [String: Node] = [:]
      for number in 0..<count { entries["k\(number)"] = element(property) }
      return .map(entries)
    case .set?: return .set(Set((0..<count).map { _ in element(property) }))
    case nil: return element(property)
    }
  }

  private mutating func element(_ property: Property) -> Node {
    if property.name == "type", values.random.oneIn(2) { return .value(.string("Point")) }
    if property.name == "coordinates" {
      // The bits of NaN are not stored in a coordinate.
      let odd = values.random.pick([.infinity, .nan, -0.0, 200, 1e-300])
      return .value(.double(values.random.oneIn(4) ? odd : Double(values.random.below(80))))
    }
    if property.isOptional, values.random.oneIn(3) { return .value(.null) }
    if property.type == .object { return object(property.objectClassName ?? "") }
    return .value(values.value(property.type))
  }
}
