import Cadastre

/// One value, whatever its type.
class Single<Value: Persistable>: Object {
  @Persisted var place: Int
  @Persisted var value: Value

  override class func className() -> String { "Single" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A value that distinguishes objects.
class Keyed<Value: Persistable>: Object {
  @Persisted(primaryKey: true) var value: Value

  override class func className() -> String { "Keyed" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// A value with an index.
class Indexed<Value: Persistable>: Object {
  @Persisted var place: Int
  @Persisted(indexed: true) var value: Value

  override class func className() -> String { "Indexed" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class InList<Value: RealmCollectionValue>: Object {
  @Persisted var values: List<Value>

  override class func className() -> String { "InList" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class InSet<Value: RealmCollectionValue>: Object {
  @Persisted var values: MutableSet<Value>

  override class func className() -> String { "InSet" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class InMap<Value: RealmCollectionValue>: Object {
  @Persisted var values: Map<String, Value>

  override class func className() -> String { "InMap" }
  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What links lead to.
class Linked: Object {
  @Persisted var name = ""
  @Persisted var next: Linked?
  @Persisted(originProperty: "next") var value: LinkingObjects<Linked>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// What owners hold.
class Held: EmbeddedObject {
  @Persisted var name = ""

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
