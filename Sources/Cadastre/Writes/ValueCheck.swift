import CadastreModel
import CadastreStore

/// Checks unmanaged objects before they are written for errors for which `ObjectWriter` stops the process.
struct ValueCheck {
  private let core: RealmCore
  private let policy: Realm.UpdatePolicy
  private var seen: Set<ObjectIdentifier> = []
  private var pending: [ObjectBase] = []
  private var keys: [String: Set<Value>] = [:]

  private init(_ core: RealmCore, _ policy: Realm.UpdatePolicy) {
    self.core = core
    self.policy = policy
  }

  /// Checks an unmanaged object and all unmanaged objects reachable from it.
  ///
  /// - Throws: ``InvalidValueError`` for the first value that cannot be stored.
  static func check(
    _ object: Object, _ policy: Realm.UpdatePolicy, in core: RealmCore
  ) throws(InvalidValueError) {
    var check = ValueCheck(core, policy)
    check.visit(object)
    while let next = check.pending.popLast() { try check.check(next) }
  }

  private mutating func visit(_ object: ObjectBase) {
    if object.position == nil, seen.insert(ObjectIdentifier(object)).inserted {
      pending.append(object)
    }
  }

  private mutating func check(_ object: ObjectBase) throws(InvalidValueError) {
    let info = object.classInfo
    for (index, field) in info.fields.enumerated() {
      let property = info.schema.properties[index]
      let content = field.content(of: object)
      try check(content, property, info.schema.className)
      if property.isPrimaryKey, let value = content.value {
        try checkKey(value, property, info.schema.className)
      }
    }
  }

  private mutating func check(
    _ content: PropertyContent, _ property: Property, _ className: String,
    at step: ObjectCreation.Step? = nil
  ) throws(InvalidValueError) {
    switch content {
    case .value(let value):
      if ObjectWriter.excessBytes(of: value) != nil {
        throw InvalidValueError(
          className, property.name, value.dynamicValue,
          expected: "at most \(ObjectWriter.maximumBytes) bytes", element: Self.text(of: step))
      }
    case .object(let object):
      if let expected = property.objectClassName, object.objectSchema.className != expected {
        throw InvalidValueError(
          className, property.name, object.objectSchema.className,
          expected: "an object of '\(expected)'", element: Self.text(of: step))
      }
      visit(object)
    case .elements(let elements):
      for (index, element) in elements.enumerated() {
        try checkElement(element, property, className, at: .index(index))
      }
    case .entries(let entries):
      for entry in entries {
        try checkElement(entry.content, property, className, at: .key(entry.key))
      }
    }
  }

  private mutating func checkElement(
    _ content: PropertyContent, _ property: Property, _ className: String,
    at step: ObjectCreation.Step
  ) throws(InvalidValueError) {
    if property.collection == .set, content.isCollection {
      throw InvalidValueError(
        className, property.name, "a list or map", expected: "single values in a set",
        element: Self.text(of: step))
    }
    try check(content, property, className, at: step)
  }

  private static func text(of step: ObjectCreation.Step?) -> String {
    step.map { ObjectCreation.text(of: [$0]) } ?? ""
  }

  private mutating func checkKey(
    _ value: Value, _ property: Property, _ className: String
  ) throws(InvalidValueError) {
    guard policy == .error else { return }
    let isNew = keys[className, default: []].insert(value).inserted
    let exists = core.readRow(or: nil) { try $0.key(className, primaryKey: value) } != nil
    guard isNew, !exists else {
      throw InvalidValueError(
        className, property.name, value.dynamicValue,
        expected: "a primary key that no other object has")
    }
  }
}
