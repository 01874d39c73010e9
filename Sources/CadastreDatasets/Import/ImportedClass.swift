import CadastreFormatting
import CadastreModel

/// The class that the records of some files become.
struct ImportedClass: Sendable {
  /// Where the value of a field goes.
  enum Target: Hashable, Sendable {
    case property(String)
    case longitude
    case latitude
    case wkt
  }

  /// The class and the embedded classes that it needs.
  let schema: Schema
  let objectSchema: ObjectSchema
  /// One a field of the inferred.
  let targets: [Target]

  static let locationName = "location"
  /// The embedded class of places.
  static let pointSchema = ObjectSchema(
    className: "Location",
    properties: [
      Property(name: ObjectSchema.pointTypeName, type: .string),
      Property(name: ObjectSchema.pointCoordinatesName, type: .double, collection: .list),
    ], isEmbedded: true)

  /// Makes the class for what files hold, or fits it into the one that is stored.
  init(_ settings: ImportSettings, _ inferred: DatasetSchema, stored: Schema) throws {
    let location = try Self.location(settings, inferred)
    let names = inferred.fields.map(\.name)
    targets = names.indices.map { field in
      switch location {
      case .degrees(field, _): .longitude
      case .degrees(_, field): .latitude
      case .wkt(field): .wkt
      default: .property(Self.propertyName(names[field]))
      }
    }
    let hasPlace = inferred.hasPlace || location != nil
    try Self.checkNames(settings, targets)
    try Self.checkClashes(names, targets, hasPlace: hasPlace)
    let wanted = Self.wanted(settings, inferred, targets, hasPlace: hasPlace)
    let kept = stored[settings.className]
    if let kept {
      let mismatches = ClassFit(stored, kept, wanted.class, inferred, targets, settings).mismatches
      guard mismatches.isEmpty else {
        throw ImportError(
          "class '\(settings.className)' is stored already, and the files do not fit it: "
            + mismatches.joined(separator: "; "))
      }
    }
    objectSchema = kept.map { Self.indexed($0, settings) } ?? wanted.class
    schema = Schema([objectSchema] + (kept == nil ? wanted.embedded : []))
    let placeName = Self.pointSchema.className
    if wanted.embedded.contains(Self.pointSchema), kept == nil {
      guard settings.className != placeName, stored[placeName].map(\.isPointShaped) ?? true else {
        throw ImportError(
          "class '\(placeName)' is the embedded one of places here; give the objects another class")
      }
    }
    let errors = SchemaRules.errors(of: Schema(schema.objectSchema + stored.objectSchema))
    guard errors.isEmpty else { throw ImportError(errors.joined(separator: "\n")) }
  }

  /// The fields of the place, where records have none beside their fields.
  private static func location(
    _ settings: ImportSettings, _ inferred: DatasetSchema
  ) throws -> LocationColumns? {
    let names = inferred.fields.map(\.name)
    if let name = settings.wktColumn { return try LocationColumns.wkt(named: name, in: names) }
    if let pair = settings.location { return try LocationColumns.named(pair, in: names) }
    guard !inferred.hasPlace else { return nil }
    // Only what could be degrees or text counts, and an own point wins.
    let fields = inferred.fields.map(\.shape)
    if zip(names, fields).contains(where: { $0 == locationName && $1 == .place }) { return nil }
    return try LocationColumns.found(in: names)
  }

  /// A field's name as a property: no full stops, which join the names of a path.
  static func propertyName(_ field: String) -> String {
    let name = field.replacing(".", with: "_")
    return name.hasPrefix("#") ? String(name.drop { $0 == "#" }) : name
  }

  private static func checkNames(_ settings: ImportSettings, _ targets: [Target]) throws {
    let names = targets.compactMap { if case .property(let name) = $0 { name } else { nil } }
    for (option, name) in settings.indexes.map({ ("--index", $0) })
      + (settings.primaryKey.map { [("--pk", $0)] } ?? [])
    {
      guard !names.contains(name) else { continue }
      throw ImportError(
        "\(option) names the column '\(name)', which is not there; expected one of "
          + names.joined(separator: ", "))
    }
  }

