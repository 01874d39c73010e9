import CadastreFormatting
import CadastreModel

/// The class of imported objects, and the assignment of fields to its properties.
struct ImportedClass: Sendable {
  /// The destination of a field.
  enum Target: Hashable, Sendable {
    case property(String)
    case longitude
    case latitude
    case wkt
    /// The field is not selected.
    case ignored
  }

  /// The class and its embedded classes.
  let schema: Schema
  /// The class.
  let objectSchema: ObjectSchema
  /// The destination of each field, in the order of the inferred schema.
  let targets: [Target]
  /// The property for the geometries or the coordinates of the records; nil if there is none.
  let geometryProperty: String?
  /// The change of the stored class; nil if it stays as it is.
  let alteration: ClassAlteration?

  /// The use of the geometries of records.
  let geometryUse: GeometryUse
  /// The treatment of invalid geometries.
  let invalidShapes: InvalidShapes

  /// The name of the property with the location of a record.
  static let locationName = "location"
  /// The name of the property for geometries of all types.
  static let geometryName = "geometry"
  /// The embedded class of points.
  static let pointSchema = ObjectSchema(
    className: "Location",
    properties: [
      Property(name: ObjectSchema.pointTypeName, type: .string),
      Property(name: ObjectSchema.pointCoordinatesName, type: .double, collection: .list),
    ], isEmbedded: true)

  /// Creates a class for an inferred schema, or validates the schema against a stored class.
  ///
  /// - Parameters:
  ///   - settings: The settings of the import.
  ///   - inferred: The inferred schema.
  ///   - stored: The schema of the store.
  /// - Throws: ``ImportError`` or ``LocationColumnsError``.
  init(_ settings: ImportSettings, _ inferred: DatasetSchema, stored: Schema) throws {
    invalidShapes = settings.invalidShapes
    geometryUse = settings.geometryUse
    var inferred = inferred
    try Self.apply(settings.geometryUse, to: &inferred)
    let existing = stored[settings.className]
    let location = try Self.location(settings, inferred, existing)
    let names = inferred.fields.map(\.name)
    let renamed =
      inferred.hasRenamedFields ? [:] : try settings.table.renamedFields(among: names)
    let wanted = names.indices.map { field -> Target in
      if inferred.fields[field].isIgnored { return .ignored }
      return switch location {
      case .degrees(field, _): .longitude
      case .degrees(_, field): .latitude
      case .wkt(field): .wkt
      default: .property(renamed[names[field]] ?? Self.propertyName(names[field]))
      }
    }
    geometryProperty = Self.geometryProperty(
      settings, inferred, hasCoordinates: location != nil, wanted, existing, stored)
    targets = Self.distinct(wanted, geometryProperty: geometryProperty)
    let indexes = try Self.indexes(settings, targets)
    let newClass = Self.newClass(
      settings, inferred, targets, geometryProperty: geometryProperty, indexes: indexes)
    var alteration: ClassAlteration?
    if let existing {
      alteration = try Self.alteration(settings, inferred, targets, newClass, existing, stored)
    }
    let changed = alteration?.schema[settings.className] ?? existing
    self.alteration = alteration
    objectSchema = changed.map { Self.indexed($0, settings) } ?? newClass.class
    let embedded =
      existing == nil
      ? newClass.embedded : alteration?.schema.objectSchema.filter(\.isEmbedded) ?? []
    schema = Schema([objectSchema] + embedded)
    let pointName = Self.pointSchema.className
    if newClass.embedded.contains(Self.pointSchema), existing == nil {
      guard settings.className != pointName, stored[pointName].map(\.isPointShaped) ?? true else {
        throw ImportError(
          "class '\(pointName)' is reserved for embedded points; import into another class")
      }
    }
    let errors = SchemaRules.errors(of: stored.replacing(schema.objectSchema))
    guard errors.isEmpty else { throw ImportError(errors.joined(separator: "\n")) }
  }

  /// Changes the inferred schema for another use of the geometries.
  private static func apply(
    _ use: GeometryUse, to inferred: inout DatasetSchema
  ) throws(ImportError) {
    switch use {
    case .stored: return
    case .ignored:
      inferred.hasLocation = false
      // A column of well-known text is a text like others then.
      if inferred.hasCoordinateFields {
        for index in inferred.fields.indices
        where inferred.fields[index].shape == .scalar(.geometry) {
          inferred.fields[index].shape = .scalar(.string)
        }
      }
    case .centroid:
      guard inferred.hasLocation else {
        throw ImportError("--centroid: the records have no geometries of their own")
      }
    }
    inferred.hasShapes = false
  }

