import CadastreModel

/// Copies of another Realm's objects, one for each.
final class ObjectCopies {
  /// The identity of a row among those of all Realms.
  struct Row: Hashable {
    let core: ObjectIdentifier
    let className: String
    let key: ObjectKey

    init(_ row: ManagedRow) {
      core = ObjectIdentifier(row.core)
      className = row.table.className
      key = row.key
    }
  }

  var known: [Row: Object] = [:]

  /// The copy of an object of another Realm; nil for others.
  func copy(of object: ObjectBase, notIn core: RealmCore) -> Object? {
    guard let source = object as? Object, let row = source.position?.row, row.core !== core else {
      return nil
    }
    if let copy = known[Row(row)] { return copy }
    guard let copy = source.classInfo.type.init() as? Object else { return nil }
    known[Row(row)] = copy
    ClassInfo.of(type(of: copy)).fill(copy, from: source)
    return copy
  }
}
