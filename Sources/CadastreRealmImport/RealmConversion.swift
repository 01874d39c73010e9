import CadastreModel
import CadastreRealmFile
import CadastreStore

/// The state that the converters of an import share: the links, and the embedded objects.
final class RealmConversion {
  let pass: RealmFilePass
  let links = RealmLinks()
  private let catalogue: Catalogue
  private let tables: [String: RealmFileTable]
  private var embedded: [String: EmbeddedObjects] = [:]
  /// The converters of embedded objects in their owners' rows, by layout.
  private var inline: [ObjectIdentifier: RealmRowConverter] = [:]
  /// The converters of objects with rows, by class.
  private var rows: [String: RealmRowConverter] = [:]

  init(_ classes: RealmClasses, _ catalogue: Catalogue, _ pass: RealmFilePass) {
    self.pass = pass
    self.catalogue = catalogue
    tables = classes.tables
  }

  /// Adds the objects of an embedded class.
  func addEmbedded(_ className: String, _ objects: RealmFileObjects) {
    embedded[className] = EmbeddedObjects(objects)
  }

  /// The number of embedded objects without an owner, by class.
  var unowned: [String: Int] { embedded.mapValues(\.unowned).filter { $0.value > 0 } }

  /// Returns the converter of embedded objects that are stored in their owners' rows.
  func converter(_ layout: EmbeddedLayout) throws -> RealmRowConverter {
    if let converter = inline[ObjectIdentifier(layout)] { return converter }
    let converter = RealmRowConverter(
      try table(layout.schema.className), layout.schema, layout.fields, layout.point, self)
    inline[ObjectIdentifier(layout)] = converter
    return converter
  }

  /// Returns the converter of objects that are stored in the table of their class.
  func converter(table className: String) throws -> RealmRowConverter {
    if let converter = rows[className] { return converter }
    guard let layout = catalogue.layout(className) else {
      throw RealmImportError("class '\(className)' has no table")
    }
    let converter = RealmRowConverter(
      try table(className), layout.schema, layout.fields, layout.point,
      columnCount: layout.columns.count, self)
    rows[className] = converter
    return converter
  }

  private func table(_ className: String) throws -> RealmFileTable {
    guard let table = tables[className] else {
      throw RealmImportError("class '\(className)' is not in the file")
    }
    return table
  }

  /// Returns the embedded object to which a value refers; nil for null and for a missing object.
  ///
  /// - Throws: ``RealmImportError`` if another object owns it, or if the nesting is too deep.
  func owned(
    _ value: Value, _ property: Property, _ name: String, _ depth: Int
  ) throws -> (cluster: RealmFileCluster, row: Int)? {
    guard case .link(let key) = value, let className = property.objectClassName,
      let objects = embedded[className]
    else { return nil }
    guard depth < Self.maximumDepth else {
      throw RealmImportError(
        "property '\(name)': embedded objects are nested more than \(Self.maximumDepth) levels deep"
      )
    }
    guard let position = try objects.claim(key) else {
      links.noteDangling(name)
      return nil
    }
    guard let position else {
      throw RealmImportError(
        "property '\(name)': embedded object \(key) of class '\(className)' has two owners; "
          + "expected one")
    }
    return try objects.object(at: position)
  }

  private static let maximumDepth = 500
}

/// The objects of an embedded class; each has one owner.
private final class EmbeddedObjects {
  private let objects: RealmFileObjects
  /// A bit for each object, set when an owner claims the object.
  private var claimed: [UInt64]
  private var claimedCount = 0
  private var current: (index: Int, cluster: RealmFileCluster)?

  init(_ objects: RealmFileObjects) {
    self.objects = objects
    claimed = Array(repeating: 0, count: objects.count / 64 + 1)
  }

  var unowned: Int { objects.count - claimedCount }

  /// Claims an object for an owner and returns its position; nil if it does not exist, an inner nil if it
  /// was claimed before.
  func claim(_ key: ObjectKey) throws -> Int?? {
    guard let position = try objects.position(of: key.rawValue) else { return nil }
    let bit = UInt64(1) << UInt64(position % 64)
    guard claimed[position / 64] & bit == 0 else { return .some(nil) }
    claimed[position / 64] |= bit
    claimedCount += 1
    return position
  }

  /// Returns an object; its cluster is cached, because owners mostly refer to successive objects.
  func object(at position: Int) throws -> (cluster: RealmFileCluster, row: Int) {
    let index = objects.clusterIndex(at: position)
    if let current, current.index == index {
      return (current.cluster, position - current.cluster.start)
    }
    let cluster = try objects.cluster(index)
    current = (index, cluster)
    return (cluster, position - cluster.start)
  }
}

/// A map from the keys of the objects in a file to their keys in the store.
final class RealmLinks {
  /// The objects with rows of each imported class, by the name of the table.
  private var targets: [String: (className: String, objects: RealmFileObjects)] = [:]
  /// The number of links to missing objects, by class and property.
  private(set) var dangling: [String: Int] = [:]

  /// Adds the objects of a class.
  func add(_ className: String, _ objects: RealmFileObjects) {
    targets[objects.table.name] = (className, objects)
  }

  /// Returns the key of a linked object; nil if it does not exist.
  ///
  /// New classes number their objects from 1, in the order of the file.
  func key(
    _ table: String, _ key: ObjectKey, for property: String
  ) throws(RealmFileError) -> ObjectKey? {
    guard let position = try targets[table]?.objects.position(of: key.rawValue) else {
      noteDangling(property)
      return nil
    }
    return ObjectKey(Int64(position) + 1)
  }

  /// Counts a link to a missing object.
  func noteDangling(_ property: String) { dangling[property, default: 0] += 1 }

  /// Returns a mixed value with keys of the store in its links; links to missing objects are null.
  func mixed(_ value: Value, for property: String) throws(RealmFileError) -> Value {
    switch value {
    case .object(let address):
      guard let key = try key(address.className, address.key, for: property),
        let className = targets[address.className]?.className
      else { return .null }
      return .object(ObjectAddress(className: className, key: key))
    case .list(let values):
      var converted: [Value] = []
      converted.reserveCapacity(values.count)
      for value in values { converted.append(try mixed(value, for: property)) }
      return .list(converted)
    case .map(let map):
      var entries: [(String, Value)] = []
      for entry in map.entries {
        entries.append((entry.key, try mixed(entry.value, for: property)))
      }
      return .map(ValueMap(entries))
    default: return value
    }
  }
}
