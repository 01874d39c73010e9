import CadastreModel
public import CadastrePredicate

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
  /// The JSON that ``ObjectBase/encoded(depth:)`` writes is accepted: a text as a date in ISO 8601, as data
  /// in base64, and as an `ObjectId`, an object of GeoJSON as a `Geometry`, and `infinity`, `-infinity` and
  /// `nan` as numbers. A linked object may be given by its primary key: an existing one is linked as it is, and
  /// one that does not exist is created with the key.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - value: A dictionary by name, an array in the order of declaration, or any value with members
  ///     of these names; other names are ignored.
  ///   - policy: The policy for objects whose primary key exists; `error` throws.
  ///   - mode: Whether keys that are missing or unknown are errors, and points that are not on Earth.
  /// - Returns: The object.
  /// - Throws: ``InvalidValueError`` for a value of the wrong type, an enumeration's unknown raw value,
  ///   a key that no map can have, a text or data that is too long, lists and maps nested too deep,
  ///   and a primary key that exists.
  @discardableResult
  public func create<Element: Object>(
    checking type: Element.Type, value: Any, update policy: UpdatePolicy = .error,
    mode: CheckingMode = .lenient
  ) throws(InvalidValueError) -> Element {
    requireWrite("create")
    if mode == .lenient, let object = core.update(type, from: value, policy) { return object }
    let info = core.table(type).info
    let object = type.init()
    try info.create(
      object, checking: value, ObjectCreation.Check(core: core, mode: mode, policy: policy))
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

  /// Adds several objects whose properties come from outside the program, such as decoded ones.
  ///
  /// - Parameters:
  ///   - objects: The objects, which are unmanaged.
  ///   - policy: The policy for objects whose primary key exists; `error` throws.
  /// - Throws: ``InvalidValueError`` for the first object that cannot be added; those before it have been
  ///   added then, unless the error cancels the transaction.
  public func add<Objects: Sequence>(
    checking objects: Objects, update policy: UpdatePolicy = .error
  ) throws(InvalidValueError) where Objects.Element: Object {
    for object in objects { try add(checking: object, update: policy) }
  }

  /// The requirements on dictionaries from outside the program.
  public enum CheckingMode: Hashable, Sendable {
    /// Keys may be missing, and other keys are ignored.
    case lenient
    /// The value and all objects in it are dictionaries that name all properties that cannot be null, and no
    /// others. Collections are not null, and an embedded object in the shape of a GeoJSON point has the type
    /// `Point` and two or three coordinates in range.
    ///
    /// With `update: .modified` an object that exists keeps the properties that are missing.
    case strict
  }
}

/// Forms of reading that throw for names and keys from outside the program.
extension Realm {
  /// Returns the object with a primary key from outside the program; nil when there is none.
  ///
  /// The key may also be a text in the form in which JSON has an `ObjectId` or a UUID.
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

  /// Returns the object with a primary key, both from outside the program; nil when there is none.
  ///
  /// - Throws: `QueryPredicateError` for a class that the Realm does not manage, ``InvalidValueError`` for a
  ///   key of another type.
  public func dynamicObject(
    checking typeName: String, forPrimaryKey key: Any
  ) throws -> DynamicObject? {
    try object(DynamicObject.self, core.table(checking: typeName), checking: key)
  }

  /// Adds a new object, the name of whose class and whose properties come from outside the program, see
  /// ``create(checking:value:update:mode:)``.
  ///
  /// - Throws: `QueryPredicateError` for a class that the Realm does not manage, or an embedded one;
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
    try sample.classInfo.create(
      sample, checking: [key: value], ObjectCreation.Check(core: position?.row.core))
    if let object = sample as? Object, let core = position?.row.core {
      try ValueCheck.check(object, .modified, in: core)
    }
    self[key] = value is String || value is [Any] || value is [String: Any] ? sample[key] : value
  }
}
