import CadastreModel
public import CadastrePredicate

/// Writes of values from outside the program.
///
/// Realm's signatures stop the process for an invalid value. These methods throw ``InvalidValueError``
/// without a change.
extension Realm {
  /// Adds a new object with properties from outside the program, such as decoded JSON.
  ///
  ///     let body = try JSONSerialization.jsonObject(with: data)
  ///     try realm.write { try realm.create(checking: Airport.self, value: body, update: .modified) }
  ///
  /// The value may be JSON written by ``ObjectBase/encoded(depth:)``: dates as ISO 8601, data as base64, an
  /// `ObjectId` as text, a `Geometry` as GeoJSON, and `infinity`, `-infinity` and `nan` as numbers. A primary
  /// key may represent a linked object: an existing object is linked without a change, and a missing one is
  /// created with the key.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - value: A dictionary by property name, an array in the order of declaration, or a value with members
  ///     of the same names; other names are ignored.
  ///   - policy: The policy for objects whose primary key exists; `error` throws.
  ///   - mode: Whether missing keys, unknown keys and points out of range are errors.
  /// - Returns: The object.
  /// - Throws: ``InvalidValueError`` for a value of the wrong type, an unknown raw value of an enumeration,
  ///   an invalid key of a map, text or data that is too long, lists and maps nested too deep, and an
  ///   existing primary key.
  @discardableResult
  public func create<Element: Object>(
    checking type: Element.Type, value: Any, update policy: UpdatePolicy = .error,
    mode: CheckingMode = .lenient
  ) throws(InvalidValueError) -> Element {
    requireWrite("create")
    if mode == .lenient, let object = core.update(type, from: value, policy) { return object }
    let info = core.table(type).info
    let object = type.init()
    let specified = try info.create(
      object, checking: value, ObjectCreation.Check(core: core, mode: mode, policy: policy))
    try ValueCheck.check(object, policy, in: core)
    ObjectWriter(core, copying: DynamicValue.object(value) as? Object, to: object)
      .add(object, policy, specified)
    return object
  }

  /// Adds an object with values from outside the program, such as a decoded object.
  ///
  /// - Parameters:
  ///   - object: The unmanaged object.
  ///   - policy: The policy for objects whose primary key exists; `error` throws.
  /// - Throws: ``InvalidValueError`` for text or data that is too long, and for an existing primary key.
  public func add(
    checking object: Object, update policy: UpdatePolicy = .error
  ) throws(InvalidValueError) {
    requireWrite("add")
    try ValueCheck.check(object, policy, in: core)
    ObjectWriter(core).add(object, policy)
  }

  /// Adds objects with values from outside the program, such as decoded objects.
  ///
  /// - Parameters:
  ///   - objects: The unmanaged objects.
  ///   - policy: The policy for objects whose primary key exists; `error` throws.
  /// - Throws: ``InvalidValueError`` for the first invalid object; the objects before it stay added, unless
  ///   the error cancels the transaction.
  public func add<Objects: Sequence>(
    checking objects: Objects, update policy: UpdatePolicy = .error
  ) throws(InvalidValueError) where Objects.Element: Object {
    for object in objects { try add(checking: object, update: policy) }
  }

  /// The requirements on dictionaries from outside the program.
  public enum CheckingMode: Hashable, Sendable {
    /// Missing keys are allowed, and unknown keys are ignored.
    case lenient
    /// The value and all objects in it are dictionaries with all required properties and without unknown
    /// keys. Collections are not null. An embedded object in the shape of a GeoJSON point has the type
    /// `Point` and two or three coordinates in range.
    ///
    /// With `update: .modified` an existing object keeps the missing properties.
    case strict
  }
}

/// Reads with names and keys from outside the program.
extension Realm {
  /// Returns the object with a primary key from outside the program; nil if there is none.
  ///
  /// The key may also be the text of an `ObjectId` or a UUID, as in JSON.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - key: The primary key.
  /// - Returns: The object.
  /// - Throws: ``InvalidValueError`` for a key of another type.
  /// - Complexity: O(log n).
  public func object<Element: Object, Key>(
    checking type: Element.Type, forPrimaryKey key: Key
  ) throws(InvalidValueError) -> Element? {
    try object(type, core.table(type), checking: key)
  }

  /// Returns all objects of a class whose name comes from outside the program.
  ///
  /// - Throws: `QueryPredicateError` for a class that the Realm does not manage.
  public func dynamicObjects(
    checking typeName: String
  ) throws(QueryPredicateError) -> Results<DynamicObject> {
    Results(QueryResult(core, try core.table(checking: typeName)))
  }

  /// Returns the object of a class with a primary key, both from outside the program; nil if there is none.
  ///
  /// - Throws: `QueryPredicateError` for a class that the Realm does not manage, ``InvalidValueError`` for a
  ///   key of another type.
  public func dynamicObject(
    checking typeName: String, forPrimaryKey key: Any
  ) throws -> DynamicObject? {
    try object(DynamicObject.self, core.table(checking: typeName), checking: key)
  }

  /// Adds a new object; the name of the class and the properties come from outside the program, see
  /// ``create(checking:value:update:mode:)``.
  ///
  /// - Throws: `QueryPredicateError` for an embedded class, or one that the Realm does not manage;
  ///   ``InvalidValueError`` for a value that does not fit.
  @discardableResult
  public func dynamicCreate(
    checking typeName: String, value: Any = [String: Any](), update policy: UpdatePolicy = .error,
    mode: CheckingMode = .lenient
  ) throws -> DynamicObject {
    let type = try core.table(checking: typeName).info.type as? Object.Type
    guard let type,
      let object = DynamicObject.sameRow(
        as: try create(checking: type, value: value, update: policy, mode: mode))
    else {
      throw QueryPredicateError(
        .invalidQuery, "Embedded objects cannot be created directly: '\(typeName)' is embedded")
    }
    return object
  }

  private func object<Element: Object>(
    _ type: Element.Type, _ table: ManagedTable, checking key: Any
  ) throws(InvalidValueError) -> Element? {
    let schema = table.info.schema
    guard let property = schema.primaryKeyProperty else {
      throw InvalidValueError(schema.className, nil, key, expected: "no primary key")
    }
    guard let value = JSONPropertyValue.key(key, of: property) else {
      throw InvalidValueError(
        schema.className, property.name, key,
        expected: "a primary key of type \(property.typeDescription)")
    }
    return object(type, table, value)
  }
}

extension RealmCore {
  /// Returns the table of a class whose name comes from outside the program.
  ///
  /// - Throws: `QueryPredicateError` for a class that this Realm does not list.
  fileprivate func table(
    checking name: String
  ) throws(QueryPredicateError) -> ManagedTable {
    if let table = listedTable(named: name) { return table }
    let names = schema.objectSchema.map { "'\($0.className)'" }.joined(separator: ", ")
    throw QueryPredicateError(
      .invalidQuery, "Object type '\(name)' is not managed by the Realm: it has \(names)")
  }
}

extension ObjectBase {
  /// Sets a property by its name to a value from outside the program.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The name of the property.
  /// - Throws: ``InvalidValueError`` for an unknown name, and for a value that does not fit.
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
    // Checks the value on an unmanaged instance, so that an invalid value is not written.
    let sample = classInfo.type.init()
    try sample.classInfo.create(
      sample, checking: [key: value], ObjectCreation.Check(core: position?.row.core))
    if let object = sample as? Object, let core = position?.row.core {
      try ValueCheck.check(object, .modified, in: core)
    }
    self[key] = value is String || value is [Any] || value is [String: Any] ? sample[key] : value
  }
}
