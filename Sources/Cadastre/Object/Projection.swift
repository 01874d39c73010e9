import CadastreModel
public import Dispatch

/// A view of properties of an object with other names.
///
///     class PersonRow: Projection<Person> {
///       @Projected(\Person.name) var title
///       @Projected(\Person.address?.city) var homeCity
///       @Projected(\Person.friends.projectTo.name) var friendsNames
///     }
///
///     for row in realm.objects(PersonRow.self).sorted(by: \.title) {
///       print(row.title, row.homeCity ?? "nowhere", row.friendsNames.count)
///     }
///
/// A projection reads and writes the properties of its root object. Predicates use the names of the root
/// class; sorts and sections use key paths of the projection.
open class Projection<Root: ObjectBase> {
  /// The object whose properties are read and written.
  public let rootObject: Root

  /// Creates a view of a managed or unmanaged object.
  ///
  /// The first instance of a projection class checks the class: a key path that does not lead to a persisted
  /// property stops the process.
  public required init(projecting object: Root) {
    rootObject = object
    ProjectionInfo.fields(of: self)
  }
}

/// A projection class.
@_documentation(visibility: internal)
public protocol ProjectionProtocol: AnyObject, KeypathSortable, ThreadConfined {
  /// The class of the root objects.
  associatedtype Root: ObjectBase
  /// The object whose properties are read and written.
  var rootObject: Root { get }
}

@_documentation(visibility: internal)
extension Projection: ProjectionProtocol {
  /// Returns the property of the root class for a key path of the projection.
  public static func propertyName(of keyPath: AnyKeyPath) -> String {
    ProjectionInfo.propertyName(of: keyPath, Self.self)
  }
}

@_documentation(visibility: internal)
extension Projection: RealmFetchable {
  /// The root class.
  public static var fetchedClass: ObjectBase.Type { Root.self }
}

extension Projection: ThreadConfined {
  /// The Realm that manages the root object; nil for an unmanaged object.
  public var realm: Realm? { rootObject.realm }

  /// Whether the managed root object was deleted, or its Realm was invalidated.
  public var isInvalidated: Bool { rootObject.isInvalidated }
}

extension Projection: Hashable {
  /// Returns whether both view the same row, or the same unmanaged instance.
  public static func == (first: Projection, second: Projection) -> Bool {
    let (mine, theirs) = (first.rootObject, second.rootObject)
    guard let position = mine.position, let other = theirs.position else { return mine === theirs }
    return position.isSameObject(as: other)
  }

  /// Hashes the row, or the instance.
  public func hash(into hasher: inout Hasher) {
    if let position = rootObject.position {
      hasher.combine(position.row.address)
    } else {
      hasher.combine(ObjectIdentifier(rootObject))
    }
  }
}

extension Projection: CustomStringConvertible {
  /// The class and its properties, one per line, with the projected properties of the root class.
  public var description: String {
    let head = "\(type(of: self)) <\(Root.className())>"
    guard !isInvalidated else { return "\(head) (invalidated)" }
    let lines = ProjectionInfo.fields(of: self).map { field in
      "\t\(field.label)(\\.\(field.propertyName)) = \(field.text(of: rootObject));"
    }
    return (["\(head) {"] + lines + ["}"]).joined(separator: "\n")
  }
}

/// The conformance that makes projections elements of results; they cannot be properties.
@_documentation(visibility: internal)
extension Projection: Persistable {
  /// Stops the process: a projection is not stored.
  public static var propertyShape: PropertyShape { stopForStorage() }
  /// Stops the process: a projection is not stored.
  public static func read(from object: ObjectBase, property: Int) -> Self { stopForStorage() }
  /// Stops the process: a projection is not stored.
  public static func write(_ value: Projection, to object: ObjectBase, property: Int) {
    stopForStorage()
  }
  private static func stopForStorage() -> Never {
    ProgrammingError.stop(
      "A Projection cannot be stored: '\(self)' views objects of '\(Root.className())'.")
  }
  /// Returns a view of a new object.
  public static func makeDefaultValue() -> Self { Self(projecting: Root()) }
  /// Returns the root object.
  public static func content(of value: Projection) -> PropertyContent { .object(value.rootObject) }
  /// Returns the projection, or a view of an object.
  public static func make(fromDynamic value: Any?) -> Self? {
    (value as? Self) ?? (value as? Root).map { Self(projecting: $0) }
  }
  /// Returns a view of the object that a link leads to.
  public static func make(fromStored value: Value, in context: StoredContext) -> Self? {
    Root.make(fromStored: value, in: context).map { Self(projecting: $0) }
  }
}

