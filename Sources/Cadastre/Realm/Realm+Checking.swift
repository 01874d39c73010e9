/// Forms of writing that throw for values from outside the program.
///
/// Realm's own signatures stop the process for a value that does not fit. These throw
/// ``InvalidValueError``, and change nothing then.
extension Realm {
  /// Adds a new object with properties from outside the program, such as decoded JSON.
  ///
  ///     let body = try JSONSerialization.jsonObject(with: data)
  ///     try realm.write { try realm.create(checking: Airport.self, value: body, update: .modified) }
  ///
  /// A text is also accepted as a date in ISO 8601, as data in base64, and as an `ObjectId`. A linked
  /// object may be given by its primary key: an existing one is linked as it is, and one that does not
  /// exist is created with the key.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - value: A dictionary by name, an array in the order of declaration, or any value with members
  ///     of these names; other names are ignored.
  ///   - policy: The policy for objects whose primary key exists; `error` throws.
  /// - Returns: The object.
  /// - Throws: ``InvalidValueError`` for a value of the wrong type, an enumeration's unknown raw value,
  ///   a key that no map can have, a text or data that is too long, lists and maps nested too deep,
  ///   and a primary key that exists.
  @discardableResult
  public func create<Element: Object>(
    checking type: Element.Type, value: Any, update policy: UpdatePolicy = .error
  ) throws(InvalidValueError) -> Element {
    requireWrite("create")
    if let object = core.update(type, from: value, policy) { return object }
    let info = core.table(type).info
    let object = type.init()
    try info.create(object, checking: value, in: core)
    try ValueCheck.check(object, policy, in: core)
    ObjectWriter(core, copying: DynamicValue.object(value) as? Object, to: object)
      .add(object, policy)
    return object
  }

  /// Adds an object whose properties come from outside the program, such as a decoded one.
  ///
  /// - Parameters:
  ///   - object: The object, which is unmanaged.
  ///   - policy: The policy for objects whose primary key exists; `error` throws.
  /// - Throws: ``InvalidValueError`` for a text or data that is too long, and for a primary key that
  ///   exists.
  public func add(
    checking object: Object, update policy: UpdatePolicy = .error
  ) throws(InvalidValueError) {
    requireWrite("add")
    try ValueCheck.check(object, policy, in: core)
    ObjectWriter(core).add(object, policy)
  }
}

extension ObjectBase {
  /// Sets a property by its name to a value from outside the program.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The name of the property.
  /// - Throws: ``InvalidValueError`` for a name that the class does not have, and for a value that does
  ///   not fit.
  public func setValue(checking value: Any?, forKey key: String) throws(InvalidValueError) {
    let schema = objectSchema
    guard let property = schema[key] else {
      throw InvalidValueError(
        schema.className, key, value,
        expected: "one of the properties " + schema.properties.map(\.name).joined(separator: ", "))
    }
    guard !property.isPrimaryKey || position == nil else {
      throw InvalidValueError(
        schema.className, key, value, expected: "no change of the primary key of a managed object")
    }
    // On an instance without a row, so that nothing is written where the value does not fit.
    let sample = classInfo.type.init()
    try sample.classInfo.create(sample, checking: [key: value], in: position?.row.core)
    if let object = sample as? Object, let core = position?.row.core {
      try ValueCheck.check(object, .modified, in: core)
    }
    self[key] = value is String || value is [Any] || value is [String: Any] ? sample[key] : value
  }
}
