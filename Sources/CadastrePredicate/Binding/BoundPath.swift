package import CadastreModel

/// A property path resolved against a schema: the operations, in order, that lead from an object to
/// the values at the path's end.
///
/// Names are looked up once, when the path is resolved. Planner and executor use the properties and
/// their indexes and never look a name up again.
// A class, because predicates, plans and filters share paths and copy them often.
package final class BoundPath: Sendable {
  /// The class in which the path begins.
  package let root: ObjectSchema
  /// The path as it was written.
  package let path: PropertyPath
  /// The operations, first to last; a collection at the end is not entered.
  package let hops: [Hop]
  /// What the path leads to.
  package let end: End
  /// Whether the path leads through collections, so that it has any number of values.
  package let isToMany: Bool
  /// Whether the end may be null: it is optional itself, or lies behind something that may be null.
  package let isNullable: Bool
  /// For each hop the index of the step of `path` that it belongs to; nil where the indexes are
  /// equal.
  private let steps: [Int]?
  /// The properties of a path that consists of names only; nil for other paths.
  package let properties: [BoundProperty]?
  /// Whether the path consists of names that lead through links and embedded objects to a single
  /// value, or to a whole collection.
  package let isOrdinary: Bool
  /// The path to each element; nil where this path does not end in a collection.
  private let elements: BoundPath?
  /// The path to a single geometry or date, and the measures at the end of this path, each applied to the result of
  /// the one before; nil for other paths.
  // Stored, as the elements are, because the plans of queries are cached by the addresses of their paths.
  package let measured: (source: BoundPath, measures: [ValueMeasure])?

  init(
    root: ObjectSchema, path: PropertyPath, hops: [Hop], steps: [Int]?, end: End, isToMany: Bool,
    isNullable: Bool
  ) {
    self.root = root
    self.path = path
    self.hops = hops
    self.steps = steps
    self.end = end
    self.isToMany = isToMany
    self.isNullable = isNullable
    properties = Self.properties(of: hops)
    isOrdinary = !isToMany && properties != nil
    elements =
      if case .collection(let property, let target) = end {
        BoundPath(
          root: root, path: path, hops: hops + [.elements],
          steps: (steps ?? Array(hops.indices)) + [path.steps.count],
          end: target.map(End.object) ?? .value(property.type), isToMany: true,
          // A null link on the path adds no element.
          isNullable: property.isOptional)
      } else {
        nil
      }
    measured = Self.measured(
      root: root, path: path, hops: hops, steps: steps, isToMany: isToMany, isNullable: isNullable)
  }

  private static func measured(
    root: ObjectSchema, path: PropertyPath, hops: [Hop], steps: [Int]?, isToMany: Bool,
    isNullable: Bool
  ) -> (source: BoundPath, measures: [ValueMeasure])? {
    var measures: [ValueMeasure] = []
    for hop in hops.reversed() {
      guard case .measure(let measure) = hop else { break }
      measures.append(measure)
    }
    guard let first = measures.last, !isToMany,
      case .property(let bound)? = hops.dropLast(measures.count).last,
      bound.property.type == first.source
    else { return nil }
    let source = BoundPath(
      root: root, path: PropertyPath(steps: Array(path.steps.dropLast(measures.count))),
      hops: hops.dropLast(measures.count), steps: steps.map { $0.dropLast(measures.count) },
      end: .value(first.source), isToMany: isToMany, isNullable: isNullable)
    return source.isPlain ? (source, measures.reversed()) : nil
  }

  private static func properties(of hops: [Hop]) -> [BoundProperty]? {
    var properties: [BoundProperty] = []
    properties.reserveCapacity(hops.count)
    for hop in hops {
      guard case .property(let property) = hop else { return nil }
      properties.append(property)
    }
    return properties
  }

  /// The path from a value to itself, by which results of values are ordered.
  package static let itself = BoundPath(
    root: ObjectSchema(className: "", properties: []), path: PropertyPath(["self"]), hops: [],
    steps: nil, end: .value(.any), isToMany: false, isNullable: true)

  /// One operation on a path.
  package enum Hop: Hashable, Sendable {
    /// Goes to a property's value, its object, or its whole collection; linking objects are a
    /// collection.
    case property(BoundProperty)
    /// Goes to each element of a collection, or to each value in a map.
    case elements
    /// Goes to one element of a list; to nothing where the list is shorter.
    case element(ListPosition)
    /// Goes to the value of a map under a key; null where a map property lacks it, nothing where a
    /// value of any type does.
    case entry(String)
    /// Goes to each key of a map.
    case keys
    /// From a value of any type: the value under a key of a map, or the property of an object. The
    /// only name that is looked up during execution, because the class is not known before.
    case member(String)
    /// The number of links of all kinds that lead to the object.
    case incomingLinks
    /// The number of elements; of bytes in text and data; of objects, 0 or 1, behind a link.
    case count(ofLink: Bool)
    /// The bytes of a text or of data; 0 of null.
    case length
    /// The name of a type: the property's, or the value's where the property has any type.
    case type(PropertyType?)
    /// A measure of a geometry or a part of a date; null of null.
    case measure(ValueMeasure)
  }

  /// A position in a list.
  package enum ListPosition: Hashable, Sendable {
    /// Counted from 0 at the start.
    case index(Int)
    /// The first element.
    case first
    /// The last element.
    case last
  }

  /// What a path leads to.
  package enum End: Hashable, Sendable {
    /// An object of a class: the queried object itself, or one behind a link.
    case object(ObjectSchema)
    /// A collection as a whole, and the class of its objects.
    case collection(Property, of: ObjectSchema?)
    /// A single value of a type.
    case value(PropertyType)
  }
}

