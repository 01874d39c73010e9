import CadastreModel

/// A builder that collects columns and indexes while it traverses the properties of a class.
struct TableLayoutBuilder {
  let classes: Schema
  let className: String
  let tableName: String
  var columns: [Column] = []
  var valueIndexes: [TableLayout.ValueIndex] = []
  var compoundIndexes: [TableLayout.ValueIndex] = []
  var spatialIndexes: [TableLayout.SpatialIndex] = []
  var textIndexes: [TableLayout.TextIndex] = []
  var owned: [TableLayout.OwnedColumn] = []
  private var columnNames = DistinctNames("#", ignoresCase: true, used: [TableLayout.keyName])
  /// The names of the spatial indexes and of the tables in which SQLite stores them, in lower case.
  private var spatialNames: Set<String> = []

  init(classes: Schema, className: String, tableName: String) {
    self.classes = classes
    self.className = className
    self.tableName = tableName
  }

  /// Returns the fields of a class; `point` contains the point columns of a class with the shape of a point.
  mutating func fields(
    of schema: ObjectSchema, _ point: PointColumns?, path: [Property]
  ) -> [FieldLayout] {
    let fields = schema.properties.map { property -> FieldLayout in
      switch (point, property.name) {
      case (.some, ObjectSchema.pointTypeName): .pointType
      case (.some, ObjectSchema.pointCoordinatesName): .pointCoordinates
      default: field(property, path: path)
      }
    }
    for names in schema.compoundIndexes { addCompoundIndex(names, of: schema, fields, path) }
    return fields
  }

  mutating func pointColumns(of steps: [Property]) -> PointColumns {
    PointColumns(
      longitude: add(steps, .double, "longitude"), latitude: add(steps, .double, "latitude"),
      altitude: add(steps, .double, "altitude"), odd: add(steps, .string, "odd"))
  }

  private mutating func field(_ property: Property, path: [Property]) -> FieldLayout {
    let steps = path + [property]
    if let kind = property.collection { return .collection(collection(kind, steps, property)) }
    guard property.type == .object else {
      let column = add(steps, property.type)
      if property.type == .geometry {
        let name = addSpatialIndexName(columns[column].name)
        spatialIndexes.append(
          TableLayout.SpatialIndex(
            name: name, path: PropertyPath(steps.map(\.name)), source: .geometry(column)))
      }
      if property.isIndexed { addValueIndex(steps, column, isUnique: property.isPrimaryKey) }
      if property.isFullTextIndexed {
        textIndexes.append(
          TableLayout.TextIndex(
            name: "fts_\(tableName).\(columns[column].name)",
            path: PropertyPath(steps.map(\.name)), column: column))
      }
      return .scalar(column)
    }
    guard let target = classes.target(of: property), target.isEmbedded else {
      let column = add(steps, .object)
      addValueIndex(steps, column, isUnique: false, isLink: true)
      return .link(column)
    }
    guard classes.isInline(property) else {
      let column = add(steps, .object)
      addValueIndex(steps, column, isUnique: false, isLink: true)
      owned.append(TableLayout.OwnedColumn(column: column, target: target.className))
      return .owned(column)
    }
    return .embedded(embedded(target, steps))
  }

  private mutating func collection(
    _ kind: CollectionKind, _ steps: [Property], _ property: Property
  ) -> CollectionLayout {
    let column = add(steps, .int)
    let target = classes.target(of: property)
    return CollectionLayout(
      kind: kind, path: PropertyPath(steps.map(\.name)), ownerClass: className,
      countColumn: column, tableName: "\(tableName).\(columns[column].name)",
      element: Column(name: CollectionLayout.valueName, type: property.type),
      target: target?.className, isOwning: target?.isEmbedded == true)
  }

  private mutating func embedded(_ target: ObjectSchema, _ steps: [Property]) -> EmbeddedLayout {
    let presence = add(steps, .int)
    let path = PropertyPath(steps.map(\.name))
    var point: PointColumns?
    if target.isPointShaped {
      let columns = pointColumns(of: steps)
      let name = addSpatialIndexName(self.columns[presence].name)
      spatialIndexes.append(
        TableLayout.SpatialIndex(name: name, path: path, source: .point(columns)))
      point = columns
    }
    let fields = fields(of: target, point, path: steps)
    return EmbeddedLayout(
      schema: target, path: path, presence: presence, point: point, fields: fields,
      columns: presence..<columns.count)
  }

  private mutating func add(
    _ steps: [Property], _ type: PropertyType, _ suffix: String? = nil
  ) -> Int {
    let names = steps.map(\.columnName) + (suffix.map { [$0] } ?? [])
    let name = columnNames.add(names.joined(separator: "."))
    columns.append(Column(name: name, type: type))
    return columns.count - 1
  }

  /// Returns a name for a spatial index that differs from all other indexes and from the tables in which
  /// SQLite stores them.
  ///
  /// The full stop separates the names of classes and columns: otherwise `A_b` and `c` would give the same
  /// name as `A` and `b_c`.
  private mutating func addSpatialIndexName(_ column: String) -> String {
    var candidate = "rtree_\(tableName).\(column)"
    while true {
      let tables = ["", "_node", "_rowid", "_parent"].map { (candidate + $0).lowercased() }
      if spatialNames.isDisjoint(with: tables) {
        spatialNames.formUnion(tables)
        return candidate
      }
      candidate += "#"
    }
  }

  /// Returns the ordered indexes, with the integer primary key of a class in their entries; compound ones follow the
  /// others.
  func indexes(
    of schema: ObjectSchema, _ fields: [FieldLayout], _ isWithoutID: (StoredIndex) -> Bool
  ) -> [TableLayout.ValueIndex] {
    let indexes = valueIndexes + compoundIndexes
    guard let idColumn = schema.integerKeyColumn(fields) else { return indexes }
    return indexes.map { index in
      guard index.takes(idColumn),
        !isWithoutID(StoredIndex(index, on: tableName, columns, isUnique: false))
      else { return index }
      return index.containing(idColumn)
    }
  }

  private mutating func addValueIndex(
    _ steps: [Property], _ column: Int, isUnique: Bool, isLink: Bool = false
  ) {
    let name = "index_\(tableName).\(columns[column].name)"
    valueIndexes.append(
      TableLayout.ValueIndex(
        name: name, paths: [PropertyPath(steps.map(\.name))], columns: [column],
        isUnique: isUnique, isLink: isLink, queries: queries(name, [column])))
  }

  /// Adds an index on several properties of an object.
  private mutating func addCompoundIndex(
    _ names: [String], of schema: ObjectSchema, _ fields: [FieldLayout], _ path: [Property]
  ) {
    let members = names.compactMap { name -> Int? in
      guard let index = schema.index(of: name), case .scalar(let column) = fields[index] else {
        return nil
      }
      return column
    }
    // The rules of schemas exclude other properties.
    guard members.count == names.count else { return }
    // A property that a path could continue has no column of its own, so no other index has the name.
    let name = "index_\(tableName)." + members.map { columns[$0].name }.joined(separator: ".")
    compoundIndexes.append(
      TableLayout.ValueIndex(
        name: name, paths: names.map { PropertyPath(path.map(\.name) + [$0]) }, columns: members,
        queries: queries(name, members)))
  }

  private func queries(_ index: String, _ members: [Int]) -> [ValueIndexSQL] {
    let names = members.map { columns[$0].name }
    return names.indices.map { ValueIndexSQL(index, table: tableName, names, leading: $0) }
  }
}
