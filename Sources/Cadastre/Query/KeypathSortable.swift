/// A type whose properties can be named by key paths, to sort by them: objects and projections.
@_documentation(visibility: internal)
public protocol KeypathSortable: RealmCollectionValue {
  /// The persisted property that a key path from this type leads to, names joined by dots.
  ///
  /// A key path that leads to something else stops the process.
  static func propertyName(of keyPath: AnyKeyPath) -> String
}

/// Returns the name of the persisted property that a key path leads to, names joined by dots, for
/// code written for Realm.
///
/// A key path that leads to something else stops the process.
public func _name<Root: ObjectBase>(for keyPath: PartialKeyPath<Root>) -> String {
  PropertyNames.name(ofPartial: keyPath)
}

/// Returns the name of the property of the root class that a key path of a projection leads to.
public func _name<View: ProjectionProtocol>(for keyPath: PartialKeyPath<View>) -> String {
  View.propertyName(of: keyPath)
}

extension Object: KeypathSortable {}
extension EmbeddedObject: KeypathSortable {}

@_documentation(visibility: internal)
extension ObjectBase {
  /// The persisted property that a key path from this class leads to, names joined by dots.
  public static func propertyName(of keyPath: AnyKeyPath) -> String {
    guard let keyPath = keyPath as? PartialKeyPath<Self> else {
      ProgrammingError.stop(
        "A key path from '\(type(of: keyPath).rootType)' names nothing of '\(self)'.")
    }
    return PropertyNames.name(ofPartial: keyPath)
  }
}
