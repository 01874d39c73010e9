import CadastreModel

/// The class that the columns of a file become.
struct ImportedClass {
  /// Where the field of a column goes.
  enum Target: Hashable {
    case property(String)
    case longitude
    case latitude
    case wkt
  }

  /// The class and the class of its place.
  let schema: Schema
  let objectSchema: ObjectSchema
  /// One a column.
  let targets: [Target]

  static let locationName = "location"
  /// The embedded class of places.
  static let pointSchema = ObjectSchema(
    className: "Location",
    properties: [
      Property(name: ObjectSchema.pointTypeName, type: .string),
      Property(name: ObjectSchema.pointCoordinatesName, type: .double, collection: .list),
    ], isEmbedded: true)

  /// Makes the class for a header and what its columns hold, or fits them into the one that is
  /// stored.
  init(
    _ settings: ImportSettings, header: [String], guesses: [ColumnGuess], stored: Schema
  ) throws {
    let location = try Self.location(settings, header)
    targets = header.indices.map { column in
      switch location {
      case .degrees(column, _): .longitude
      case .degrees(_, column): .latitude
      case .wkt(column): .wkt
      default: .property(Self.propertyName(header[column]))
      }
    }
    try Self.checkNames(settings, targets)
    try Self.checkClashes(header, targets, hasPlace: location != nil)
    let wanted = Self.objectSchema(settings, targets, guesses, hasPlace: location != nil)
    objectSchema =
      try stored[settings.className].map { try Self.fitted($0, wanted, settings) } ?? wanted
    let place = location == nil ? nil : try Self.placeSchema(of: objectSchema, stored)
    schema = Schema([objectSchema] + (place.map { [$0] } ?? []))
    let errors = SchemaRules.errors(of: Schema(schema.objectSchema + stored.objectSchema))
    guard errors.isEmpty else { throw ImportError(errors.joined(separator: "\n")) }
  }

  private static func location(
    _ settings: ImportSettings, _ header: [String]
  ) throws -> LocationColumns? {
    if let name = settings.wktColumn { return try LocationColumns.wkt(named: name, in: header) }
    if let names = settings.location { return try LocationColumns.named(names, in: header) }
    return try LocationColumns.found(in: header)
  }

  /// A column's name as a property: no full stops, which join the names of a path.
  private static func propertyName(_ column: String) -> String {
    let name = column.replacing(".", with: "_")
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
    _ header: [String], _ targets: [Target], hasPlace: Bool
  ) throws {
    var columns: [String: String] = [:]
    for (column, target) in zip(header, targets) {
      guard case .property(let name) = target else { continue }
      if hasPlace, name == locationName {
        throw ImportError(
          "the column '\(printable(column))' and the place of the rows would both be the property "
            + "'\(locationName)'; rename the column")
      }
      if let other = columns.updateValue(column, forKey: name) {
        throw ImportError(
          "the columns '\(printable(other))' and '\(printable(column))' would both be the property "
            + "'\(printable(name))'; rename one")
      }
    }
  }

  /// The class of the place, which may be stored already under a name of its own.
  private static func placeSchema(
    of schema: ObjectSchema, _ stored: Schema
  ) throws -> ObjectSchema {
    let name = schema[locationName]?.objectClassName ?? ""
    let place = stored[name] ?? (name == pointSchema.className ? pointSchema : nil)
    guard let place, place.isPointShaped, name != schema.className else {
      throw ImportError(
        "the property '\(locationName)' of class '\(schema.className)' cannot hold places: expected "
          + "an embedded class with type and coordinates, found "
          + (name.isEmpty ? "\(schema[locationName]?.type ?? .object)" : "class '\(name)'"))
    }
    return place
  }

  private static func objectSchema(
    _ settings: ImportSettings, _ targets: [Target], _ guesses: [ColumnGuess], hasPlace: Bool
  ) -> ObjectSchema {
    var properties: [Property] = []
    for (target, guess) in zip(targets, guesses) {
      guard case .property(let name) = target else { continue }
      let isKey = name == settings.primaryKey
      properties.append(
        Property(
          name: name, type: guess.type, isOptional: guess.isOptional && !isKey,
          isPrimaryKey: isKey, isIndexed: settings.indexes.contains(name)))
    }
    if hasPlace {
      properties.append(
        Property(
          name: locationName, type: .object, isOptional: true,
          objectClassName: pointSchema.className))
    }
    return ObjectSchema(className: settings.className, properties: properties)
  }

  /// The stored class, if the file's columns fit it, with the indexes that are asked for.
  private static func fitted(
    _ stored: ObjectSchema, _ wanted: ObjectSchema, _ settings: ImportSettings
  ) throws -> ObjectSchema {
    var problems: [String] = []
    if stored.isEmbedded { problems.append("it is an embedded class") }
    for property in wanted.properties where stored[property.name] == nil {
      problems.append("it has no property '\(property.name)'")
    }
    for property in wanted.properties where property.type != .object {
      guard let kept = stored[property.name], kept.type == .object || kept.collection != nil else {
        continue
      }
      problems.append("its property '\(kept.name)' is a \(kept.typeDescription), not one value")
    }
    for property in stored.properties where wanted[property.name] == nil && !property.isOptional {
      problems.append("the file has no column for its property '\(property.name)'")
    }
    if let key = settings.primaryKey, stored.primaryKeyProperty?.name != key {
      problems.append("its primary key is not '\(key)'")
    }
    guard problems.isEmpty else {
      throw ImportError(
        "class '\(settings.className)' is stored already, and the file does not fit it: "
          + problems.joined(separator: "; "))
    }
    return ObjectSchema(
      className: stored.className,
      properties: stored.properties.map { property in
        Property(
          name: property.name, columnName: property.columnName, type: property.type,
          isOptional: property.isOptional, isPrimaryKey: property.isPrimaryKey,
          isIndexed: property.isIndexed || settings.indexes.contains(property.name),
          collection: property.collection, objectClassName: property.objectClassName)
      })
  }
}
