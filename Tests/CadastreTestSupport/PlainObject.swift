package import CadastreModel

/// A member of an object in plain Swift, as a test writes it down.
package indirect enum Member: Hashable, Sendable {
  /// A single value, null included.
  case value(Value)
  /// The elements of a list or a set; links in a collection of objects.
  case list([Value])
  /// The entries of a map; links and nulls in a map of objects.
  case map(ValueMap)
  /// An embedded object.
  case embedded(PlainObject)
  /// The embedded objects of a list.
  case embeddedList([PlainObject])
  /// The embedded objects of a map.
  case embeddedMap([String: PlainObject])
}

/// The members of an object by name; those missing are null.
package typealias PlainObject = [String: Member]

/// Objects in plain Swift: the expected content of a store, and the data of the oracle.
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

  /// Removes an object, nulls the links to it, and takes it out of lists and sets.
  package mutating func delete(_ className: String, _ key: Int64) {
    objects[className]?[key] = nil
    let link = Value.link(ObjectKey(key))
    for owner in schema.objectSchema {
      for property in owner.properties where property.objectClassName == className {
        for (other, object) in objects[owner.className] ?? [:] {
          guard let member = object[property.name] else { continue }
          objects[owner.className]?[other]?[property.name] = member.without(link)
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

extension Member {
  /// The member after the object of a link has gone.
  fileprivate func without(_ link: Value) -> Member {
    switch self {
    case .value(let value): .value(value == link ? .null : value)
    case .list(let values): .list(values.filter { $0 != link })
    case .map(let map):
      .map(ValueMap(map.entries.map { ($0.key, $0.value == link ? .null : $0.value) }))
    case .embedded, .embeddedList, .embeddedMap: self
    }
  }
}