  /// Returns the change of the stored class that the files need; nil if they match it.
  private static func alteration(
    _ settings: ImportSettings, _ inferred: DatasetSchema, _ targets: [Target],
    _ newClass: (class: ObjectSchema, embedded: [ObjectSchema]), _ existing: ObjectSchema,
    _ stored: Schema
  ) throws(ImportError) -> ClassAlteration? {
    let mismatches = ClassCompatibility(
      stored, existing, newClass.class, inferred, targets, settings
    ).mismatches
    let alteration = ClassAlteration(
      existing, in: stored, newClass, inferred, targets, settings)
    guard !mismatches.isEmpty || settings.altersClass && !alteration.changes.isEmpty else {
      return nil
    }
    let altered = stored.replacing(alteration.schema.objectSchema)
    let remaining = ClassCompatibility(
      altered, altered[settings.className] ?? existing, newClass.class, inferred, targets, settings
    ).mismatches
    if settings.altersClass, remaining.isEmpty { return alteration }
    throw ImportError(
      "class '\(settings.className)' exists already and does not match the files: "
        + (settings.altersClass ? remaining : mismatches).joined(separator: "; ")
        + (remaining.isEmpty ? "; with --alter the class is changed" : ""))
  }

  /// Returns the property for the geometries or the coordinates of records; nil if there are none.
  ///
  /// In a stored class, the property `geometry` takes all geometries of records, and coordinates if
  /// there is no property `location`.
  private static func geometryProperty(
    _ settings: ImportSettings, _ inferred: DatasetSchema, hasCoordinates: Bool,
    _ targets: [Target], _ existing: ObjectSchema?, _ stored: Schema
  ) -> String? {
    guard inferred.hasLocation || hasCoordinates else { return nil }
    guard let existing else { return inferred.hasShapes ? geometryName : locationName }
    func takes(_ name: String) -> Bool {
      let holdsPoints = zip(targets, inferred.fields).contains { target, field in
        target == .property(name) && (field.shape == .point || field.shape == .scalar(.geometry))
      }
      guard let property = existing[name], !holdsPoints else { return false }
      return acceptsGeometries(property, of: name, stored)
    }
    let takesShapes = settings.geometryUse == .stored && takes(geometryName)
    if hasCoordinates { return takesShapes && !takes(locationName) ? geometryName : locationName }
    guard inferred.namesGeometry else { return nil }
    if inferred.hasShapes || takesShapes { return geometryName }
    return inferred.hasOnlyNullGeometries && !takes(locationName) ? nil : locationName
  }

  /// Returns whether a stored property can take the geometries that new classes store as `name`.
  static func acceptsGeometries(_ property: Property, of name: String, _ schema: Schema) -> Bool {
    guard property.collection == nil else { return false }
    return name == geometryName
      ? property.type == .geometry : schema.target(of: property)?.isPointShaped == true
  }

  /// Returns the columns with the location; nil if records have a geometry or no location.
  private static func location(
    _ settings: ImportSettings, _ inferred: DatasetSchema, _ existing: ObjectSchema?
  ) throws -> LocationColumns? {
    if settings.geometryUse == .ignored { return nil }
    // The empty name of an ignored column keeps the indexes of the others.
    let names = inferred.fields.map { $0.isIgnored ? "" : $0.name }
    if inferred.hasLocation, settings.wktColumn != nil || settings.location != nil {
      throw ImportError(
        "\(settings.wktColumn == nil ? "--location" : "--wkt"): the records have points of their own; "
          + "leave the option out")
    }
    guard inferred.hasCoordinateFields else {
      guard settings.wktColumn == nil, settings.location == nil else {
        throw ImportError(
          "\(settings.wktColumn == nil ? "--location" : "--wkt") applies to files without a "
            + "geometry of their own; leave the option out")
      }
      return nil
    }
    let shapes = Set(
      inferred.fields.indices.filter { inferred.fields[$0].shape == .scalar(.geometry) })
    if let name = settings.wktColumn {
      let column = try LocationColumns.wkt(named: name, in: names)
      if case .wkt(let index) = column, shapes.contains(index) { return nil }
      return column
    }
    if let pair = settings.location { return try LocationColumns.named(pair, in: names) }
    guard !inferred.hasLocation else { return nil }
    // A field `location` with points takes precedence over columns of degrees or text.
    let fields = inferred.fields.map(\.shape)
    if zip(names, fields).contains(where: { $0 == locationName && $1 == .point }) { return nil }
    // A property of the stored class with the name of a column takes its values.
    let free = names.map { existing?[propertyName($0)] == nil ? $0 : "" }
    let detected = try LocationColumns.detected(
      in: free, isProjected: settings.referenceSystem != nil)
    // A column of lines or polygons is a separate property.
    if case .wkt(let index)? = detected, shapes.contains(index) { return nil }
    // Columns `x` and `y` of a picture or a plan are no coordinates on the Earth.
    if case .degrees(let x, let y)? = detected, settings.referenceSystem == nil,
      inferred.fields[x].exceedsDegrees || inferred.fields[y].exceedsDegrees
    {
      return nil
    }
    return detected
  }

