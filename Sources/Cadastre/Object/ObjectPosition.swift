import CadastreModel
import CadastrePredicate
import CadastreStore

/// The storage of a managed object: a row, and the fields of the object in the row.
struct ObjectPosition {
  /// The row.
  let row: ManagedRow
  /// The identity of an embedded object among the successive objects of its owner's field; nil for an object
  /// with a row.
  let embedded: EmbeddedIdentity?

  /// Creates the position of an object with a separate row, or of an embedded object in the row.
  init(_ row: ManagedRow, _ embedded: EmbeddedIdentity? = nil) {
    self.row = row
    self.embedded = embedded
  }

  /// Creates the position of the current embedded object of an owner's field.
  init(_ row: ManagedRow, _ layout: EmbeddedLayout) {
    self.init(row, layout, generation: row.value(layout.presence))
  }

  /// Creates the position of the embedded object with a generation.
  init(_ row: ManagedRow, _ layout: EmbeddedLayout, generation: Value) {
    self.row = row
    embedded = EmbeddedIdentity(layout, generation, birth: row.core.currentGeneration)
  }

  /// The fields of the properties in the row.
  var fields: [FieldLayout] { embedded?.layout.fields ?? row.table.layout.fields }

  /// The coordinate columns of a point.
  var pointColumns: PointColumns? {
    if let embedded { embedded.layout.point } else { row.table.layout.point }
  }

  /// Returns the position of the same object in another row; nil if the field of that row has another object.
  func moved(to row: ManagedRow) -> ObjectPosition? {
    guard let embedded else { return ObjectPosition(row) }
    let position = ObjectPosition(row, embedded.layout)
    return row.value(embedded.layout.presence) == embedded.generation ? position : nil
  }

  var isValid: Bool {
    guard row.isValid else { return false }
    guard let embedded else { return true }
    return isInRow(embedded)
  }

  /// Returns whether the row contains an embedded object that no rolled-back transaction has removed; true if
  /// the row cannot be read.
  private func isInRow(_ embedded: EmbeddedIdentity) -> Bool {
    let column = embedded.layout.presence
    let isSame =
      row.value(column) == embedded.generation
      // An unreadable row has null in all columns.
      || row.readableValue(column).map { $0 == embedded.generation } ?? true
    return isSame && !row.table.isRevoked(row.key, member: column, since: embedded.birth)
  }

  /// Whether the object exists.
  ///
  /// If its row is missing from a damaged file, an error is reported, an empty row is read, and the result is
  /// true.
  var isReadable: Bool { isValid || row.reportMissingRow() }

  /// Returns the field of a property that is about to be set.
  ///
  /// Setting a link finds out whether the object exists.
  func fieldToSet(_ property: Int) -> FieldLayout {
    if embedded == nil, case .link = fields[property] { return fields[property] }
    return field(property)
  }

  /// Returns the field of a property.
  func field(_ property: Int) -> FieldLayout {
    checkValid()
    return fields[property]
  }

  /// The layout of an embedded object in its owner's row; nil for an object with a separate row.
  var embeddedLayout: EmbeddedLayout? { embedded?.layout }

  /// The identity of the object in queries; a deleted object is not equal to any object.
  var identity: ObjectReference.Identity {
    guard isValid else { return .unmanaged }
    guard let embedded else { return .key(row.key) }
    guard case .int(let number) = embedded.generation else { return .unmanaged }
    return .embedded(in: row.address, at: embedded.layout.path, number: number)
  }

  /// Returns whether two positions are in the same row.
  ///
  /// A new row may have the key of one that was rolled back, which is another object.
  func isSameRow(as other: ObjectPosition?) -> Bool {
    guard let other else { return false }
    return row.core === other.row.core && row.address == other.row.address
      && row.insertion == other.row.insertion
  }

  /// Returns whether two embedded objects are the same object of the same row.
  func isSameObject(as other: ObjectPosition) -> Bool {
    isSameRow(as: other)
      && embedded?.layout.presence == other.embedded?.layout.presence
      && embedded?.generation == other.embedded?.generation
  }

  private func checkValid() {
    if embedded == nil { row.requireValid() }
    checkEmbedded()
  }

  /// Stops the process if an embedded object was deleted; does not read the row of an object with a
  /// separate row.
  private func checkEmbedded() {
    guard let embedded, !isInRow(embedded) else { return }
    ProgrammingError.stop(
      "Object has been deleted or invalidated: the embedded '\(embedded.layout.schema.className)' "
        + "is no longer in its owner.")
  }

