import CadastreModel

/// The classes of a schema as Swift source code.
struct SwiftModels {
  private let schema: Schema

  init(_ schema: Schema) { self.schema = schema }

  /// The source code of all classes, which compiles in a program that depends on Cadastre.
  var text: String {
    (["import Cadastre\nimport Foundation"] + schema.objectSchema.map(declaration))
      .joined(separator: "\n\n") + "\n"
  }

  private func declaration(_ schema: ObjectSchema) -> String {
    let base = schema.isEmbedded ? "EmbeddedObject" : "Object"
    var lines = ["class \(Self.typeName(schema.className)): \(base) {"]
    for property in schema.properties + schema.computedProperties {
      lines.append("  " + declaration(property))
    }
    if Self.identifier(schema.className) != schema.className {
      lines += [
        "",
        "  override class func _realmObjectName() -> String? { \(literal(schema.className)) }",
      ]
    }
    let mapped = schema.properties.filter { Self.identifier($0.name) != $0.name }
    if !mapped.isEmpty {
      lines += ["", "  override class func propertiesMapping() -> [String: String] {", "    ["]
      lines += mapped.map {
        "      \(literal(Self.identifier($0.name))): \(literal($0.name)),"
      }
      lines += ["    ]", "  }"]
    }
    return (lines + ["}"]).joined(separator: "\n")
  }

  private func declaration(_ property: Property) -> String {
    var attribute = "@Persisted"
    if property.isPrimaryKey {
      attribute += "(primaryKey: true)"
    } else if property.isFullTextIndexed {
      attribute += "(fullText: true)"
    } else if property.isIndexed {
      attribute += "(indexed: true)"
    } else if let origin = property.linkOriginPropertyName {
      attribute += "(originProperty: \(literal(origin)))"
    }
    let name = Self.identifier(property.name)
    return
      "\(attribute) var \(Self.keywords.contains(name) ? "`\(name)`" : name): \(type(property))"
  }

  private func type(_ property: Property) -> String {
    let element =
      property.objectClassName.map(Self.typeName) ?? Self.scalarName(property.type)
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
  private static func typeName(_ className: String) -> String {
    let name = identifier(className)
    return keywords.contains(name) ? "`\(name)`" : name
  }

  /// Returns a name with underscores instead of the characters that an identifier cannot have.
  private static func identifier(_ name: String) -> String {
    let characters = name.unicodeScalars.map { scalar -> Character in
      scalar == "_" || scalar.properties.isXIDContinue ? Character(scalar) : "_"
    }
    let isStart = name.unicodeScalars.first.map { $0 == "_" || $0.properties.isXIDStart } ?? false
    return (isStart ? "" : "_") + String(characters)
  }

  private func literal(_ text: String) -> String { "\(text.debugDescription)" }

  private static let keywords: Set<String> = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class",
    "continue", "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough",
    "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
    "internal", "is", "let", "nil", "operator", "private", "protocol", "public", "repeat",
    "rethrows", "return", "self", "static", "struct", "subscript", "super", "switch", "throw",
    "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
