import CadastreModel

extension Answer {
  /// The objects, made one by one; nil where the elements are something else, or of another type than the
  /// class's own.
  func objects<Element>(_ type: Element.Type) -> AnyIterator<Element>? {
    guard let table, Element.self == table.info.type else { return nil }
    let info = table.info
    var keys = keys.makeIterator()
    return AnyIterator {
      guard let key = keys.next() else { return nil }
      let row = ManagedRow(table, ObjectKey(key))
      let object = info.makeInstance(of: info.type, at: ObjectPosition(row))
      // The element type is the class, as the guard above says, and so is what was made.
      return unsafeBitCast(object, to: Element.self)
    }
  }
}
