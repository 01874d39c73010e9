extension StoredList {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { StoredList($0, layout) }
  }
}

extension StoredSet {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { StoredSet($0, layout) }
  }
}

extension StoredMap {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { StoredMap($0, layout) }
  }
}

extension PointCoordinates {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { PointCoordinates($0) }
  }
}

extension LinkSearch {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { LinkSearch($0, property) }
  }
}

extension NestedLocation {
  /// The same location in another Realm; nil where it does not exist there.
  func counterpart(in core: RealmCore) -> NestedLocation? {
    let root: Root? =
      switch self.root {
      case .property(let object, let property):
        object.counterpart(in: Realm(core: core)).map { .property(of: $0, property) }
      case .element(let list, let index):
        (list.counterpart(in: core) as? StoredList).map { .element(of: $0, index) }
      case .entry(let map, let key):
        (map.counterpart(in: core) as? StoredMap).map { .entry(of: $0, key) }
      }
    guard let root else { return nil }
    let place = steps.reduce(NestedLocation(root)) { $0.appending($1) }
    return place.isValid ? place : nil
  }
}

extension NestedList {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    place.counterpart(in: core).map { NestedList(core, $0) }
  }
}

extension NestedMap {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    place.counterpart(in: core).map { NestedMap(core, $0) }
  }
}