  // MARK: Values

  func value(_ property: Int) -> Value {
    if embedded == nil, let column = row.table.column(of: property) { return row.value(column) }
    checkEmbedded()
    return switch fields[property] {
    case .scalar(let column), .link(let column), .owned(let column): row.value(column)
    case .embedded(let layout): row.value(layout.presence)
    case .pointType: .string(pointContent.type)
    case .collection, .pointCoordinates: valueOutsideRow()
    }
  }

  /// Returns null for a property stored outside of the row, after a check of the object.
  private func valueOutsideRow() -> Value {
    checkValid()
    return .null
  }

  func set(_ value: Value, _ property: Int, of object: ObjectBase) {
    let info = object.classInfo
    if info.schema.properties[property].isPrimaryKey {
      guard let migrating = row.core as? MigratingCore else {
        ProgrammingError.stop(
          "Primary key can't be changed after an object is inserted: '\(info.name(of: property))'.")
      }
      if self.value(property) == value { return }
      migrating.allowNewKeys(of: info.schema.className)
    }
    row.requireWrite(info.name(of: property))
    ObjectWriter.checkSize(value, info.name(of: property))
    checkEmbedded()
    switch fields[property] {
    case .scalar(let column), .link(let column): row.set(column, value)
    case .embedded, .owned, .collection, .pointCoordinates: break
    case .pointType:
      var content = pointContent
      if case .string(let type) = value { content.type = type }
      setPointContent(content)
    }
  }

  /// The type and the coordinates of a point.
  var pointContent: PointColumns.Content {
    guard let columns = pointColumns else { return PointColumns.Content(type: "", coordinates: []) }
    checkValid()
    return columns.content(values(with: columns))
  }

  /// Returns the columns of the row, without large values but with those of a point.
  private func values(with columns: PointColumns) -> [Value] {
    var values = row.valuesWithoutLarge
    values[columns.odd] = row.value(columns.odd)
    return values
  }

  func setPointContent(_ content: PointColumns.Content) {
    guard let columns = pointColumns else { return }
    checkValid()
    row.requireWrite("coordinates")
    var values = values(with: columns)
    columns.write(content, to: &values)
    let places = [columns.longitude, columns.latitude, columns.altitude, columns.odd]
    row.set(places.map { ($0, values[$0]) })
  }
}

/// The field of an owner, and the generation of the embedded object.
// A class, so that positions of objects with a row need only a nil reference.
final class EmbeddedIdentity {
  let layout: EmbeddedLayout
  /// The number of the object among the successive objects of the field.
  let generation: Value
  /// The generation of the Realm in which the instance was created.
  let birth: UInt64

  init(_ layout: EmbeddedLayout, _ generation: Value, birth: UInt64) {
    self.layout = layout
    self.generation = generation
    self.birth = birth
  }
}

extension [FieldLayout] {
  /// The columns that number embedded objects, including those of nested objects.
  var presenceColumns: [Int] {
    flatMap { field -> [Int] in
      switch field {
      case .embedded(let embedded): [embedded.presence] + embedded.fields.presenceColumns
      case .scalar, .link, .owned, .collection, .pointType, .pointCoordinates: []
      }
    }
  }
}

extension ObjectBase {
  /// Returns the source of a collection property of a managed object; nil for an unmanaged object.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - isChecked: Whether a deleted object stops the process; otherwise its collection is invalidated.
  /// - Returns: The source.
  func elementSource(_ property: Int, isChecked: Bool = true) -> (any ElementSource)? {
    position?.elementSource(property, isChecked: isChecked)
  }
}

extension ObjectPosition {
  /// Returns the source of the elements of a collection property; nil for other properties.
  ///
  /// - Parameters:
  ///   - property: The property.
  ///   - isChecked: Whether a deleted object stops the process.
  /// - Returns: The source.
  func elementSource(_ property: Int, isChecked: Bool = true) -> (any ElementSource)? {
    switch isChecked ? field(property) : fields[property] {
    case .collection(let layout):
      switch layout.kind {
      case .list: StoredList(self, layout)
      case .set: StoredSet(self, layout)
      case .map: StoredMap(self, layout)
      }
    case .pointCoordinates: PointCoordinates(self)
    case .scalar, .link, .owned, .embedded, .pointType: nil
    }
  }
}
