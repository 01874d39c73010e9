import CadastreModel
import CadastreStore

/// The primary keys of linked objects, which take the place of links in exported records.
///
/// A link to a class without a primary key stays the internal key of the object.
final class LinkKeys {
  /// A property with links, or with embedded objects that have some.
  private enum Step {
    /// Links to a class, and the column of its primary key.
    case link(target: TableLayout, column: Int)
    /// Embedded objects of a class.
    case embedded(className: String)
  }

  private let snapshot: Snapshot
  private let root: ObjectSchema
  private let schema: Schema
  /// The steps of each class, by the index of the property in records.
  private var steps: [String: [(index: Int, step: Step)]] = [:]
  private var known: [ObjectAddress: Value] = [:]

  /// The number of keys to remember.
  private static let capacity = 4096

  /// Creates the keys for the records of a class; nil if it has neither links nor embedded objects.
  init?(of root: ObjectSchema, in schema: Schema, _ snapshot: Snapshot) {
    (self.root, self.schema, self.snapshot) = (root, schema, snapshot)
    if steps(of: root).isEmpty { return nil }
  }

  /// Returns a record of the class with primary keys in place of links.
  ///
  /// - Throws: `StoreError`.
  func applied(to record: StoredRecord) throws(StoreError) -> StoredRecord {
    try resolved(record, root)
  }

  private func steps(of owner: ObjectSchema) -> [(index: Int, step: Step)] {
    if let known = steps[owner.className] { return known }
    let found = owner.properties.enumerated().compactMap { index, property in
      step(property).map { (index: index, step: $0) }
    }
    steps[owner.className] = found
    return found
  }

  private func step(_ property: Property) -> Step? {
    guard property.type == .object, let name = property.objectClassName, let target = schema[name]
    else { return nil }
    if target.isEmbedded { return target.isPointShaped ? nil : .embedded(className: name) }
    guard let layout = snapshot.catalogue.layout(name),
      let key = layout.schema.properties.firstIndex(where: \.isPrimaryKey),
      case .scalar(let column) = layout.fields[key]
    else { return nil }
    return .link(target: layout, column: column)
  }

  private func resolved(
    _ record: StoredRecord, _ owner: ObjectSchema
  ) throws(StoreError) -> StoredRecord {
    var record = record
    for (index, step) in steps(of: owner) where index < record.fields.count {
      record.fields[index].content = try resolved(record.fields[index].content, step)
    }
    return record
  }

  private func resolved(
    _ content: StoredRecord.Content, _ step: Step
  ) throws(StoreError) -> StoredRecord.Content {
    switch (content, step) {
    case (.value(.link(let key)), .link(let target, let column)):
      return .value(try primaryKey(of: key, target, column))
    case (.record(let record), .embedded(let name)):
      return try schema[name].map { (owner) throws(StoreError) in
        .record(try resolved(record, owner))
      } ?? content
    case (.list(let elements), _):
      var keys: [StoredRecord.Content] = []
      for element in elements { keys.append(try resolved(element, step)) }
      return .list(keys)
    case (.map(let entries), _):
      var keys: [(key: String, content: StoredRecord.Content)] = []
      for entry in entries { keys.append((entry.key, try resolved(entry.content, step))) }
      return .map(keys)
    default: return content
    }
  }

  private func primaryKey(
    of object: ObjectKey, _ target: TableLayout, _ column: Int
  ) throws(StoreError) -> Value {
    let address = ObjectAddress(className: target.schema.className, key: object)
    if let value = known[address] { return value }
    guard let row = try snapshot.row(target, object) else { return .link(object) }
    if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
    known[address] = row[column]
    return row[column]
  }
}
