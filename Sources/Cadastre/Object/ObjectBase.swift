public import CadastreModel
import CadastrePredicate
import CadastreStore

/// The base class of ``Object`` and ``EmbeddedObject``.
///
/// Subclass ``Object`` or ``EmbeddedObject``.
open class ObjectBase {
  /// The table of the row; nil for an unmanaged object.
  @exclusivity(unchecked) private(set) final var rowTable: ManagedTable?
  /// The key of the row.
  @exclusivity(unchecked) private var key: Int64 = 0
  /// The generation in which the object was found or inserted.
  @exclusivity(unchecked) private var birth: UInt64 = 0
  /// The cached numbers by property, which the table owns.
  ///
  /// Nil for an embedded object, and for an object that several threads read.
  @exclusivity(unchecked) private var windows: UnsafePointer<NumberWindow>?
  /// What few objects are; nil for an object with a row, and for one whose properties the program has set.
  @exclusivity(unchecked) private var role: Role?
  /// The description of the class of a managed object; nil for an unmanaged object.
  // Not retained: the description of a class of the program is never released, and the core of the row
  // retains the description of a class that only the store has.
  private unowned(unsafe) var knownInfo: ClassInfo?

  /// Creates an unmanaged object.
  public required init() {}

  /// What an object is that is neither a managed object with a row nor an unmanaged one whose properties the program
  /// has set one by one.
  private enum Role {
    /// A managed object in the row of its owner.
    case embedded(EmbeddedIdentity)
    /// A recorder of the properties that are read.
    case recorder(PropertyRecording)
    /// An unmanaged object whose value specified a subset of the properties.
    case given(SpecifiedProperties)
    /// An unmanaged object from a row of another database.
    case fetched(FetchedRow)
  }

  /// The recording of a recorder; nil for other objects.
  final var recording: PropertyRecording? {
    get { if case .recorder(let recording) = role { recording } else { nil } }
    set { role = newValue.map(Role.recorder) }
  }

  /// The row of another database from which the object was created; nil for other objects.
  final var fetchedRow: FetchedRow? {
    get { if case .fetched(let row) = role { row } else { nil } }
    set { role = newValue.map(Role.fetched) }
  }

  /// The properties specified by the value from which the object is created; nil for all.
  final var specifiedProperties: SpecifiedProperties? {
    get { if case .given(let properties) = role { properties } else { nil } }
    set { role = newValue.map(Role.given) }
  }

  /// Returns the properties that were specified, loaded or set, and discards their record; nil for all.
  final func takeSpecifiedProperties() -> SpecifiedProperties? {
    switch role {
    case .given(let properties):
      role = nil
      return properties
    case .fetched:
      let properties = classInfo.loadedProperties(of: self)
      role = nil
      return properties
    case .embedded, .recorder, nil: return nil
    }
  }

  /// Returns the name of the class in the schema and in predicates.
  open class func className() -> String { _realmObjectName() ?? String(describing: self) }

  /// Another name of the class in the schema and in predicates; nil for the name of the Swift
  /// class.
  open class func _realmObjectName() -> String? { nil }

  /// Returns the names of columns in the file, by property name; other columns have the names of their
  /// properties.
  ///
  /// Predicates use the property names.
  open class func propertiesMapping() -> [String: String] { [:] }

  /// Returns the names of the properties of each compound index, which is one ordered index on several properties.
  ///
  /// The index `["country", "date"]` finds the objects of a country within some dates, and has them in the order of
  /// their dates. Adding or removing an index needs no migration.
  open class func compoundIndexes() -> [[String]] { [] }

  /// Returns the names of properties that are not stored, in a class without `@Persisted` properties.
  open class func ignoredProperties() -> [String] { [] }

  /// Returns whether a Realm without `objectTypes` manages the class.
  open class func shouldIncludeInDefaultSchema() -> Bool { true }

  /// The Realm that manages the object; nil for an unmanaged object.
  public var realm: Realm? { core.map { Realm(core: $0) } }

  /// The description of the object's class.
  public var objectSchema: ObjectSchema { classInfo.schema }

  /// The description of the class; for a dynamic object, of the represented class.
  var classInfo: ClassInfo { knownInfo ?? ClassInfo.of(type(of: self)) }