extension BoundPath: Hashable {
  /// Two paths are equal when they begin in the same class and have the same steps.
  package static func == (first: BoundPath, second: BoundPath) -> Bool {
    first === second
      || first.path == second.path && first.root.className == second.root.className
  }

  /// Hashes the steps.
  package func hash(into hasher: inout Hasher) { hasher.combine(path) }
}

extension BoundPath: CustomStringConvertible {
  /// The path as it was written.
  package var description: String { path.description }
}

extension BoundPath {
  /// Whether the path is ordinary and its end is stored, which linking objects are not.
  package var isPlain: Bool {
    if case .collection(let property, _) = end, property.type == .linkingObjects { return false }
    return isOrdinary
  }

  /// Whether the path leads through links and embedded objects to one value.
  package var isSingleValue: Bool {
    if case .collection = end { false } else { isOrdinary }
  }

  /// Whether the path is written without `ANY`: it ends in a measure of a single value, or is written as a function of
  /// a date.
  var needsNoQuantifier: Bool {
    if case .part? = path.steps.last { true } else { measured != nil }
  }

  /// Whether the values at the end are of any type.
  package var isMixed: Bool { end == .value(.any) }

  /// The end as messages name it.
  package var endDescription: String {
    switch end {
    case .object(let schema): "'\(schema.className)'"
    case .collection(let property, _): "'\(property.typeDescription)'"
    case .value(let type): "'\(type)'\(isToMany ? " for each of several elements" : "")"
    }
  }

  /// The path to each element, where this one ends in a collection; else this path.
  package var entered: BoundPath { elements ?? self }

  /// The rest of the path after some hops, beginning in the class to which they lead.
  ///
  /// - Parameter count: The number of hops; the last of them leads to an object or to each object of a
  ///   collection.
  /// - Returns: The rest; nil where it is empty.
  package func dropping(_ count: Int) -> BoundPath? {
    guard count < hops.count, case .property(let next) = hops[count] else { return nil }
    let firstStep = steps?[count] ?? count
    let rest = Array(hops[count...])
    return BoundPath(
      root: next.owner, path: PropertyPath(steps: Array(path.steps[firstStep...])), hops: rest,
      steps: steps.map { $0[count...].map { $0 - firstStep } }, end: end,
      isToMany: rest.contains { $0 == .elements || $0 == .keys },
      isNullable: rest.count > 1 || next.property.isOptional)
  }

  /// The path to the embedded object whose property this path leads to; nil for a path of one hop
  /// and for paths of other hops than properties.
  package func droppingLast() -> BoundPath? {
    guard let properties, properties.count > 1 else { return nil }
    return BoundPath(
      root: root, path: PropertyPath(steps: Array(path.steps.dropLast())),
      hops: Array(hops.dropLast()), steps: steps.map { Array($0.dropLast()) },
      end: .object(properties[properties.count - 1].owner), isToMany: false, isNullable: true)
  }
}

/// A property on a resolved path.
package struct BoundProperty: Hashable, Sendable {
  /// The property.
  package let property: Property
  /// The index among the stored properties of its class; nil for linking objects.
  package let index: Int?
  /// The class that has the property.
  package let owner: ObjectSchema
  /// What kind of object the property holds.
  package let target: Target

  /// The kind of object that a property holds.
  package struct Target: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The property holds embedded objects.
    package static let embedded = Target(rawValue: 1)
    /// The property holds one embedded object, which is stored in its owner's row.
    package static let inline = Target(rawValue: 2)
    /// The property holds one embedded object of the GeoJSON point shape.
    package static let point = Target(rawValue: 4)
  }

  init(_ property: Property, index: Int?, of owner: ObjectSchema, in schema: Schema) {
    self.property = property
    self.index = index
    self.owner = owner
    guard let object = schema.target(of: property) else {
      target = []
      return
    }
    var target: Target = []
    if object.isEmbedded { target.insert(.embedded) }
    if object.isEmbedded, schema.isInline(property) { target.insert(.inline) }
    if object.isPointShaped, schema.isPoint(property) { target.insert(.point) }
    self.target = target
  }
}

extension BoundProperty {
  /// Two properties are equal when they are the same property of the same class.
  package static func == (first: BoundProperty, second: BoundProperty) -> Bool {
    first.property == second.property && first.owner.className == second.owner.className
  }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(property.name) }
}

extension ObjectSchema {
  /// A stored or computed property by name, resolved.
  package func bound(_ name: String, in schema: Schema) -> BoundProperty? {
    if let index = index(of: name) {
      return BoundProperty(properties[index], index: index, of: self, in: schema)
    }
    return computedProperty(name).map { BoundProperty($0, index: nil, of: self, in: schema) }
  }
}
