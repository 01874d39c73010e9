import CadastreModel
import CadastreStore

/// The declared defaults, as values of existing objects in properties that a migration adds, makes required
/// or changes to another type.
///
/// Without a declared default, the value is the zero of the type, the first case of an enumeration, or the
/// mapping of the zero of the stored type. Added links are null.
struct DeclaredDefaults: Sendable {
  /// A property whose default is evaluated for each object, because it differs between objects or has
  /// separate rows.
  private struct Evaluated {
    let index: Int
    let field: ClassInfo.Field
    /// The old property whose nulls are replaced; nil to set the property in all objects.
    let nullable: String?
  }

  /// The values shared by all objects, which the change of the tables sets.
  private(set) var shared = InitialValues()
  /// The other properties, by class.
  private var evaluated: [String: [Evaluated]] = [:]

  /// The defaults of no class.
  init() {}

  /// Collects the defaults of classes for a store with an older schema.
  init(_ classes: some Sequence<ClassInfo>, over stored: Schema) {
    for info in classes {
      guard let before = stored[info.schema.className], before.properties != info.schema.properties
      else { continue }
      add(info, before)
    }
  }

  /// Whether values must be set object by object.
  var needsObjects: Bool { !evaluated.isEmpty }

  /// Sets the values that differ from object to object.
  func set(in migration: Migration) {
    for (className, properties) in evaluated.sorted(by: { $0.key < $1.key }) {
      migration.enumerateObjects(ofType: className) { old, new in
        guard let old, let new, !new.classInfo.isStoredOnly else { return }
        let sample = new.classInfo.type.init()
        for property in properties {
          if let name = property.nullable, old[name] != nil { continue }
          guard let value = Self.value(of: property.field, in: sample) else { continue }
          new.classInfo.set(property.index, of: new, to: value)
        }
      }
    }
  }

  private static func value(of field: ClassInfo.Field, in sample: ObjectBase) -> Any? {
    guard case .object(let object)? = field.initialContent(of: sample) else {
      return field.swiftValue(of: sample)
    }
    return object
  }

  // MARK: Properties

  private mutating func add(_ info: ClassInfo, _ before: ObjectSchema) {
    // Two samples, because a default such as UUID() differs between objects.
    let samples = (info.type.init(), info.type.init())
    for (index, property) in info.schema.properties.enumerated() {
      let previous = before.property(inColumn: property.columnName)
      let isKept = previous?.typeDescription == property.typeDescription
      guard !isKept || previous?.isOptional == true && !property.isOptional else { continue }
      let field = info.fields[index]
      if isKept, property.collection != nil {
        guard let element = field.initialElement else { continue }
        shared.setElement(of: property, in: info.schema.className, to: element)
        continue
      }
      let contents = (field.initialContent(of: samples.0), field.initialContent(of: samples.1))
      guard let content = contents.0, content.isStored(in: property) else { continue }
      if let value = content.value, value == contents.1?.value, value.isShared,
        !info.schema.isMemberOfPoint(property)
      {
        shared.set(property, of: info.schema.className, to: value)
      } else {
        evaluated[info.schema.className, default: []].append(
          Evaluated(index: index, field: field, nullable: isKept ? previous?.name : nil))
      }
    }
  }
}

extension ObjectSchema {
  /// Returns whether a property is stored in the columns of a point.
  fileprivate func isMemberOfPoint(_ property: Property) -> Bool {
    isPointShaped
      && [Self.pointTypeName, Self.pointCoordinatesName].contains(property.name)
  }
}

extension PropertyContent {
  /// Returns whether existing objects store the content: not for null, an empty collection and a link.
  fileprivate func isStored(in property: Property) -> Bool {
    switch self {
    case .value(let value): !value.isNull
    case .object: !hasLink
    case .elements, .entries: !hasLink && !(isEmptyCollection && property.collection != nil)
    }
  }

  private var hasLink: Bool {
    switch self {
    case .value: false
    case .object(let object): object is Object
    case .elements(let elements): elements.contains(where: \.hasLink)
    case .entries(let entries): entries.contains { $0.content.hasLink }
    }
  }
}

extension Value {
  /// Whether an SQL literal can represent the value; a null character would end the literal.
  fileprivate var isShared: Bool {
    if case .string(let text) = self { !text.utf8.contains(0) } else { true }
  }
}