  /// The position of a managed object; nil for an unmanaged object.
  final var position: ObjectPosition? {
    guard let rowTable else { return nil }
    return ObjectPosition(ManagedRow(rowTable, ObjectKey(key), birth: birth), embedded)
  }

  /// The field of a managed object in the row of its owner; nil for other objects.
  private final var embedded: EmbeddedIdentity? {
    if case .embedded(let identity) = role { identity } else { nil }
  }

  /// The core of a managed object's Realm; nil for an unmanaged object.
  final var core: RealmCore? { rowTable?.core }

  /// The table of a managed object with a row of its own; nil for other objects.
  final var table: ManagedTable? { role == nil ? rowTable : nil }

  /// Makes the object refer to a stored object, and binds its properties.
  func attach(to position: ObjectPosition, _ info: ClassInfo) {
    refer(to: position, info)
    if !(self is DynamicObject) { info.attach(self) }
  }

  /// Makes an object with bound properties refer to a stored object.
  final func refer(to position: ObjectPosition, _ info: ClassInfo) {
    knownInfo = info
    rowTable = position.row.table
    key = position.row.key.rawValue
    birth = position.row.birth
    role = position.embedded.map(Role.embedded)
    windows = nil
  }

  /// Makes an object with bound properties refer to a row.
  final func refer(to key: ObjectKey, in table: consuming ManagedTable, _ info: ClassInfo) {
    knownInfo = info
    self.key = key.rawValue
    birth = table.core.currentGeneration
    windows = table.windows
    rowTable = table
  }

  /// Makes an object that was looked up by its key refer to another row of its table.
  ///
  /// - Parameters:
  ///   - key: The key of the row.
  ///   - generation: The generation in which the row was found.
  final func move(to key: ObjectKey, at generation: UInt64) {
    self.key = key.rawValue
    birth = generation
  }

  /// Whether a managed object was deleted, or its Realm was invalidated.
  public var isInvalidated: Bool { position.map { !$0.isValid } ?? false }

  /// The value of a property by its name.
  ///
  /// Reading a property of a mapped type returns the stored value; setting it accepts the mapped and the
  /// stored value. Reading an ``AnyRealmValue`` returns its content. A ``DynamicObject`` also accepts the
  /// names of columns. An unknown name, or a value that does not fit, stops the process; for names and values
  /// from outside see ``value(checking:)`` and ``setValue(checking:forKey:)``.
  public subscript(key: String) -> Any? {
    get { ProgrammingError.orStop { () throws(QueryPredicateError) in try member(key) } }
    set {
      let info = classInfo
      let property = ProgrammingError.orStop { () throws(QueryPredicateError) in
        guard let property = index(of: key, in: info.schema) else { throw unknownProperty(key) }
        return property
      }
      info.set(property, of: self, to: newValue)
    }
  }

  /// Returns the value of a property by its name.
  ///
  /// - Throws: `QueryPredicateError` for an unknown name.
  func member(_ name: String) throws(QueryPredicateError) -> Any? {
    let info = classInfo
    if let property = index(of: name, in: info.schema) { return dynamicValue(property) }
    guard let computed = info.computed.first(where: { $0.name == name }) else {
      throw unknownProperty(name)
    }
    return computed.value(of: self)
  }

  private func index(of key: String, in schema: ObjectSchema) -> Int? {
    if let index = schema.index(of: key) { return index }
    return self is DynamicObject ? schema.properties.firstIndex { $0.columnName == key } : nil
  }

  private func unknownProperty(_ name: String) -> QueryPredicateError {
    QueryPredicateError(
      .invalidQuery,
      "Invalid property name '\(name)' for class '\(objectSchema.className)': it has "
        + objectSchema.properties.map { "'\($0.name)'" }.joined(separator: ", "))
  }

  // MARK: Property access

  /// Returns the stored value of a property of a managed object.
  func storedValue(_ property: Int) -> Value {
    if role == nil, let rowTable, let column = rowTable.column(of: property) {
      return rowTable.value(column, of: ObjectKey(key), since: birth)
    }
    guard let position else { return record(property) }
    return position.value(property)
  }

  /// Returns the cached number of a property, as in `DecodedNumbers`; nil if the value is null or not cached.
  @inline(__always)
  final func number(_ property: Int) -> Int64? {
    guard let windows, let number = windows[property].number(key, since: birth) else { return nil }
    assert(isStored(number, property), "the cached number of '\(objectSchema.className)' \(key)")
    return number
  }

