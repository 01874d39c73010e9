/// Marks a property of a projection as a view of a property of the root object.
///
///     @Projected(\Person.firstName) var firstName
///
/// The key path may lead through links, and to the elements of a list or a set by `projectTo`.
/// Writing needs a key path that is writable: one through `?` is not.
@propertyWrapper
public struct Projected<Root: ObjectBase, Value> {
  let keyPath: KeyPath<Root, Value>

  /// Views the property that a key path leads to.
  public init(_ keyPath: KeyPath<Root, Value>) { self.keyPath = keyPath }

  /// Not to be used: a projected property needs its projection.
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

/// A projected property as its class sees it, by its address in an instance.
protocol ProjectedProperty: SendableMetatype {
  /// The projected property at an address; a key path that names no persisted property stops the
  /// process.
  static func field(at address: UnsafeRawPointer, label: String) -> ProjectionInfo.Field
}

extension Projected: ProjectedProperty {
  static func field(at address: UnsafeRawPointer, label: String) -> ProjectionInfo.Field {
    let keyPath = address.assumingMemoryBound(to: Self.self).pointee.keyPath
    let (way, value) = PropertyNames.way(from: Root.self) { $0[keyPath: keyPath] }
    guard var way else {
      ProgrammingError.stop(
        "@Projected property '\(label)' must be a part of Realm object: its key path leads to no "
          + "persisted property of '\(Root.className())'.")
    }
    if let elements = value as? any ProjectedElements { way.append(elements.propertyName) }
    return ProjectionInfo.Field(label: label, propertyName: way.joined(separator: ".")) { object in
      (object as? Root).map { $0[keyPath: keyPath] }
    }
  }
}
