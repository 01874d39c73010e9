import CadastreModel
import CadastrePredicate
import CadastreStore

/// Where a managed object is stored: a row, and in it the fields of the object's class.
struct ObjectPosition {
  /// The row, shared with the objects embedded in it.
  let row: ManagedRow
  /// What tells an embedded object from one that has taken its place.
  private let embedded: EmbeddedPlace?

  /// The position of an object with a row of its own.
  init(_ row: ManagedRow) {
    self.row = row
    embedded = nil
  }

  /// The position of the object that a field of an owner holds now.
  init(_ row: ManagedRow, _ layout: EmbeddedLayout) {
    self.init(row, layout, generation: row.value(layout.presence))
  }

  /// The position of the object with a number that a field of an owner holds.
  init(_ row: ManagedRow, _ layout: EmbeddedLayout, generation: Value) {
    self.row = row
    embedded = EmbeddedPlace(layout, generation)
  }

  /// Where the properties are kept in the row.
  var fields: [FieldLayout] { embedded?.layout.fields ?? row.table.layout.fields }

  /// The columns of the place, of a point.
  var pointColumns: PointColumns? {
    if let embedded { embedded.layout.point } else { row.table.layout.point }
  }

  /// The position in another row of what is kept in this one; nil where that row holds another object
  /// in its place.
  func moved(to row: ManagedRow) -> ObjectPosition? {
    guard let embedded else { return ObjectPosition(row) }
    let position = ObjectPosition(row, embedded.layout)
    return row.value(embedded.layout.presence) == embedded.generation ? position : nil
  }

  var isValid: Bool {
    guard row.isValid else { return false }
    guard let embedded else { return true }
    return row.value(embedded.layout.presence) == embedded.generation || row.isUnreadable
  }

  /// Where a property is kept.
  func field(_ property: Int) -> FieldLayout {
    checkValid()
    return fields[property]
  }

  /// Where an embedded object is kept in its owner's row; nil for an object with a row of its own.
  var embeddedLayout: EmbeddedLayout? { embedded?.layout }

  /// What a question names the object by that is there now; one that has gone is equal to nothing.
  var identity: ObjectReference.Identity {
    guard isValid else { return .unmanaged }
    guard let embedded else { return .key(row.key) }
    guard case .int(let number) = embedded.generation else { return .unmanaged }
    return .embedded(in: row.address, at: embedded.layout.path, number: number)
  }

  /// Whether two positions are in the same row.
  func isSameRow(as other: ObjectPosition?) -> Bool {
    guard let other else { return false }
    return row.core === other.row.core && row.address == other.row.address
  }

  /// Whether two embedded objects are in the same place of the same row.
  func isSamePlace(as other: ObjectPosition) -> Bool {
    isSameRow(as: other)
      && embedded?.layout.presence == other.embedded?.layout.presence
      && embedded?.generation == other.embedded?.generation
  }

  private func checkValid() {
    if embedded == nil { row.requireValid() }
    checkEmbedded()
  }

  /// Stops the process where an embedded object is gone; the row of one that is none is not looked at.
  private func checkEmbedded() {
    guard let embedded, row.value(embedded.layout.presence) != embedded.generation,
      !row.isUnreadable
    else { return }
    Misuse.stop(
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
    case .collection, .pointCoordinates: valueElsewhere()
    }
  }

  /// Null, for what the row says nothing of but that it is there.
  private func valueElsewhere() -> Value {
    checkValid()
    return .null
  }

  func set(_ value: Value, _ property: Int, of object: ObjectBase) {
    let info = object.classInfo
    func name() -> String {
      "\(info.schema.className).\(info.schema.properties[property].name)"
    }
    if info.schema.properties[property].isPrimaryKey {
      if self.value(property) == value { return }
      guard row.core.allowsNewKeys(of: info.schema.className) else {
        Misuse.stop("Primary key can't be changed after an object is inserted: '\(name())'.")
      }
    }
    row.requireWrite(name())
    ObjectWriter.checkSize(value, name())
    checkEmbedded()
    switch fields[property] {
    case .scalar(let column), .link(let column): row.set([(column, value)])
    case .embedded, .owned, .collection, .pointCoordinates: break
    case .pointType:
      var content = pointContent
      if case .string(let type) = value { content.type = type }
      setPointContent(content)
    }
  }

  /// The members of a point.
  var pointContent: PointColumns.Content {
    guard let columns = pointColumns else { return PointColumns.Content(type: "", coordinates: []) }
    checkValid()
    return columns.content(row.values)
  }

  func setPointContent(_ content: PointColumns.Content) {
    guard let columns = pointColumns else { return }
    checkValid()
    row.requireWrite("coordinates")
    var values = row.values
    columns.write(content, to: &values)
    let places = [columns.longitude, columns.latitude, columns.altitude, columns.odd]
    row.set(places.map { ($0, values[$0]) })
  }
}

/// A field of an owner, and the number of the object in it.
// Few objects are embedded ones; those that are not need no room for this.
private final class EmbeddedPlace {
  let layout: EmbeddedLayout
  let generation: Value

  init(_ layout: EmbeddedLayout, _ generation: Value) {
    self.layout = layout
    self.generation = generation
  }
}
