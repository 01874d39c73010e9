import ArgumentParser
import CadastreModel
import CadastrePostgres
import CadastreQuery
import CadastreRealmImport

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the classes of a store or of a Realm file, and their properties.",
    discussion: """
      EXAMPLES
        cadastre schema a.cadastre
        cadastre schema a.cadastre --format json
        cadastre schema app.realm --format swift
      """)

  @Argument(help: "The store or Realm file.", completion: .file())
  var store: String

  @Option(help: "The output format; swift prints model classes.")
  var format = Format.text

  @OptionGroup var key: RealmKeyOption

  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, swift }

  func run() throws {
    let schema =
      if let database = RemoteDatabase(store) {
        try database.classes().schema
      } else if let file =
        try key.file(store)
      { try RealmClasses(file).schema } else {
        try StoreAdministration(reading: store).schema()
      }
    switch format {
    case .text:
      for schema in schema.objectSchema { try Terminal.write(lines: schema.summary + "\n") }
    case .json: try ReportFormat.json.write(schema.objectSchema.map(ClassReport.init))
    case .swift: try Terminal.write(source: SwiftModels(schema).text)
    }
  }
}

/// The JSON form of a class.
struct ClassReport: Encodable {
  private struct Field: Encodable {
    let name: String
    let type: String
    let optional: Bool
    let primaryKey: Bool
    let indexed: Bool
    let fullText: Bool
  }

  private let name: String
  private let embedded: Bool
  private let properties: [Field]
  /// The compound indexes; nil where there are none.
  private let compoundIndexes: [[String]]?

  init(_ schema: ObjectSchema) {
    name = schema.className
    embedded = schema.isEmbedded
    compoundIndexes = schema.compoundIndexes.isEmpty ? nil : schema.compoundIndexes
    properties = (schema.properties + schema.computedProperties).map {
      Field(
        name: $0.name, type: $0.typeDescription, optional: $0.isOptional,
        primaryKey: $0.isPrimaryKey, indexed: $0.isIndexed, fullText: $0.isFullTextIndexed)
    }
  }
}

/// The classes of a schema as Swift source code.
///
/// The identifier of a class or property is its name, except for three kinds of names: a name that is not a
/// Swift identifier, the name of a type or member that the source code needs, and a name that differs from
/// another name only in characters that identifiers exclude. A declaration maps the identifier of these to the name.
struct SwiftModels {
  private let schema: Schema
  /// The identifiers of the classes.
  private let classes: [String: String]
  /// The identifiers of the properties of each class.
  private let properties: [String: [String: String]]

  /// Creates the source code of the classes of a schema.
  init(_ schema: Schema) {
    self.schema = schema
    classes = Self.identifiers(schema.objectSchema.map(\.className), except: Self.types) { _ in [] }
    let properties = schema.objectSchema.map { (owner) -> (String, [String: String]) in
      // The storage of `@Persisted var name` is `_name`.
      let names = (owner.properties + owner.computedProperties).map(\.name)
      return (owner.className, Self.identifiers(names, except: Self.members) { ["_" + $0] })
    }
    self.properties = Dictionary(properties) { first, _ in first }
  }

  /// The source code of all classes, which compiles in a program that depends on Cadastre.
  var text: String {
    (["import Cadastre\nimport Foundation"] + schema.objectSchema.map(declaration))
      .joined(separator: "\n\n") + "\n"
  }