  /// Returns remarks for the user: changed names and missing locations.
  func notices(of inferred: DatasetSchema) -> [String] {
    var notices: [String] = []
    for (target, field) in zip(targets, inferred.fields) {
      guard case .property(let name) = target, name != field.name else { continue }
      let reason =
        Self.propertyName(field.name) == geometryProperty
        ? ", because the rows have a \(Self.propertyName(field.name)) of their own" : ""
      notices.append(
        "the field '\(printable(field.name))' becomes the property '\(printable(name))'\(reason)")
    }
    for field in inferred.fields where !field.isIgnored {
      guard let word = field.nullWord else { continue }
      notices.append("the field '\(printable(field.name))' is text because of \(word)")
    }
    let isNamed = !targets.contains { $0 == .longitude || $0 == .latitude }
    if geometryUse != .ignored, isNamed, inferred.fields.contains(where: \.exceedsDegrees) {
      notices.append(
        "the fields 'x' and 'y' are numbers, because some exceed the degrees of a longitude or a latitude; "
          + "--location x,y with --crs takes them as coordinates")
    } else if geometryUse != .ignored,
      !objectSchema.properties.contains(where: { $0.type == .object || $0.type == .geometry })
    {
      notices.append(
        "no field has a location; name columns with --location LON,LAT or --wkt COL if there are "
          + "some")
    }
    return notices
  }

  /// Returns the paths of the columns with days, see ``DatasetSchema/dayPaths(_:)``.
  func dayPaths(of inferred: DatasetSchema) -> [String] {
    inferred.dayPaths(
      zip(targets, inferred.fields).map { target, field in
        if case .property(let name) = target { name } else { Self.propertyName(field.name) }
      })
  }