  /// Returns whether a cached number is that of the row; see `CacheVerification`.
  private final func isStored(_ number: Int64, _ property: Int) -> Bool {
    CacheVerification.isStored(number) {
      guard let table, let column = table.column(of: property), !table.core.hasReadError else {
        return nil
      }
      return switch try table.core.rowReader().row(table.layout, ObjectKey(key))?[column] {
      case .int(let number): number
      case .double(let number): Int64(bitPattern: number.bitPattern)
      case .bool(let isTrue): isTrue ? 1 : 0
      case .link(let key): key.rawValue
      default: nil
      }
    } _: {
      $0 == $1
    }
  }

  /// Stores the value of a property of a managed object.
  func setStoredValue(_ value: Value, _ property: Int) {
    if role == nil, let rowTable, let column = rowTable.plainColumn(property) {
      let row = ManagedRow(rowTable, ObjectKey(key), birth: birth)
      row.requireWrite(classInfo.name(of: property))
      ObjectWriter.checkSize(value, classInfo.name(of: property))
      return row.set(column, value)
    }
    guard let position else { return }
    position.set(value, property, of: self)
  }

  /// Records that a property was read from a recorder.
  @discardableResult
  func record(_ property: Int) -> Value {
    recording?.note(property, of: self, leadsTo: nil)
    guard let recording, classInfo.schema.properties[property].isSingleGeometry else {
      return .null
    }
    recording.end = .geometry
    return .geometry(RecordedGeometry.value)
  }

  /// Records that a list was read from a recorder, and returns its elements.
  func recordList(_ property: Int) -> [Any] {
    record(property)
    let schema = classInfo.schema
    guard let recording, schema.isPointShaped,
      schema.properties[property].name == ObjectSchema.pointCoordinatesName
    else { return [] }
    recording.end = .coordinates
    return RecordedPoint.coordinates
  }

  /// Records that linking objects were read from a recorder.
  func recordComputed(_ property: Int) {
    recording?.note(named: classInfo.schema.computedProperties[property].name, of: self)
  }

  /// Records that a link was read, and returns a recorder for the linked object.
  func recordLink(_ property: Int) -> ObjectBase? {
    guard let recording, let type = classInfo.fields[property].objectType else {
      return nil
    }
    let linked = recorder(of: type, recording)
    recording.note(property, of: self, leadsTo: linked)
    return linked
  }

  /// Records that an element of the collection that was read last was read, and returns a recorder for it.
  func recordElement(_ type: ObjectBase.Type) -> ObjectBase? {
    guard let recording else { return nil }
    let element = recorder(of: type, recording)
    recording.lead(from: self, to: element)
    return element
  }

  private func recorder(of type: ObjectBase.Type, _ recording: PropertyRecording) -> ObjectBase {
    let recorder = type.init()
    recorder.recording = recording
    ClassInfo.of(type).attach(recorder)
    return recorder
  }
}

// Not Sendable: a managed object reads through the snapshot of its Realm, which is confined.
@available(*, unavailable)
extension ObjectBase: Sendable {}

extension ObjectBase {
  /// Returns the content of a property; nil for an unknown name.
  func content(of name: String) -> PropertyContent? {
    field(named: name).map { $0.content(of: self) }
  }

  /// Returns a property of the object's class; nil for an unknown name.
  func field(named name: String) -> ClassInfo.Field? {
    let info = classInfo
    guard let index = info.schema.index(of: name), info.fields.indices.contains(index) else {
      return nil
    }
    return info.fields[index]
  }

  /// Returns the content at the end of a path, which may end in measures of a geometry or a date; nil if a link of the
  /// path is null.
  func content(at names: [String]) -> PropertyContent? {
    guard let first = names.first, let content = content(of: first) else { return nil }
    guard names.count > 1 else { return content }
    if case .object(let object) = content { return object.content(at: Array(names.dropFirst())) }
    switch content.value {
    case .geometry, .date: break
    default: return nil
    }
    return names.dropFirst().reduce(content) { content, name in
      .value(content.value.flatMap { ValueMeasure.value(name, of: $0) } ?? .null)
    }
  }
}