  private func declaration(_ schema: ObjectSchema) -> String {
    guard !(schema.properties + schema.computedProperties).isEmpty else {
      return
        "// The class \(literal(schema.className)) has no properties, which a class of a program must have."
    }
    let base = schema.isEmbedded ? "EmbeddedObject" : "Object"
    let identifiers = properties[schema.className] ?? [:]
    var lines = ["class \(typeName(schema.className)): \(base) {"]
    for property in schema.properties + schema.computedProperties {
      lines.append("  " + declaration(property, identifiers[property.name] ?? property.name))
    }
    if classes[schema.className] != schema.className {
      lines += [
        "",
        "  override class func _realmObjectName() -> String? { \(literal(schema.className)) }",
      ]
    }
    let mapped = schema.properties.filter { identifiers[$0.name] != $0.name }
    if !mapped.isEmpty {
      lines += ["", "  override class func propertiesMapping() -> [String: String] {", "    ["]
      lines += mapped.map {
        "      \(literal(identifiers[$0.name] ?? $0.name)): \(literal($0.name)),"
      }
      lines += ["    ]", "  }"]
    }
    if !schema.compoundIndexes.isEmpty {
      let indexes = schema.compoundIndexes.map { names in
        "[\(names.map { literal(identifiers[$0] ?? $0) }.joined(separator: ", "))]"
      }
      lines += [
        "",
        "  override class func compoundIndexes() -> [[String]] { [\(indexes.joined(separator: ", "))] }",
      ]
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  private func declaration(_ property: Property, _ identifier: String) -> String {
    var attribute = "@Persisted"
    if property.isPrimaryKey {
      attribute += "(primaryKey: true)"
    } else if property.isFullTextIndexed {
      attribute += "(fullText: true)"
    } else if property.isIndexed {
      attribute += "(indexed: true)"
    } else if let origin = property.linkOriginPropertyName {
      let owner = property.objectClassName.flatMap { properties[$0] }
      attribute += "(originProperty: \(literal(owner?[origin] ?? origin)))"
    }
    return "\(attribute) var \(Self.quoted(identifier)): \(type(property))"
  }

  private func type(_ property: Property) -> String {
    let element =
      property.objectClassName.map(typeName) ?? Self.scalarName(property.type)
    let optional = property.isOptional ? element + "?" : element
    if property.type == .linkingObjects { return "LinkingObjects<\(element)>" }
    return switch property.collection {
    case .list: "List<\(optional)>"
    case .set: "MutableSet<\(optional)>"
    case .map: "Map<String, \(optional)>"
    case nil: optional
    }
  }

  private static func scalarName(_ type: PropertyType) -> String {
    switch type {
    case .int: "Int"
    case .bool: "Bool"
    case .string: "String"
    case .data: "Data"
    case .date: "Date"
    case .float: "Float"
    case .double: "Double"
    case .objectId: "ObjectId"
    case .decimal128: "Decimal128"
    case .UUID: "UUID"
    case .geometry: "Geometry"
    case .any: "AnyRealmValue"
    case .object, .linkingObjects: "Object"
    }
  }

  /// Returns the name of a type for a class.
  private func typeName(_ className: String) -> String {
    Self.quoted(classes[className] ?? Self.identifier(className))
  }

  /// Returns an identifier as it is written in source code.
  private static func quoted(_ identifier: String) -> String {
    keywords.contains(identifier) ? "`\(identifier)`" : identifier
  }

  /// Returns a distinct identifier for each name: the name itself if it is an identifier.
  ///
  /// - Parameters:
  ///   - names: The names of classes, or of the properties of a class.
  ///   - excluded: Identifiers that the results exclude.
  ///   - companions: Returns further identifiers that the declaration of an identifier needs.
  /// - Returns: The identifiers by the names.
  private static func identifiers(
    _ names: [String], except excluded: Set<String>, companions: (String) -> [String]
  ) -> [String: String] {
    var distinct = DistinctNames(
      "_", used: excluded, reserved: Set(names.filter { identifier($0) == $0 }))
    let identifiers = names.map { name in
      let identifier = identifier(name)
      return identifier == name
        ? distinct.add(name, companions: companions)
        : distinct.addNew(identifier, companions: companions)
    }
    return Dictionary(zip(names, identifiers)) { first, _ in first }
  }

  /// Returns a name with underscores in place of the characters that identifiers exclude.
  private static func identifier(_ name: String) -> String {
    let characters = name.unicodeScalars.map { scalar -> Character in
      scalar == "_" || scalar.properties.isXIDContinue ? Character(scalar) : "_"
    }
    let isStart = name.unicodeScalars.first.map { $0 == "_" || $0.properties.isXIDStart } ?? false
    return (isStart ? "" : "_") + String(characters)
  }

  private func literal(_ text: String) -> String { "\(text.debugDescription)" }

  /// The types that the source code uses.
  private static let types: Set<String> = [
    "AnyRealmValue", "Bool", "Data", "Date", "Decimal128", "Double", "EmbeddedObject", "Float",
    "Geometry", "Int", "LinkingObjects", "List", "Map", "MutableSet", "Object", "ObjectId",
    "Persisted", "String", "UUID", "_",
  ]

  /// The properties that all objects have, which a class cannot declare again.
  private static let members: Set<String> = [
    "description", "hashValue", "isInvalidated", "objectSchema", "realm", "relationSide", "_",
  ]

  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
    "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
