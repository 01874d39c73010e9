import CadastreModel
import CadastrePredicate

/// An object that is stored as a row of its class's table.
///
///     class Person: Object {
///       @Persisted(primaryKey: true) var id: Int
///       @Persisted var name = ""
///       @Persisted var address: Address?
///       @Persisted var friends: List<Person>
///     }
///
///     let person = Person(value: ["id": 1, "name": "Ada"])
///     try realm.write { realm.add(person) }
open class Object: ObjectBase {
  /// Creates an unmanaged object.
  public required init() {}

  /// Returns the name of the primary key property, if none is marked with `@Persisted(primaryKey: true)`.
  open class func primaryKey() -> String? { nil }

  /// Returns the names of indexed properties, in addition to those marked with `@Persisted(indexed: true)`.
  open class func indexedProperties() -> [String] { [] }

  /// Creates an unmanaged object from a dictionary by property name, an array in the order of declaration, or
  /// an object or structure with members of the same names.
  ///
  /// Missing properties have their defaults, and other names are ignored. A value that does not fit stops the
  /// process.
  public convenience init(value: Any) {
    self.init()
    ClassInfo.of(Self.self).fill(self, from: value)
  }

  /// Returns whether another instance refers to the same row.
  public func isSameObject(as other: Object?) -> Bool {
    guard let other else { return false }
    guard let mine = position, let theirs = other.position else { return self === other }
    return mine.isSameRow(as: theirs)
  }
}

extension Object: Hashable {
  /// Returns whether two objects are equal.
  ///
  /// Frozen objects, and managed objects with a primary key, are equal if they refer to the same row; other
  /// objects are equal if they are the same instance.
  public static func == (first: Object, second: Object) -> Bool {
    guard first.hasRowIdentity, second.hasRowIdentity else { return first === second }
    return first.isSameObject(as: second)
  }

  /// Hashes the row or the instance, as equality compares them.
  public func hash(into hasher: inout Hasher) {
    if hasRowIdentity, let position {
      hasher.combine(position.row.table.className)
      hasher.combine(position.row.key)
    } else {
      hasher.combine(ObjectIdentifier(self))
    }
  }

  private var hasRowIdentity: Bool {
    guard let row = position?.row else { return false }
    return row.core.isFrozen || row.table.info.schema.primaryKeyProperty != nil
  }
}

extension EmbeddedObject: Hashable {
  /// Returns whether both are the same instance, or the same object of the same owner.
  public static func == (first: EmbeddedObject, second: EmbeddedObject) -> Bool {
    first === second || first.position != nil && first.isSameObject(as: second)
  }

  /// Hashes the owner, or the instance.
  public func hash(into hasher: inout Hasher) {
    if let position {
      hasher.combine(position.row.key)
    } else {
      hasher.combine(ObjectIdentifier(self))
    }
  }
}

/// An object that belongs to its owner, and is deleted with the owner.
///
///     class Address: EmbeddedObject {
///       @Persisted var street = ""
///       @Persisted var city = ""
///     }
///
///     try realm.write { person.address = Address(value: ["street": "Rue A", "city": "Orly"]) }
open class EmbeddedObject: ObjectBase {
  /// Creates an unmanaged object without an owner.
  public required init() {}

  /// Creates an unmanaged object from a value, see ``Object/init(value:)``.
  public convenience init(value: Any) {
    self.init()
    ClassInfo.of(Self.self).fill(self, from: value)
  }

  /// Returns whether another instance refers to the same object of the same owner.
  public func isSameObject(as other: EmbeddedObject?) -> Bool {
    guard let other else { return false }
    guard let mine = position, let theirs = other.position else { return self === other }
    return mine.isSameObject(as: theirs)
  }
}
