import CadastreModel

/// The change set of one transaction, with what is needed to undo it.
struct ChangeRecord {
  /// The classes whose definition has changed, and those of the changed objects with the classes of their embedded
  /// objects.
  var classes: [ChangedClass] = []
  /// The classes and properties that were renamed, in this order.
  var renames: [SchemaRename] = []
  /// The changed objects by class.
  var objects: [ChangedObjects] = []

  /// A class before and after the change; nil where it did not exist.
  struct ChangedClass {
    let before: ObjectSchema?
    let after: ObjectSchema?
    /// The columns before the change that contain days.
    let days: [String]

    var isChanged: Bool { before != after }
    var name: String { before?.className ?? after?.className ?? "" }
  }

  /// Whether nothing has changed.
  var isEmpty: Bool {
    renames.isEmpty && objects.isEmpty && !classes.contains(where: \.isChanged)
  }

  /// A class by its name; nil if neither its definition nor its objects have changed.
  subscript(className: String) -> ChangedClass? { classes.first { $0.name == className } }

  /// Returns the names of the properties of a class before or after the change.
  func names(of className: String, after: Bool) -> [String] {
    let changed = self[className]
    return (after ? changed?.after : changed?.before)?.properties.map(\.name) ?? []
  }

  /// A deleted object.
  struct Deletion {
    let key: Int64
    /// The primary key; null in a class without one.
    let primaryKey: Value
    /// All properties.
    let bytes: ArraySlice<UInt8>
  }

  /// The changed objects of a class.
  struct ChangedObjects {
    let className: String
    var inserted: Insertions = .none
    /// Whether objects got new properties and are too many for checksums.
    var isUncompared = false
    var deleted: [Deletion] = []
    var updates: [Update] = []
  }

  /// New objects.
  enum Insertions {
    case none
    /// Objects with the checksums of all their properties.
    case each([(key: Int64, checksum: UInt64)])
    /// Objects that are too many for checksums, between two keys.
    case many(ClosedRange<Int64>, count: Int)

    var count: Int {
      switch self {
      case .none: 0
      case .each(let objects): objects.count
      case .many(_, let count): count
      }
    }
  }

  /// Changes of the same properties of several objects.
  struct Update {
    /// The properties of the class before the change with former values; none where there are only new properties.
    let names: [String]
    /// The properties of the class after the change whose values have a checksum.
    let compared: [String]
    /// The objects with the former values, and the checksums of the new ones.
    var rows: [(key: Int64, bytes: ArraySlice<UInt8>, checksum: UInt64)] = []
  }
}

/// A class or a property that gets another name.
package enum SchemaRename: Hashable, Sendable {
  /// A class.
  case type(from: String, to: String)
  /// A property, whose column gets the new name too.
  case property(className: String, from: String, to: String)
}

// MARK: - Bytes

extension ChangeRecord {
  /// The first byte of a record.
  private static let format: Int = 1

  /// The bytes of the record.
  var bytes: [UInt8] {
    var writer = ChangeByteWriter()
    writer.append(count: Self.format)
    writer.append(count: classes.count)
    for changed in classes {
      writer.append(changed.before)
      writer.append(changed.isChanged)
      if changed.isChanged { writer.append(changed.after) }
      writer.append(changed.days)
    }
    writer.append(count: renames.count)
    for rename in renames {
      switch rename {
      case .type(let from, let to): for text in ["", from, to] { writer.append(text) }
      case .property(let className, let from, let to):
        for text in [className, from, to] { writer.append(text) }
      }
    }
    writer.append(count: objects.count)
    for changed in objects { changed.write(to: &writer) }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws(InvalidChangeBytes) {
    var reader = ChangeByteReader(bytes[...])
    guard try reader.count() == Self.format else { throw InvalidChangeBytes() }
    for _ in 0..<(try reader.count()) {
      let before = try reader.schema()
      let after = try reader.flag() ? reader.schema() : before
      classes.append(ChangedClass(before: before, after: after, days: try reader.texts()))
    }
    for _ in 0..<(try reader.count()) {
      let (className, from, to) = (try reader.text(), try reader.text(), try reader.text())
      renames.append(
        className.isEmpty
          ? .type(from: from, to: to) : .property(className: className, from: from, to: to))
    }
    for _ in 0..<(try reader.count()) { objects.append(try ChangedObjects(reading: &reader)) }
    guard reader.isAtEnd else { throw InvalidChangeBytes() }
  }
}

extension ChangeRecord.ChangedObjects {
  fileprivate func write(to writer: inout ChangeByteWriter) {
    writer.append(className)
    var last: Int64 = 0
    func step(to key: Int64) {
      writer.append(signed: key &- last)
      last = key
    }
    switch inserted {
    case .none, .each:
      guard case .each(let objects) = inserted else {
        writer.append(count: 0)
        break
      }
      writer.append(count: objects.count)
      for object in objects {
        step(to: object.key)
        writer.append(word: object.checksum)
      }
    case .many: writer.append(count: 0)
    }
    if case .many(let keys, let count) = inserted {
      writer.append(true)
      writer.append(signed: keys.lowerBound)
      writer.append(signed: keys.upperBound)
      writer.append(signed: Int64(count))
    } else {
      writer.append(false)
    }
    writer.append(isUncompared)
    writer.append(count: deleted.count)
    last = 0
    for object in deleted {
      step(to: object.key)
      writer.append(object.primaryKey)
      writer.append(bytes: object.bytes)
    }
    writer.append(count: updates.count)
    for update in updates {
      for names in [update.names, update.compared] { writer.append(names) }
      writer.append(count: update.rows.count)
      last = 0
      for row in update.rows {
        step(to: row.key)
        writer.append(bytes: row.bytes)
        if !update.compared.isEmpty { writer.append(word: row.checksum) }
      }
    }
  }

