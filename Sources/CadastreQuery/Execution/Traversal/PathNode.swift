import CadastreModel
import CadastreStore

/// A node that the traversal of a path reaches.
enum PathNode {
  /// An object.
  case object(StoredObject)
  /// A link or an embedded object that is null.
  case null
  /// A value behind a null link.
  case behindNull
  /// A single value, one of any type included.
  case value(Value)
  /// A collection, and the key of its owner's row.
  case collection(CollectionLayout, owner: Int64)
  /// The objects that link to an object by a property.
  case links(to: StoredObject, by: Property)
  /// The coordinates of an embedded point, which are stored in its owner's row.
  case coordinates([Double])
  /// A collection behind a null link, which reads as empty.
  case noCollection

  /// The value of the node in a comparison.
  var value: Value {
    switch self {
    case .object(let object): object.value
    case .value(let value): value
    case .null, .behindNull, .collection, .links, .coordinates, .noCollection: .null
    }
  }

  var isCollection: Bool {
    switch self {
    case .collection, .links, .coordinates: true
    case .object, .null, .behindNull, .value, .noCollection: false
    }
  }
}
