import CadastreModel

/// The matching of an object's fields before and after a change of its class or its storage.
///
/// Columns are identified by their indexes in the layouts before and after.
struct FieldMatch {
  /// Columns that keep their values.
  var columns: [(old: Int, new: Int)] = []
  /// New columns with an initial value, the value, and the presence column of the embedded object that
  /// contains the column.
  var added: [(column: Int, value: Value, presence: Int?)] = []
  /// Columns that become required, the value that replaces null, and the presence column of the embedded
  /// object that contains the column.
  var filled: [(column: Int, value: Value, presence: Int?)] = []
  /// Collections that keep their elements, with the value that replaces null.
  var collections: [(old: CollectionLayout, new: CollectionLayout, value: Value?)] = []
  /// New collections, which are empty.
  var addedCollections: [CollectionLayout] = []
  /// Embedded objects that move from their owner's row to a separate row.
  var unfolded: [(old: EmbeddedLayout, target: String)] = []
  /// Objects that move from their own row to their owner's row.
  var folded: [(target: String, new: EmbeddedLayout)] = []
  /// Points whose storage form changes.
  var points: [PointMove] = []
  /// Embedded objects that stay in their owner's row.
  var embedded: [(old: EmbeddedLayout, new: EmbeddedLayout)] = []
}

/// A point whose storage form changes.
struct PointMove {
  /// The storage form of a point.
  enum Form {
    /// Point columns.
    case point(PointColumns)
    /// Ordinary properties; nil for a property that the class lacks.
    case members(type: Int?, coordinates: CollectionLayout?)
  }

  let old: Form
  let new: Form
  /// The former presence column of the embedded object; nil for an object with a separate row.
  let oldPresence: Int?
}

/// A matcher of the former fields of a class with its new ones.
struct FieldMatcher {
  /// The former schema.
  let old: Schema
  /// The new schema.
  let new: Schema
  /// The values of new properties.
  var initialValues = InitialValues()
  /// The former columns of renamed properties, by class and new column.
  var renamed: [String: [String: String]] = [:]

  /// The fields of an object, before or after the change.
  struct Side {
    let schema: ObjectSchema
    let fields: [FieldLayout]
    let point: PointColumns?
    /// The presence column of the embedded object; nil for an object with a separate row.
    let presence: Int?

    init(_ layout: TableLayout) {
      schema = layout.schema
      fields = layout.fields
      point = layout.point
      presence = nil
    }

    init(_ layout: EmbeddedLayout) {
      schema = layout.schema
      fields = layout.fields
      point = layout.point
      presence = layout.presence
    }

    func field(inColumn name: String) -> (Property, FieldLayout)? {
      schema.properties.firstIndex { $0.columnName == name }
        .map { (schema.properties[$0], fields[$0]) }
    }
  }

  /// Matches all fields of an object.
  func match(_ old: Side, _ new: Side) -> FieldMatch {
    var match = FieldMatch()
    add(old, new, to: &match)
    return match
  }

  private func add(_ old: Side, _ new: Side, to match: inout FieldMatch) {
    for (property, field) in zip(new.schema.properties, new.fields) {
      let column = renamed[new.schema.className]?[property.columnName] ?? property.columnName
      if let (previous, before) = old.field(inColumn: column) {
        add(previous, before, property, field, of: new, to: &match)
      } else {
        add(property, field, of: new, to: &match)
      }
    }
    addPoint(old, new, to: &match)
  }

  /// Adds the match of a property with its former version.
  func add(
    _ previous: Property, _ before: FieldLayout, _ property: Property, _ field: FieldLayout,
    of owner: Side, to match: inout FieldMatch
  ) {
    let isSame =
      previous.type == property.type && previous.collection == property.collection
      && previous.objectClassName == property.objectClassName
    let isFilled = previous.isOptional && !property.isOptional
    let className = owner.schema.className
    switch (before, field) {
    case (.scalar(let old), .scalar(let new)) where isSame:
      match.columns.append((old, new))
      if isFilled, let value = initialValues.value(of: property, in: className) {
        match.filled.append((new, value, owner.presence))
      }
    case (.link(let old), .link(let new)), (.link(let old), .owned(let new)),
      (.owned(let old), .link(let new)), (.owned(let old), .owned(let new)):
      guard isSame else { return add(property, field, of: owner, to: &match) }
      match.columns.append((old, new))
    case (.collection(let old), .collection(let new)) where isSame:
      match.columns.append((old.countColumn, new.countColumn))
      let value = isFilled ? initialValues.element(of: property, in: className) : nil
      match.collections.append((old, new, value))
    case (.embedded(let old), .embedded(let new)) where isSame:
      match.columns.append((old.presence, new.presence))
      match.embedded.append((old, new))
      add(Side(old), Side(new), to: &match)
    case (.embedded(let old), .link(let new)), (.embedded(let old), .owned(let new)):
      guard isSame, let target = property.objectClassName else {
        return add(property, field, of: owner, to: &match)
      }
      match.columns.append((old.presence, new))
      match.unfolded.append((old, target))
    case (.link(let old), .embedded(let new)), (.owned(let old), .embedded(let new)):
      guard isSame, let target = property.objectClassName else {
        return add(property, field, of: owner, to: &match)
      }
      match.columns.append((old, new.presence))
      match.addedCollections += new.fields.collections
      match.folded.append((target, new))
    default: add(property, field, of: owner, to: &match)
    }
  }

  /// Adds a new property.
  private func add(
    _ property: Property, _ field: FieldLayout, of owner: Side, to match: inout FieldMatch
  ) {
    switch field {
    case .scalar(let column):
      guard let value = initialValues.value(of: property, in: owner.schema.className) else {
        return
      }
      match.added.append((column, value, owner.presence))
    case .collection(let layout):
      match.added.append((layout.countColumn, .int(0), owner.presence))
      match.addedCollections.append(layout)
    case .embedded(let layout): match.addedCollections += layout.fields.collections
    case .link, .owned, .pointType, .pointCoordinates: break
    }
  }

  private func addPoint(_ old: Side, _ new: Side, to match: inout FieldMatch) {
    switch (old.point, new.point) {
    case (nil, nil): break
    case (let before?, let after?):
      match.columns += [
        (before.longitude, after.longitude), (before.latitude, after.latitude),
        (before.altitude, after.altitude), (before.odd, after.odd),
      ]
    case (let point?, nil):
      match.points.append(
        PointMove(old: .point(point), new: Self.members(of: new), oldPresence: old.presence))
    case (nil, let point?):
      match.points.append(
        PointMove(old: Self.members(of: old), new: .point(point), oldPresence: old.presence))
    }
  }

  /// Returns the storage of a point's members in a class without the shape of a point; nil for a member whose
  /// type does not fit.
  private static func members(of side: Side) -> PointMove.Form {
    var type: Int?
    var coordinates: CollectionLayout?
    for (property, field) in zip(side.schema.properties, side.fields) {
      switch (property.name, field) {
      case (ObjectSchema.pointTypeName, .scalar(let column)) where property.type == .string:
        type = column
      case (ObjectSchema.pointCoordinatesName, .collection(let layout))
      where property.type == .double && layout.kind == .list && !property.isOptional:
        coordinates = layout
      default: break
      }
    }
    return .members(type: type, coordinates: coordinates)
  }
}
