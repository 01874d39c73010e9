import CadastreModel

/// What becomes of the fields of an object when its class changes, or its place.
///
/// Columns are named by their index in the layout before and after.
struct FieldMatch {
  /// Columns that hold what another held before.
  var columns: [(old: Int, new: Int)] = []
  /// New columns of required properties, with what they hold at first, and the column that tells whether
  /// the embedded object is there that has them.
  var added: [(column: Int, literal: String, presence: Int?)] = []
  /// Columns that may hold null no more.
  var filled: [(column: Int, literal: String, presence: Int?)] = []
  /// Collections that hold what others held before, with what takes the place of nulls.
  var collections: [(old: CollectionLayout, new: CollectionLayout, literal: String?)] = []
  /// Collections that begin empty.
  var addedCollections: [CollectionLayout] = []
  /// Embedded objects that leave their owner's row for one of their own, whose key goes where they were.
  var unfolded: [(old: EmbeddedLayout, target: String)] = []
  /// Objects that leave their rows for their owner's.
  var folded: [(target: String, new: EmbeddedLayout)] = []
  /// Places that are kept in another form.
  var points: [PointMove] = []
  /// Embedded objects that stay in their owner's row, with the fields before and after.
  var embedded: [(old: EmbeddedLayout, new: EmbeddedLayout)] = []
}

/// A place that is kept in another form than before.
struct PointMove {
  /// How a place is kept.
  enum Form {
    /// In the columns of a point.
    case point(PointColumns)
    /// As ordinary properties; those that the class lacks are nil.
    case members(type: Int?, coordinates: CollectionLayout?)
  }

  let old: Form
  let new: Form
  /// The column that tells whether the embedded object is there; nil for one with a row of its own.
  let oldPresence: Int?
}

/// Pairs the fields that a class had with those that it has.
struct FieldMatcher {
  /// The classes before.
  let old: Schema
  /// The classes after.
  let new: Schema
  /// The columns before of properties that have been renamed, by class and column after.
  var renamed: [String: [String: String]] = [:]

  /// One object's fields, before or after.
  struct Side {
    let schema: ObjectSchema
    let fields: [FieldLayout]
    let point: PointColumns?
    /// The column that tells whether the embedded object is there; nil for one with a row of its own.
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

  /// Pairs all fields of an object.
  func match(_ old: Side, _ new: Side) -> FieldMatch {
    var match = FieldMatch()
    add(old, new, to: &match)
    return match
  }

  private func add(_ old: Side, _ new: Side, to match: inout FieldMatch) {
    for (property, field) in zip(new.schema.properties, new.fields) {
      let column = renamed[new.schema.className]?[property.columnName] ?? property.columnName
      if let (previous, before) = old.field(inColumn: column) {
        add(previous, before, property, field, new.presence, to: &match)
      } else {
        add(property, field, new.presence, to: &match)
      }
    }
    addPoint(old, new, to: &match)
  }

  /// Pairs one property with what it was.
  func add(
    _ previous: Property, _ before: FieldLayout, _ property: Property, _ field: FieldLayout,
    _ presence: Int?, to match: inout FieldMatch
  ) {
    let isSame =
      previous.type == property.type && previous.collection == property.collection
      && previous.objectClassName == property.objectClassName
    let isFilled = previous.isOptional && !property.isOptional
    let literal = isFilled ? property.type.zeroLiteral : nil
    switch (before, field) {
    case (.scalar(let old), .scalar(let new)) where isSame:
      match.columns.append((old, new))
      if let literal { match.filled.append((new, literal, presence)) }
    case (.link(let old), .link(let new)), (.link(let old), .owned(let new)),
      (.owned(let old), .link(let new)), (.owned(let old), .owned(let new)):
      guard isSame else { return add(property, field, presence, to: &match) }
      match.columns.append((old, new))
    case (.collection(let old), .collection(let new)) where isSame:
      match.columns.append((old.countColumn, new.countColumn))
      match.collections.append((old, new, literal))
    case (.embedded(let old), .embedded(let new)) where isSame:
      match.columns.append((old.presence, new.presence))
      match.embedded.append((old, new))
      add(Side(old), Side(new), to: &match)
    case (.embedded(let old), .link(let new)), (.embedded(let old), .owned(let new)):
      guard isSame, let target = property.objectClassName else {
        return add(property, field, presence, to: &match)
      }
      match.columns.append((old.presence, new))
      match.unfolded.append((old, target))
    case (.link(let old), .embedded(let new)), (.owned(let old), .embedded(let new)):
      guard isSame, let target = property.objectClassName else {
        return add(property, field, presence, to: &match)
      }
      match.columns.append((old, new.presence))
      match.addedCollections += new.fields.collections
      match.folded.append((target, new))
    default: add(property, field, presence, to: &match)
    }
  }

  /// Notes a property that was not there before.
  private func add(
    _ property: Property, _ field: FieldLayout, _ presence: Int?, to match: inout FieldMatch
  ) {
    switch field {
    case .scalar(let column):
      guard !property.isOptional, let literal = property.type.zeroLiteral else { return }
      match.added.append((column, literal, presence))
    case .collection(let layout):
      match.added.append((layout.countColumn, "0", presence))
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

  /// Where the members of a point are in a class that has not its shape, as far as they are of its types.
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
