import CadastreModel

/// An element of a collection, or the key of a section, as a key: elements that are one value in the store
/// are equal.
///
/// Swift's own equality differs: it compares text by canonical equivalence, numbers in an `AnyRealmValue`
/// also by their type, and NaN is equal to nothing.
enum ElementKey<Element: RealmCollectionValue>: Hashable {
  case value(ValueKey)
  /// An element that is an object or contains one.
  case element(Element)

  init(_ element: Element) {
    let value = AnyRealmValue.stored(Element.content(of: element))
    self = value.map { .value(ValueKey($0)) } ?? .element(element)
  }
}
