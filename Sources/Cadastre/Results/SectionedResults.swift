public import Foundation

/// Objects or values in sections of elements with the same key.
///
///     let byInitial = realm.objects(Contact.self).sectioned(
///       by: { $0.name.prefix(1).uppercased() }, sortDescriptors: ["name"])
///     for section in byInitial {
///       print(section.key)
///       for contact in section { print("  ", contact.name) }
///     }
///
/// Sections are in the order of their first elements. Keys that are equal in queries form one section, with
/// the key of its first element; NaN is equal to itself: see <doc:Equality>. Sections are live: a section
/// appears with its first element, and disappears with its last element.
public struct SectionedResults<Key: Persistable & Hashable, Element: RealmCollectionValue> {
  let sectioning: Sectioning<Key, Element>

  init(_ sectioning: Sectioning<Key, Element>) { self.sectioning = sectioning }

  /// The keys of all sections, in order.
  public var allKeys: [Key] { sectioning.sections.keys }

  /// The element at an index path; a path out of bounds stops the process.
  ///
  /// - Parameter path: The index of the section and the index of the element in the section.
  public subscript(path: IndexPath) -> Element {
    guard path.count == 2 else {
      ProgrammingError.stop(
        "An index path into sections has two indexes, found \(path.count): the section and the element."
      )
    }
    return self[path[0]][path[1]]
  }
}

extension SectionedResults: RandomAccessCollection {
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { sectioning.sections.keys.count }

  /// The section at an index; one out of bounds stops the process.
  public subscript(index: Int) -> ResultsSection<Key, Element> {
    let keys = sectioning.sections.keys
    guard keys.indices.contains(index) else {
      ProgrammingError.stop("Index \(index) is out of bounds (must be less than \(keys.count)).")
    }
    return ResultsSection(sectioning, keys[index])
  }

  /// Iterates over the current sections; later changes do not affect the iteration.
  public func makeIterator() -> AnyIterator<ResultsSection<Key, Element>> {
    var keys = sectioning.sections.keys.makeIterator()
    return AnyIterator { keys.next().map { ResultsSection(sectioning, $0) } }
  }
}

extension SectionedResults: Equatable, ThreadConfined, CustomStringConvertible {
  /// Returns whether both divide the same results by the same property.
  public static func == (first: SectionedResults, second: SectionedResults) -> Bool {
    first.sectioning.isSame(as: second.sectioning)
  }

  /// The Realm of the results.
  public var realm: Realm? { sectioning.results.realm }

  /// Whether the owner of the elements was deleted or invalidated.
  public var isInvalidated: Bool { sectioning.results.isInvalidated }

  /// Returns the same sections in another Realm of the store; nil if the collection does not exist there.
  @_documentation(visibility: internal)
  public func counterpart(in realm: Realm) -> SectionedResults? {
    sectioning.counterpart(in: realm).map { SectionedResults($0) }
  }

  /// The sections with their elements.
  public var description: String {
    (["SectionedResults<\(Key.self), \(Element.self)> ("] + map { "\t\($0)" } + [")"])
      .joined(separator: "\n")
  }
}

/// A section: the elements with a key.
///
/// A section is live; without elements it is empty and invalidated.
public struct ResultsSection<Key: Persistable & Hashable, Element: RealmCollectionValue>:
  Identifiable
{
  let sectioning: Sectioning<Key, Element>
  /// The key of the elements.
  public let key: Key
  let elementKey: ElementKey<Key>

  fileprivate init(_ sectioning: Sectioning<Key, Element>, _ key: Key) {
    self.sectioning = sectioning
    self.key = key
    elementKey = ElementKey(key)
  }

  /// The key.
  public var id: Key { key }

  /// The indexes of the elements in the results.
  private var indexes: [Int] { sectioning.sections.indexes[elementKey] ?? [] }
}

extension ResultsSection: RandomAccessCollection {
  /// The index of the first element: 0.
  public var startIndex: Int { 0 }
  /// The number of elements.
  public var endIndex: Int { indexes.count }

  /// The element at an index; one out of bounds stops the process.
  public subscript(index: Int) -> Element {
    let indexes = indexes
    guard indexes.indices.contains(index) else {
      ProgrammingError.stop("Index \(index) is out of bounds (must be less than \(indexes.count)).")
    }
    return sectioning.results[indexes[index]]
  }

  /// Iterates over the current elements; later changes do not affect the iteration.
  public func makeIterator() -> AnyIterator<Element> {
    AnyIterator(indexes.map { sectioning.results[$0] }.makeIterator())
  }
}

extension ResultsSection: Equatable, ThreadConfined, CustomStringConvertible {
  /// Returns whether both have the same key and divide the same results by the same property.
  public static func == (first: ResultsSection, second: ResultsSection) -> Bool {
    first.elementKey == second.elementKey && first.sectioning.isSame(as: second.sectioning)
  }

  /// The Realm of the results.
  public var realm: Realm? { sectioning.results.realm }

  /// Whether the section has no elements, or the owner of the elements was deleted.
  public var isInvalidated: Bool {
    sectioning.results.isInvalidated || sectioning.sections.indexes[elementKey] == nil
  }

  /// Returns the same section in another Realm of the store; nil if it does not exist there.
  @_documentation(visibility: internal)
  public func counterpart(in realm: Realm) -> ResultsSection? {
    sectioning.counterpart(in: realm).flatMap { sectioning in
      sectioning.sections.indexes[elementKey] == nil ? nil : ResultsSection(sectioning, key)
    }
  }

  /// The key and the elements.
  public var description: String {
    (["\(key) ("] + map { "\t\t\($0)" } + ["\t)"]).joined(separator: "\n")
  }
}

// Not Sendable: the results are confined.
@available(*, unavailable)
extension SectionedResults: Sendable {}

@available(*, unavailable)
extension ResultsSection: Sendable {}