  /// Returns the property name for a field name, without the characters of the path syntax.
  static func propertyName(_ field: String, suffix: String = "") -> String {
    var name = field.replacing(".", with: "_")
    if name.hasPrefix("#") { name = String(name.drop { $0 == "#" }) }
    if name.contains(where: \.isNewline) {
      name = name.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
    let maximum = SchemaRules.maximumPropertyNameBytes - suffix.utf8.count
    while name.utf8.count > maximum { name.removeLast() }
    return (name.isEmpty ? "field" : name) + suffix
  }

  /// Returns the properties of each index of the settings; throws where a name is that of no column.
  private static func indexes(
    _ settings: ImportSettings, _ targets: [Target]
  ) throws(ImportError) -> [[String]] {
    let names = targets.compactMap { if case .property(let name) = $0 { name } else { nil } }
    let indexes = settings.indexedProperties(among: names)
    guard !indexes.contains([]) else {
      throw ImportError(
        "--index: found no name of a column; expected columns, separated by commas, of "
          + names.joined(separator: ", "))
    }
    for (option, name) in indexes.joined().map({ ("--index", $0) })
      + (settings.primaryKey.map { [("--pk", $0)] } ?? [])
    {
      guard !names.contains(name) else { continue }
      throw ImportError(
        "\(option): there is no column '\(name)'; expected one of "
          + names.joined(separator: ", "))
    }
    return indexes
  }

  /// Returns the targets with a free name in place of each name that the geometry or an earlier field has: `name_2`,
  /// or the next number.
  private static func distinct(_ targets: [Target], geometryProperty: String?) -> [Target] {
    let wanted = Set(
      targets.compactMap { target in
        if case .property(let name) = target { name } else { nil }
      })
    var used = Set([geometryProperty].compactMap { $0 })
    return targets.map { target in
      guard case .property(let name) = target, !used.insert(name).inserted else { return target }
      let free = (2...).lazy.map { Self.propertyName(name, suffix: "_\($0)") }.first {
        !used.contains($0) && !wanted.contains($0)
      }
      guard let free else { return target }
      used.insert(free)
      return .property(free)
    }
  }

  // MARK: New class

  private static func newClass(
    _ settings: ImportSettings, _ inferred: DatasetSchema, _ targets: [Target],
    geometryProperty: String?, indexes: [[String]]
  ) -> (class: ObjectSchema, embedded: [ObjectSchema]) {
    var classes = EmbeddedClasses(settings.className)
    var properties: [Property] = []
    for (target, field) in zip(targets, inferred.fields) {
      guard case .property(let name) = target else { continue }
      let isKey = name == settings.primaryKey
      properties.append(
        classes.property(
          name, field.shape, isOptional: field.isOptional && !isKey, owner: settings.className,
          isKey: isKey, isIndexed: indexes.contains([name])))
    }
    if geometryProperty == geometryName {
      properties.append(Property(name: geometryName, type: .geometry, isOptional: true))
    } else if geometryProperty == locationName {
      properties.append(
        classes.property(locationName, .point, isOptional: true, owner: settings.className))
    }
    return (
      ObjectSchema(
        className: settings.className, properties: properties,
        compoundIndexes: indexes.filter { $0.count > 1 }), classes.schemas
    )
  }

  /// Returns the stored class with the additional indexes of the settings.
  private static func indexed(
    _ stored: ObjectSchema, _ settings: ImportSettings
  ) -> ObjectSchema {
    let indexes = settings.indexedProperties(among: stored.properties.map(\.name))
    let compound = indexes.filter { $0.count > 1 && !stored.compoundIndexes.contains($0) }
    return stored.with(
      properties: stored.properties.map { property in
        property.with(isIndexed: property.isIndexed || indexes.contains([property.name]))
      }, compoundIndexes: stored.compoundIndexes + compound)
  }
}

/// The embedded classes for nested records.
private struct EmbeddedClasses {
  private(set) var schemas: [ObjectSchema] = []
  private var names: DistinctNames

  /// Creates an empty set of classes for an owner class.
  init(_ className: String) {
    names = DistinctNames("", used: [className, ImportedClass.pointSchema.className])
  }

  /// Returns a property for values of an inferred type; adds the embedded classes it needs.
  mutating func property(
    _ name: String, _ shape: DatasetShape, isOptional: Bool, owner: String, isKey: Bool = false,
    isIndexed: Bool = false
  ) -> Property {
    switch shape {
    case .scalar(let type), .nothing(let type):
      Property(
        name: name, type: type, isOptional: isOptional && type != .any, isPrimaryKey: isKey,
        isIndexed: isIndexed)
    case .point, .object:
      Property(
        name: name, type: .object, isOptional: true, isPrimaryKey: isKey, isIndexed: isIndexed,
        objectClassName: className(of: shape, owner, name))
    case .list(let element, let isOptional):
      collection(name, .list, element, isOptional, owner)
    case .map(let value, let isOptional): collection(name, .map, value, isOptional, owner)
    }
  }

  private mutating func collection(
    _ name: String, _ kind: CollectionKind, _ element: DatasetShape, _ isOptional: Bool,
    _ owner: String
  ) -> Property {
    let type: PropertyType
    switch element {
    case .scalar(let element), .nothing(let element): type = element
    case .list, .map: type = .any
    case .point, .object:
      return Property(
        name: name, type: .object, isOptional: kind == .map, collection: kind,
        objectClassName: className(of: element, owner, name))
    }
    return Property(
      name: name, type: type, isOptional: isOptional && type != .any, collection: kind)
  }

  /// Returns the class of a point or of an object, and adds it if it is new.
  ///
  /// The class of an object is named after its owner and the property: `PlaceAddress`.
  private mutating func className(
    of shape: DatasetShape, _ owner: String, _ property: String
  ) -> String {
    guard case .object(let fields) = shape else {
      if !schemas.contains(where: \.isPointShaped) { schemas.append(ImportedClass.pointSchema) }
      return ImportedClass.pointSchema.className
    }
    let name = names.add(owner + property.prefix(1).uppercased() + property.dropFirst())
    var properties: [Property] = []
    for field in fields {
      properties.append(
        self.property(
          ImportedClass.propertyName(field.name), field.shape, isOptional: field.isOptional,
          owner: name))
    }
    schemas.append(ObjectSchema(className: name, properties: properties, isEmbedded: true))
    return name
  }
}
