import CadastreModel

/// A view of some properties of an object, under other names.
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
/// A projection stores nothing but its root object: it reads and writes the object's properties.
/// Predicates use the names of the root class; key paths for sorting and sections are those of the
/// projection.
open class Projection<Root: ObjectBase> {
  /// The object that is read and written.
  public let rootObject: Root

  /// Views an object, managed or not.
  ///
  /// The first projection of a class checks it: a key path that names no persisted property of the
  /// root class stops the process.
  public required init(projecting object: Root) {
    rootObject = object
    ProjectionInfo.fields(of: self)
  }
}

/// A class that projects objects of another.
@_documentation(visibility: internal)
public protocol ProjectionProtocol: AnyObject, KeypathSortable, ThreadConfined {
  /// The class of the objects.
  associatedtype Root: ObjectBase
  /// The object that is read and written.
  var rootObject: Root { get }
}

@_documentation(visibility: internal)
extension Projection: ProjectionProtocol {
  /// The property of the root class that a key path from this class leads to.
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
  /// The Realm that manages the root object; nil for one that none does.
  public var realm: Realm? { rootObject.realm }

  /// Whether the root object was managed and has been deleted since, or its Realm is at an end.
  public var isInvalidated: Bool { rootObject.isInvalidated }
}

extension Projection: Hashable {
  /// Equal when they view the same row, or the same instance that no Realm manages.
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
  /// The class and its properties, one a line, with the properties of the root class behind them.
  public var description: String {
    let head = "\(type(of: self)) <\(Root.className())>"
    guard !isInvalidated else { return "\(head) (invalidated)" }
    let lines = ProjectionInfo.fields(of: self).map { field in
      "\t\(field.label)(\\.\(field.propertyName)) = \(field.text(of: rootObject));"
    }
    return (["\(head) {"] + lines + ["}"]).joined(separator: "\n")
  }
}

/// Conformances by which projections can be elements of results. They cannot be properties.
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
  /// A view of a new object.
  public static func makeDefaultValue() -> Self { Self(projecting: Root()) }
  /// The root object.
  public static func content(of value: Projection) -> PropertyContent { .object(value.rootObject) }
  /// The projection, or a view of an object.
  public static func make(fromDynamic value: Any?) -> Self? {
    (value as? Self) ?? (value as? Root).map { Self(projecting: $0) }
  }
  /// A view of the object that a link leads to.
  public static func make(fromStored value: Value, in context: StoredContext) -> Self? {
    Root.make(fromStored: value, in: context).map { Self(projecting: $0) }
  }
}

extension Query where Value: ProjectionProtocol {
  /// A property of the root objects.
  public subscript<Member: Persistable>(
    dynamicMember keyPath: KeyPath<Value.Root, Member>
  ) -> Query<Member> { Query<Value.Root>()[dynamicMember: keyPath] }
}

// Not Sendable: its root object belongs to a thread.
@available(*, unavailable)
extension Projection: Sendable {}
