import CadastreModel

/// A collection that is compared as a whole with an array or a dictionary.
///
///     realm.objects(Boat.self).where { $0.marks == [1, 2] }
///     #Predicate<Boat> { $0.specs == ["hp": 80] }
@_documentation(visibility: internal)
public protocol ContentComparable {
  /// The array or dictionary.
  associatedtype Content

  /// Returns whether the collection has exactly the elements, or the entries, of another one.
  func hasContent(_ content: Content) -> Bool
  /// Returns the content of an array or a dictionary.
  static func propertyContent(_ content: Content) -> PropertyContent
}

extension List {
  /// Returns whether the list has the elements of an array, in the same order.
  public static func == (list: List, array: [Element]) -> Bool { list.hasContent(array) }

  /// Returns whether the list has other elements than an array, or another order.
  public static func != (list: List, array: [Element]) -> Bool { !list.hasContent(array) }
}

extension MutableSet {
  /// Returns whether the set has the elements of an array and no others.
  public static func == (set: MutableSet, array: [Element]) -> Bool { set.hasContent(array) }

  /// Returns whether the set has other elements than an array.
  public static func != (set: MutableSet, array: [Element]) -> Bool { !set.hasContent(array) }
}

extension Map {
  /// Returns whether the map has the entries of a dictionary and no others.
  public static func == (map: Map, dictionary: [Key: Value]) -> Bool {
    map.hasContent(dictionary)
  }

  /// Returns whether the map has other entries than a dictionary.
  public static func != (map: Map, dictionary: [Key: Value]) -> Bool {
    !map.hasContent(dictionary)
  }
}

@_documentation(visibility: internal)
extension List: ContentComparable {
  /// Returns whether the list has the elements of an array, in the same order.
  public func hasContent(_ content: [Element]) -> Bool { elementsEqual(content) }
  /// Returns the content of an array.
  public static func propertyContent(_ content: [Element]) -> PropertyContent {
    .elements(content.map { Element.content(of: $0) })
  }
}

@_documentation(visibility: internal)
extension MutableSet: ContentComparable {
  /// Returns whether the set has the elements of an array and no others.
  public func hasContent(_ content: [Element]) -> Bool { Set(self) == Set(content) }
  /// Returns the content of an array.
  public static func propertyContent(_ content: [Element]) -> PropertyContent {
    .elements(content.map { Element.content(of: $0) })
  }
}

@_documentation(visibility: internal)
extension Map: ContentComparable {
  /// Returns whether the map has the entries of a dictionary and no others.
  public func hasContent(_ content: [Key: Value]) -> Bool {
    count == content.count && allSatisfy { content[$0.key] == $0.value }
  }
  /// Returns the content of a dictionary.
  public static func propertyContent(_ content: [Key: Value]) -> PropertyContent {
    .entries(content.map { ($0.key.mapKey, Value.content(of: $0.value)) })
  }
}
