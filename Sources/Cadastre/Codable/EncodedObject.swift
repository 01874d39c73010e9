import CadastreGeometry
import CadastreModel

/// A copy of an object's values that any encoder can write, and other tasks can use.
///
///     let place = try realm.objects(Place.self).where { $0.id == 7 }.encoded(depth: 1)
///     let json = try JSONEncoder().encode(place)
///
/// It is made by ``ObjectBase/encoded(depth:)`` and the `encoded(depth:)` of collections and
/// projections. It contains no objects and does not change with the store. Its coding keys are the
/// names of the properties, to which the key strategy of an encoder applies.
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
      // Encoders leave the keys of dictionaries as they are, whatever their key strategy.
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
    // Links, lists and maps are other cases of the content.
    case .null, .link, .object, .list, .map: try container.encodeNil()
    }
  }
}
