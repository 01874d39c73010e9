import CadastreModel

extension QueryResult {
  /// The objects, made one by one; nil where the elements are not objects of the class's own type,
  /// or not as many as were counted last.
  func objects<Element>(_ type: Element.Type) -> AnyIterator<Element>? {
    guard let table, Element.self == table.info.type, let keys = countedKeys else { return nil }
    return AnyIterator(ObjectIterator<Element>(keys, table))
  }
}

/// Makes the objects with some keys, one after the other.
// A struct, because captured variables of a closure are checked for overlapping accesses at each
// step.
private struct ObjectIterator<Element>: IteratorProtocol {
  private var keys: IndexingIterator<[Int64]>
  private var instance: LoopInstance

  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - table: The table of their class, of which `Element` is the type.
  init(_ keys: [Int64], _ table: ManagedTable) {
    self.keys = keys.makeIterator()
    instance = LoopInstance(table)
  }

  mutating func next() -> Element? {
    guard let key = keys.next() else { return nil }
    // Invariant: `objects(_:)` checks that the element type is the class. The instance is of that
    // class, and `instance` retains it. An address needs no retain and release of its own.
    return unsafeBitCast(instance.object(ObjectKey(key)), to: Element.self)
  }
}
