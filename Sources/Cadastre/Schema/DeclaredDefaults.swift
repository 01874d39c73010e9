import CadastreModel
import CadastreStore

/// The values of existing objects in properties that a migration adds, changes to another type or makes required:
/// the defaults that the classes of the program declare.
///
/// A property without a declared default has the zero of its type, an enumeration its first case, and a mapped type
/// the mapping of the zero. Objects that others link to are not created: added links are null.
struct DeclaredDefaults: Sendable {
  /// A property whose default each object evaluates, because it differs from object to object or takes rows of its
  /// own.
  private struct Evaluated {
    let index: Int
    let field: ClassInfo.Field
    /// The name in the old object whose null it replaces; nil if it is set in all objects.
    let nullable: String?
  }

  /// The values that all objects share, which the change of the tables sets.
  private(set) var shared = InitialValues()
  /// The other properties, by class.
  private var evaluated: [String: [Evaluated]] = [:]

  /// The defaults of no class.
  init() {}

  /// The defaults of classes; the store has some of these classes.
  init(_ classes: some Sequence<ClassInfo>, over stored: Schema) {
    for info in classes {
      guard let before = stored[info.schema.className], before.properties != info.schema.properties
      else { continue }
      add(info, before)
    }
  }

  /// Whether objects must be visited.
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
    // Of two objects, because a default such as UUID() gives each another value.
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
  /// Returns whether existing objects store it: it is something else than null, an empty collection or a
  /// link.
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
  /// Whether an SQL literal holds it: a text with a null character ends there.
  fileprivate var isShared: Bool {
    if case .string(let text) = self { !text.utf8.contains(0) } else { true }
  }
}
