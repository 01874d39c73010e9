package import CadastreModel

/// A member of an object in plain Swift, as a test writes it down.
package indirect enum Member: Hashable, Sendable {
  /// A single value, null included.
  case value(Value)
  /// The elements of a list.
  case list([Value])
  /// An embedded object.
  case embedded(PlainObject)
}

/// The members of an object by name; those missing are null.
package typealias PlainObject = [String: Member]

/// Objects in plain Swift, the counterpart of a store: what a store should hold and answer.
package struct PlainObjects: Sendable {
  /// The classes.
  package let schema: Schema
  private var objects: [String: [Int64: PlainObject]] = [:]
  private var nextKeys: [String: Int64] = [:]

  /// No objects yet.
  package init(schema: Schema) { self.schema = schema }

  /// Adds an object under the key that a store would give it.
  @discardableResult
  package mutating func insert(_ className: String, _ object: PlainObject) -> Int64 {
    let key = nextKeys[className] ?? 1
    nextKeys[className] = key + 1
    objects[className, default: [:]][key] = object
    return key
  }

  /// Changes members of an object.
  package mutating func update(_ className: String, _ key: Int64, _ changes: PlainObject) {
    objects[className]?[key]?.merge(changes) { _, new in new }
  }

  /// Removes an object, and nulls the links to it.
  package mutating func delete(_ className: String, _ key: Int64) {
    objects[className]?[key] = nil
    for owner in schema.objectSchema {
      for property in owner.properties where property.objectClassName == className {
        for (other, object) in objects[owner.className] ?? [:]
        where object[property.name] == .value(.link(ObjectKey(key))) {
          objects[owner.className]?[other]?[property.name] = .value(.null)
        }
      }
    }
  }

  /// The keys of a class, ascending.
  package func keys(_ className: String) -> [Int64] { (objects[className] ?? [:]).keys.sorted() }

  /// An object by its key.
  package func object(_ className: String, _ key: Int64) -> PlainObject? {
    objects[className]?[key]
  }
}