  private static func checkClashes(
    _ fields: [String], _ targets: [Target], hasPlace: Bool
  ) throws {
    var taken: [String: String] = [:]
    for (field, target) in zip(fields, targets) {
      guard case .property(let name) = target else { continue }
      if hasPlace, name == locationName {
        throw ImportError(
          "the column '\(printable(field))' and the place of the rows would both be the property "
            + "'\(locationName)'; rename the column")
      }
      if let other = taken.updateValue(field, forKey: name) {
        throw ImportError(
          "the columns '\(printable(other))' and '\(printable(field))' would both be the property "
            + "'\(printable(name))'; rename one")
      }
    }
  }

  // MARK: A new class

  private static func wanted(
    _ settings: ImportSettings, _ inferred: DatasetSchema, _ targets: [Target], hasPlace: Bool
  ) -> (class: ObjectSchema, embedded: [ObjectSchema]) {
    var classes = EmbeddedClasses(settings.className)
    var properties: [Property] = []
    for (target, field) in zip(targets, inferred.fields) {
      guard case .property(let name) = target else { continue }
      let isKey = name == settings.primaryKey
      properties.append(
        classes.property(
          name, field.shape, isOptional: field.isOptional && !isKey, owner: settings.className,
          isKey: isKey, isIndexed: settings.indexes.contains(name)))
    }
    if hasPlace {
      properties.append(
        classes.property(locationName, .place, isOptional: true, owner: settings.className))
    }
    return (
      ObjectSchema(className: settings.className, properties: properties), classes.schemas
    )
  }

  /// The stored class with the indexes that are asked for.
  private static func indexed(
    _ stored: ObjectSchema, _ settings: ImportSettings
  ) -> ObjectSchema {
    ObjectSchema(
      className: stored.className,
      properties: stored.properties.map { property in
        Property(
          name: property.name, columnName: property.columnName, type: property.type,
          isOptional: property.isOptional, isPrimaryKey: property.isPrimaryKey,
          isIndexed: property.isIndexed || settings.indexes.contains(property.name),
          isFullTextIndexed: property.isFullTextIndexed,
          collection: property.collection, objectClassName: property.objectClassName)
      })
  }
}

/// The embedded classes that nested records become.
private struct EmbeddedClasses {
  private(set) var schemas: [ObjectSchema] = []
  private var names: Set<String>

  /// Starts with the names that are taken.
  init(_ className: String) { names = [className, ImportedClass.pointSchema.className] }

  /// A property that holds values of a shape.
  mutating func property(
    _ name: String, _ shape: DatasetShape, isOptional: Bool, owner: String, isKey: Bool = false,
    isIndexed: Bool = false
  ) -> Property {
    switch shape {
    case .scalar(let type), .nothing(let type):
      Property(
        name: name, type: type, isOptional: isOptional && type != .any, isPrimaryKey: isKey,
        isIndexed: isIndexed)
    case .place, .object:
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
    case .place, .object:
      return Property(
        name: name, type: .object, isOptional: kind == .map, collection: kind,
        objectClassName: className(of: element, owner, name))
    }
    return Property(
      name: name, type: type, isOptional: isOptional && type != .any, collection: kind)
  }

  /// The class of a point or of an object with fields; made here in the latter case, and called by its
  /// owner and the property: `PlaceAddress`.
  private mutating func className(
    of shape: DatasetShape, _ owner: String, _ property: String
  ) -> String {
    guard case .object(let fields) = shape else {
      if !schemas.contains(where: \.isPointShaped) { schemas.append(ImportedClass.pointSchema) }
      return ImportedClass.pointSchema.className
    }
    let base = owner + property.prefix(1).uppercased() + property.dropFirst()
    var name = base
    var number = 2
    while !names.insert(name).inserted {
      name = "\(base)\(number)"
      number += 1
    }
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
