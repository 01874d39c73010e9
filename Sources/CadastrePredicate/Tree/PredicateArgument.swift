public import CadastreGeometry
public import CadastreModel

/// A value for a placeholder of a predicate text, `%@` or `$0`.
///
///     let arguments: [PredicateArgument] = [
///       .value(.double(300)), .list([.string("FR"), .string("BE")]), .shape(.circle(circle)),
///     ]
///     let predicate = try QueryPredicate(
///       parsing: "elevation > %@ AND country IN %@ AND location GEOWITHIN %@",
///       arguments: arguments)
///
/// `filter(_:_:)` also takes Swift values, and converts them.
// Only large and rare cases are indirect, so that a repeated query creates arguments with values without allocation.
public enum PredicateArgument: Hashable, Sendable {
  /// A single value.
  case value(Value)
  /// Several values, for IN and BETWEEN.
  case list([Value])
  /// A region, for GEOWITHIN.
  indirect case shape(GeoShape)
  /// An object, to compare a link with.
  indirect case object(ObjectReference)
  /// Several objects, for a link IN them.
  case objects([ObjectReference])
  /// The members of an embedded object, to be equal to all of them.
  case members([EmbeddedMember])
  /// The elements of a whole list or set that are neither all values nor all objects.
  case elements([PredicateArgument])
  /// The entries of a whole map that are not all values; a map of values is a `value`.
  case entries([EmbeddedMember])
}

/// One member of an embedded object, or one entry of a map, to compare with.
public struct EmbeddedMember: Hashable, Sendable {
  /// The member's name, or the key.
  public var name: String
  /// The content that it must be equal to.
  public var content: PredicateArgument

  /// Names a member, or a key, and the content that it must be equal to.
  public init(_ name: String, _ content: PredicateArgument) {
    self.name = name
    self.content = content
  }
}

/// Contents of collections as arguments.
extension PredicateArgument {
  /// Creates the argument for the elements of a list or a set.
  package init(elements: [PredicateArgument]) {
    let values = elements.compactMap(\.value)
    let objects = elements.compactMap { element in
      if case .object(let object) = element { object } else { nil }
    }
    if values.count == elements.count {
      self = .list(values)
    } else if objects.count == elements.count {
      self = .objects(objects)
    } else {
      self = .elements(elements)
    }
  }

  /// Creates the argument for the entries of a map; of several entries with a key the last one is used.
  package init(entries: [EmbeddedMember]) {
    let last = Dictionary(entries.map { (TextKey($0.name), $0) }, uniquingKeysWith: { $1 }).values
    let values = last.compactMap { entry in entry.content.value.map { (entry.name, $0) } }
    if values.count == last.count {
      self = .value(.map(ValueMap(values)))
    } else {
      self = .entries(
        last.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    }
  }

  /// Creates the argument for a list in a value of any type.
  package init(list elements: [PredicateArgument]) {
    let values = elements.compactMap(\.value)
    self = values.count == elements.count ? .value(.list(values)) : .elements(elements)
  }

  /// The single value; nil for other arguments.
  package var value: Value? { if case .value(let value) = self { value } else { nil } }

  /// The argument as one side of a comparison; nil for a region.
  package var operand: Operand? {
    switch self {
    case .value(let value): .value(value)
    case .list(let values): .list(values)
    case .object(let object): .object(object)
    case .objects(let objects): objects.isEmpty ? .list([]) : .objects(objects)
    case .members, .elements, .entries: .content(self)
    case .shape: nil
    }
  }

  /// Calls a closure with the objects in the argument.
  func forEachObjectReference(_ body: (ObjectReference) -> Void) {
    switch self {
    case .object(let object): body(object)
    case .objects(let objects): objects.forEach(body)
    case .elements(let elements): for element in elements { element.forEachObjectReference(body) }
    case .members(let members), .entries(let members):
      for member in members { member.content.forEachObjectReference(body) }
    case .value, .list, .shape: break
    }
  }
}

extension Operand {
  /// The operand as an argument; nil for paths and for computed operands.
  var argument: PredicateArgument? {
    switch self {
    case .value(let value): .value(value)
    case .list(let values): .list(values)
    case .object(let object): .object(object)
    case .objects(let objects): .objects(objects)
    case .content(let content): content
    case .property, .elements, .constants, .aggregate, .subquery, .outer, .arithmetic, .distance,
      .now, .pattern:
      nil
    }
  }
}
