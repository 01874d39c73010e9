import CadastreGeometry
import CadastreModel

/// A `Sendable` copy of an object's values that any encoder can write.
///
///     let place = try realm.objects(Place.self).where { $0.id == 7 }.encoded(depth: 1)
///     let json = try JSONEncoder().encode(place)
///
/// ``ObjectBase/encoded(depth:)`` and the `encoded(depth:)` of collections and projections create it. The
/// copy contains no objects and does not change with the store. Its coding keys are the names of the
/// properties; the key strategy of an encoder applies to them.
public struct EncodedObject: Encodable, Hashable, Sendable {
  /// A property and its value.
  struct Member: Hashable, Sendable {
    let name: String
    let content: EncodedContent
  }

  let members: [Member]

  /// Writes the members, in the order of their declaration, into a keyed container.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberName.self)
    for member in members {
      try container.encode(member.content, forKey: MemberName(stringValue: member.name))
    }
  }
}

/// The coding key of a property.
private struct MemberName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }
}

/// The value of a member of an encoded object.
indirect enum EncodedContent: Hashable, Sendable {
  /// A single value, or null.
  case value(Value)
  /// An embedded or linked object.
  case object(EncodedObject)
  /// The elements of a list or a set.
  case elements([EncodedContent])
  /// The values of a map by their keys.
  case entries([String: EncodedContent])

  static var null: EncodedContent { .value(.null) }
}

extension EncodedContent: Encodable {
  func encode(to encoder: any Encoder) throws {
    switch self {
    case .value(let value):
      var container = encoder.singleValueContainer()
      try Self.encode(value, to: &container)
    case .object(let object): try object.encode(to: encoder)
    case .elements(let elements): try elements.encode(to: encoder)
    case .entries(let entries):
      var container = encoder.singleValueContainer()
      // The key strategy of an encoder does not apply to the keys of dictionaries.
      try container.encode(entries)
    }
  }

  private static func encode(
    _ value: Value, to container: inout any SingleValueEncodingContainer
  ) throws {
    switch value {
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .float(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .data(let value): try container.encode(value)
    case .date(let value): try container.encode(value.date)
    case .objectId(let value): try container.encode(value)
    case .uuid(let value): try container.encode(value)
    case .decimal(let value): try container.encode(value)
    case .geometry(let value): try container.encode(value)
    // Links, lists and maps have their own cases of `EncodedContent`.
    case .null, .link, .object, .list, .map: try container.encodeNil()
    }
  }
}

extension ObjectBase {
  /// Returns a copy of the object's values that any encoder can write.
  ///
  ///     let json = try JSONEncoder().encode(place.encoded(depth: 1))
  ///
  /// The members are the stored properties, with their Swift names and their stored values: an enumeration as
  /// its raw value, a mapped type as its persisted value, a `Decimal128` or an `ObjectId` as text. Null is
  /// encoded as null. Lists and sets are arrays, maps are dictionaries, and embedded objects are nested, so a
  /// point is GeoJSON. Linking objects are omitted.
  ///
  /// Linked objects are nested up to `depth` links from this object. At the last level a link is encoded as
  /// the primary key of its target. A property whose target class has no primary key is omitted there, and a
  /// target without a primary key in an `AnyRealmValue` is null. So a cycle of links ends at `depth`.
  ///
  /// ``Realm/create(checking:value:update:mode:)`` reads the JSON of such a copy.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copy, which is `Sendable`.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> EncodedObject {
    try realm.throwingReadErrors {
      var capture = ObjectCapture()
      return try capture.object(self, depth: depth)
    }
  }
}

extension Sequence where Element: ObjectBase {
  /// Returns a copy of each object's values, in order, that any encoder can write.
  ///
  ///     let near = realm.objects(Place.self).nearest(10, to: here)
  ///     let json = try JSONEncoder().encode(near.encoded(depth: 1))
  ///
  /// The sequence is a result, a list, a set, linking objects, a section, an array, or a slice of one of
  /// them. ``ObjectBase/encoded(depth:)`` describes the form of an object. An object that several others link
  /// to is read once.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copies, which are `Sendable`.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> [EncodedObject] {
    try ((self as? any ThreadConfined)?.realm).throwingReadErrors {
      var capture = ObjectCapture()
      // `map` would stop the process if damaged pages have fewer elements than `count` returned.
      var copies: [EncodedObject] = []
      for object in self { copies.append(try capture.object(object, depth: depth)) }
      return copies
    }
  }
}

extension Map where Value: OptionalObject {
  /// Returns a copy of each object's values, by key; nil for a null value.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copies, in the form of ``ObjectBase/encoded(depth:)``.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> [String: EncodedObject?] {
    try realm.throwingReadErrors {
      var capture = ObjectCapture()
      var copies: [String: EncodedObject?] = [:]
      for (key, value) in asKeyValueSequence() {
        let object = DynamicValue.object(value)
        copies.updateValue(
          try object.map { try capture.object($0, depth: depth) }, forKey: key.mapKey)
      }
      return copies
    }
  }
}

extension Realm? {
  /// Runs a block, and throws the first read error of the Realm; nil for an unmanaged sequence, which has no
  /// Realm.
  func throwingReadErrors<Result>(_ block: () throws -> Result) throws -> Result {
    guard let realm = self else { return try block() }
    let result = try realm.throwingReadErrors(block)
    if let failure = realm.core.failure { throw failure }
    return result
  }
}

extension Projection {
  /// Returns a copy of the projected values that any encoder can write.
  ///
  /// The members are the `@Projected` properties, under their names in the projection.
  /// ``ObjectBase/encoded(depth:)`` describes the form of their values.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copy, which is `Sendable`.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> EncodedObject {
    try rootObject.realm.throwingReadErrors {
      var capture = ObjectCapture()
      return try capture.projection(self, rootObject, depth: depth)
    }
  }
}

extension Sequence where Element: ProjectionProtocol {
  /// Returns a copy of the values of each projection, in order, that any encoder can write.
  ///
  /// - Parameter depth: The number of links that are followed; 0 encodes all links as keys.
  /// - Returns: The copies, in the form of ``Projection/encoded(depth:)``.
  /// - Throws: ``Realm/Error`` when reading fails. `EncodingError.invalidValue` for objects that are
  ///   nested on more than 200 levels.
  public func encoded(depth: Int = 1) throws -> [EncodedObject] {
    try ((self as? any ThreadConfined)?.realm).throwingReadErrors {
      var capture = ObjectCapture()
      var copies: [EncodedObject] = []
      for projection in self {
        copies.append(try capture.projection(projection, projection.rootObject, depth: depth))
      }
      return copies
    }
  }
}
