/// A type whose instances a Realm can fetch: a class of objects, or a projection of one.
public protocol RealmFetchable: RealmCollectionValue {
  /// The class whose rows are read.
  @_documentation(visibility: internal)
  static var fetchedClass: ObjectBase.Type { get }
}

@_documentation(visibility: internal)
extension Object: RealmFetchable {
  /// The class itself.
  public static var fetchedClass: ObjectBase.Type { self }
}
