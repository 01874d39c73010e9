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
  private let table: ManagedTable
  private let info: ClassInfo

  /// - Parameters:
  ///   - keys: The keys of the objects.
  ///   - table: The table of their class, of which `Element` is the type.
  init(_ keys: [Int64], _ table: ManagedTable) {
    self.keys = keys.makeIterator()
    self.table = table
    info = table.info
  }

  mutating func next() -> Element? {
    guard let key = keys.next() else { return nil }
    let object = info.makeInstance(of: info.type, table, ObjectKey(key))
    // Invariant: `objects(_:)` checks that the element type is the class, and the instance is of
    // that class.
    return unsafeBitCast(object, to: Element.self)
  }
}