extension Query where Value: ProjectionProtocol {
  /// A property of the root objects in a query.
  public subscript<Member: Persistable>(
    dynamicMember keyPath: KeyPath<Value.Root, Member>
  ) -> Query<Member> { Query<Value.Root>()[dynamicMember: keyPath] }
}

// Not Sendable: the root object is confined.
@available(*, unavailable)
extension Projection: Sendable {}

/// Declares a property of a projection as a view of a property of the root object.
///
///     @Projected(\Person.name) var title
///
/// The key path may follow links, and project the elements of a list or a set with `projectTo`. Setting the
/// property requires a writable key path, without `?`.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
  let keyPath: KeyPath<Root, Value>

  /// Projects the property of a key path.
  public init(_ keyPath: KeyPath<Root, Value>) { self.keyPath = keyPath }

  /// Unavailable: a projected property requires its projection.
  @available(*, unavailable, message: "@Projected works only in subclasses of Projection")
  public var wrappedValue: Value {
    get { fatalError("unavailable") }
    set { fatalError("unavailable") }
  }

  /// The value of the property of the root object.
  @_documentation(visibility: internal)
  public static subscript<Owner: Projection<Root>>(
    _enclosingInstance owner: Owner,
    wrapped _: ReferenceWritableKeyPath<Owner, Value>,
    storage path: ReferenceWritableKeyPath<Owner, Self>
  ) -> Value {
    get { owner.rootObject[keyPath: owner[keyPath: path].keyPath] }
    set {
      let keyPath = owner[keyPath: path].keyPath
      guard let writable = keyPath as? ReferenceWritableKeyPath<Root, Value> else {
        ProgrammingError.stop(
          "KeyPath is not writable: it leads through an optional, or to a property that is read only."
        )
      }
      owner.rootObject[keyPath: writable] = newValue
    }
  }
}

/// Access to a projected property by its address in an instance.
protocol ProjectedProperty: SendableMetatype {
  /// Returns the description of the projected property at an address; a key path that does not lead to a
  /// persisted property stops the process.
  static func field(at address: UnsafeRawPointer, label: String) -> ProjectionInfo.Field
}

extension Projected: ProjectedProperty {
  static func field(at address: UnsafeRawPointer, label: String) -> ProjectionInfo.Field {
    let keyPath = address.assumingMemoryBound(to: Self.self).pointee.keyPath
    let (names, value) = PropertyNames.recorded(from: Root.self) { $0[keyPath: keyPath] }
    guard let names else {
      ProgrammingError.stop(
        "@Projected property '\(label)' must be a part of Realm object: its key path leads to no "
          + "persisted property of '\(Root.className())'.")
    }
    let name = names.joined(separator: ".")
    let dependencies = (value as? any ProjectedElements)?.dependencies.map { "\(name).\($0)" } ?? []
    return ProjectionInfo.Field(
      label: label, propertyName: dependencies.count == 1 ? dependencies[0] : name,
      dependencies: dependencies.isEmpty ? [name] : dependencies
    ) { object in (object as? Root).map { $0[keyPath: keyPath] } }
  }
}

/// The properties of projection classes.
enum ProjectionInfo {
  /// One projected property.
  struct Field {
    let label: String
    /// The property of the root class, names joined by dots.
    let propertyName: String
    /// The paths of the properties on which the value depends: several for elements with a computed property.
    let dependencies: [String]
    /// Reads the value from a root object.
    let value: (ObjectBase) -> Any?

    /// Returns the value as text.
    func text(of object: ObjectBase) -> String {
      let value = value(object)
      guard let value, !DynamicValue.isNull(value) else { return "(null)" }
      return "\((value as? any OptionalValue)?.unwrapped ?? value)"
    }
  }

  // Safe because key paths of properties have no captured values.
  private struct FieldCache: @unchecked Sendable { var fields: [ObjectIdentifier: [Field]] = [:] }
  private static let cache = Guarded(FieldCache())

  /// Returns the properties of a projection class, computed once per class.
  ///
  /// A key path that does not lead to a persisted property stops the process.
  @discardableResult
  static func fields(of projection: AnyObject) -> [Field] {
    let type: any AnyObject.Type = Swift.type(of: projection)
    if let fields = cache.withLock({ $0.fields[ObjectIdentifier(type)] }) { return fields }
    let fields = find(in: projection, of: type)
    cache.withLock { $0.fields[ObjectIdentifier(type)] = fields }
    return fields
  }