  fileprivate init(reading reader: inout ChangeByteReader) throws(InvalidChangeBytes) {
    className = try reader.text()
    var last: Int64 = 0
    var each: [(key: Int64, checksum: UInt64)] = []
    for _ in 0..<(try reader.count()) {
      last &+= try reader.signed()
      each.append((last, try reader.word(UInt64.self)))
    }
    if !each.isEmpty { inserted = .each(each) }
    if try reader.flag() {
      let (first, end, count) = (try reader.signed(), try reader.signed(), try reader.signed())
      guard first <= end, count >= 0, count <= Int64(Int.max) else { throw InvalidChangeBytes() }
      inserted = .many(first...end, count: Int(count))
    }
    isUncompared = try reader.flag()
    last = 0
    for _ in 0..<(try reader.count()) {
      last &+= try reader.signed()
      deleted.append(
        ChangeRecord.Deletion(
          key: last, primaryKey: try reader.value(), bytes: try reader.slice()))
    }
    for _ in 0..<(try reader.count()) {
      var update = ChangeRecord.Update(names: try reader.texts(), compared: try reader.texts())
      last = 0
      for _ in 0..<(try reader.count()) {
        last &+= try reader.signed()
        let bytes = try reader.slice()
        update.rows.append(
          (last, bytes, update.compared.isEmpty ? 0 : try reader.word(UInt64.self)))
      }
      updates.append(update)
    }
  }
}

extension ChangeByteWriter {
  /// Appends a class, or its absence.
  fileprivate mutating func append(_ schema: ObjectSchema?) {
    append(schema != nil)
    guard let schema else { return }
    append(schema.className)
    append(schema.isEmbedded)
    append(count: schema.properties.count)
    for property in schema.properties {
      append(property.name)
      append(property.columnName)
      append(property.type.description)
      append(property.isOptional)
      append(property.isPrimaryKey)
      append(property.isIndexed)
      append(property.isFullTextIndexed)
      append(property.collection?.rawValue ?? "")
      append(property.objectClassName ?? "")
    }
    append(count: schema.compoundIndexes.count)
    for names in schema.compoundIndexes { append(names) }
  }

  fileprivate mutating func append(_ texts: [String]) {
    append(count: texts.count)
    for text in texts { append(text) }
  }
}

extension ChangeByteReader {
  fileprivate mutating func texts() throws(InvalidChangeBytes) -> [String] {
    var texts: [String] = []
    for _ in 0..<(try count()) { texts.append(try text()) }
    return texts
  }

  /// Reads a class, or its absence.
  fileprivate mutating func schema() throws(InvalidChangeBytes) -> ObjectSchema? {
    guard try flag() else { return nil }
    let (className, isEmbedded) = (try text(), try flag())
    var properties: [Property] = []
    for _ in 0..<(try count()) { properties.append(try property()) }
    var compoundIndexes: [[String]] = []
    for _ in 0..<(try count()) { compoundIndexes.append(try texts()) }
    return ObjectSchema(
      className: className, properties: properties, isEmbedded: isEmbedded,
      compoundIndexes: compoundIndexes)
  }

  private mutating func property() throws(InvalidChangeBytes) -> Property {
    let (name, columnName) = (try text(), try text())
    guard let type = PropertyType(name: try text()) else { throw InvalidChangeBytes() }
    let (isOptional, isPrimaryKey) = (try flag(), try flag())
    let (isIndexed, isFullTextIndexed) = (try flag(), try flag())
    let (kind, target) = (try text(), try text())
    let collection = CollectionKind(rawValue: kind)
    guard kind.isEmpty || collection != nil else { throw InvalidChangeBytes() }
    return Property(
      name: name, columnName: columnName, type: type, isOptional: isOptional,
      isPrimaryKey: isPrimaryKey, isIndexed: isIndexed, isFullTextIndexed: isFullTextIndexed,
      collection: collection, objectClassName: target.isEmpty ? nil : target)
  }
}
