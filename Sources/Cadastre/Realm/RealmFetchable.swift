/// A type whose instances a Realm can fetch: a class of objects, or a projection of one.
public protocol RealmFetchable: RealmCollectionValue {
  /// The class whose rows are read.
  static var fetchedClass: ObjectBase.Type { get }
}

extension Object: RealmFetchable {
  /// The class itself.
  public static var fetchedClass: ObjectBase.Type { self }
}