  private static func find(in projection: AnyObject, of type: any AnyObject.Type) -> [Field] {
    let start = UnsafeRawPointer(Unmanaged.passUnretained(projection).toOpaque())
    var fields: [Field] = []
    ClassDiscovery.forEachField(of: type) { name, offset, fieldType in
      guard let property = fieldType as? any ProjectedProperty.Type else { return }
      // The storage of a wrapped property is named after the property, with an underscore before the name.
      fields.append(property.field(at: start + offset, label: String(name.dropFirst())))
    }
    return fields
  }

  /// Returns the property of the root class for a key path of a projection class.
  static func propertyName<Root, View: Projection<Root>>(
    of keyPath: AnyKeyPath, _ type: View.Type
  ) -> String {
    guard let keyPath = keyPath as? PartialKeyPath<View> else {
      ProgrammingError.stop(
        "A key path from '\(Swift.type(of: keyPath).rootType)' names nothing of '\(type)'.")
    }
    let (names, _) = PropertyNames.recorded(from: Root.self) { root in
      View(projecting: root)[keyPath: keyPath]
    }
    guard let names else {
      ProgrammingError.stop(
        "A key path of '\(type)' does not lead to a persisted property of '\(Root.className())': use "
          + "one that is marked @Projected.")
    }
    return names.joined(separator: ".")
  }
}

extension ThreadConfined where Self: ProjectionProtocol {
  /// Calls a closure with the changed properties of the projection after commits, and when the object is
  /// deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: The names of the observed properties, of the projection or of the root class; nil for all,
  ///     an empty array for none, so that only the deletion is reported.
  ///   - queue: The serial queue on which the closure is called; nil for the confinement of the Realm.
  ///   - block: The closure.
  /// - Returns: A token; the subscription ends with it.
  public func observe(
    keyPaths: [String]? = nil, on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    Subscription.start(self, on: queue, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the projection's changes, see ``observe(keyPaths:on:_:)``.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { Self.propertyName(of: $0) }, on: queue, block)
  }

  /// Calls a closure with the changes of properties of the root class.
  public func observe(
    keyPaths: [PartialKeyPath<Root>], on queue: DispatchQueue? = nil,
    _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: keyPaths.map { Root.propertyName(of: $0) }, on: queue, block)
  }

  /// Calls a closure with the projection's changes, on an actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The names of the observed properties; nil for all, an empty array for none.
  ///   - actor: The actor.
  ///   - isolation: The actor of the caller.
  ///   - block: The closure, which receives a projection of the actor.
  /// - Returns: A token; the subscription ends with it.
  public func observe<Target: Actor>(
    keyPaths: [String]? = nil, on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await Subscription.start(
      on: actor, from: isolation, self, { $0.changeSource(keyPaths) }, block)
  }

  /// Calls a closure with the projection's changes, on an actor.
  ///
  /// - Parameters:
  ///   - keyPaths: The observed properties; an empty array for none.
  ///   - actor: The actor.
  ///   - isolation: The actor of the caller.
  ///   - block: The closure, which receives a projection of the actor.
  /// - Returns: A token; the subscription ends with it.
  public func observe<Target: Actor>(
    keyPaths: [PartialKeyPath<Self>], on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { Self.propertyName(of: $0) }, on: actor, isolation: isolation, block)
  }

  /// Calls a closure with the changes of properties of the root class, on an actor.
  public func observe<Target: Actor>(
    keyPaths: [PartialKeyPath<Root>], on actor: Target,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @Sendable (isolated Target, ObjectChange<Self>) -> Void
  ) async -> NotificationToken {
    await observe(
      keyPaths: keyPaths.map { Root.propertyName(of: $0) }, on: actor, isolation: isolation, block)
  }

  /// Returns the changes of the projection, for `for await`; the sequence ends when the object is deleted.
  public func changes(keyPaths: [String]? = nil) -> Changes<ObjectChange<Self>> {
    Changes(changeSource(keyPaths))
  }

  private func changeSource(_ keyPaths: [String]?) -> ObjectChangeSource<Self> {
    let fields = ProjectionInfo.fields(of: self)
    for name in keyPaths ?? [] where !fields.contains(where: { $0.isNamed(name) }) {
      ProgrammingError.stop(
        "Property '\(name)' in KeyPath '\(name)' is not a valid property in \(Self.self).")
    }
    let watched = fields.filter { field in keyPaths?.contains(where: field.isNamed) ?? true }
    return ObjectChangeSource(
      self, rootObject, watched.map { ($0.label, $0.dependencies) }, reportsLinks: false)
  }
}

extension ProjectionInfo.Field {
  /// Returns whether a name is the name of the property in the projection or in the root class.
  fileprivate func isNamed(_ name: String) -> Bool { name == label || name == propertyName }
}
