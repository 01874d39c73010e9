import CadastreModel
public import CadastrePredicate
import CadastreQuery

extension RealmCollection where Element: KeypathSortable {
  /// Divides the objects into sections by a property, sorted by that property.
  ///
  ///     realm.objects(Airport.self).sectioned(by: \.country)
  public func sectioned<Key: Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    SectionChecks.checkKey(Key.self)
    return SectionedResults(
      Sectioning(sorted(by: keyPath, ascending: ascending), .property(keyPath)))
  }

  /// Divides the objects into sections by a property, the primary sort criterion.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - sortDescriptors: The order of the objects; the process stops unless the first descriptor names the
  ///     property.
  /// - Returns: The sections.
  public func sectioned<Key: Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try sectioned(by: keyPath, checking: sortDescriptors)
    }
  }

  /// Divides the objects into sections by a property, in an order from outside the program.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - sortDescriptors: The order of the objects; the first descriptor must name the property.
  /// - Returns: The sections.
  /// - Throws: `QueryPredicateError` if the first descriptor does not name the property, or a path does not
  ///   fit the class.
  public func sectioned<Key: Persistable & Hashable>(
    by keyPath: KeyPath<Element, Key>, checking sortDescriptors: [SortDescriptor]
  ) throws(QueryPredicateError) -> SectionedResults<Key, Element> {
    SectionChecks.checkKey(Key.self)
    try SectionChecks.check(sortDescriptors)
    let name = Element.propertyName(of: keyPath)
    guard let first = sortDescriptors.first, first.keyPath == name, first.collation.isEmpty else {
      throw QueryPredicateError(
        .sort,
        "The section key path must match the primary sort descriptor: sections by '\(name)' need a sort "
          + "by '\(name)' first, without a collation")
    }
    return SectionedResults(
      Sectioning(try sorted(checking: sortDescriptors), .property(keyPath)))
  }

  /// Divides the objects, sorted by properties, into sections by the key that a closure computes.
  ///
  /// An empty array, or a descriptor that does not fit the class, stops the process.
  public func sectioned<Key: Persistable & Hashable>(
    by key: @escaping (Element) -> Key, sortDescriptors: [SortDescriptor]
  ) -> SectionedResults<Key, Element> {
    ProgrammingError.orStop { () throws(QueryPredicateError) in
      try sectioned(by: key, checking: sortDescriptors)
    }
  }

  /// Divides the objects, sorted in an order from outside the program, into sections by the key that a
  /// closure computes.
  ///
  /// - Throws: `QueryPredicateError` for an empty array, or a path that does not fit the class.
  public func sectioned<Key: Persistable & Hashable>(
    by key: @escaping (Element) -> Key, checking sortDescriptors: [SortDescriptor]
  ) throws(QueryPredicateError) -> SectionedResults<Key, Element> {
    SectionChecks.checkKey(Key.self)
    try SectionChecks.check(sortDescriptors)
    return SectionedResults(Sectioning(try sorted(checking: sortDescriptors), .closure(key)))
  }
}

extension RealmCollection {
  /// Divides the sorted values into sections by the key that a closure computes.
  ///
  /// Objects need sort descriptors: a collection of objects stops the process.
  public func sectioned<Key: Persistable & Hashable>(
    by key: @escaping (Element) -> Key, ascending: Bool = true
  ) -> SectionedResults<Key, Element> {
    SectionChecks.checkKey(Key.self)
    return ProgrammingError.orStop { () throws(QueryPredicateError) in
      guard queryResult.table == nil else { throw SectionChecks.noOrder }
      return SectionedResults(Sectioning(sorted(ascending: ascending), .closure(key)))
    }
  }
}

/// Checks of the arguments of sections.
private enum SectionChecks {
  static func checkKey<Key: Persistable>(_ type: Key.Type) {
    guard type.propertyShape.objectType == nil else {
      ProgrammingError.stop("Links are not supported as section keys.")
    }
  }

  static func check(_ descriptors: [SortDescriptor]) throws(QueryPredicateError) {
    if descriptors.isEmpty { throw noOrder }
  }

  static var noOrder: QueryPredicateError {
    QueryPredicateError(
      .sort,
      "There must be at least one SortDescriptor when using SectionedResults: sections come in the "
        + "order of their elements")
  }
}

/// The lazily computed sections of a result.
final class Sectioning<Key: Persistable & Hashable, Element: RealmCollectionValue> {
  /// The source of the keys.
  enum Source {
    /// A property, by which the result is sorted.
    case property(KeyPath<Element, Key>)
    /// A closure, which may read anything.
    case closure((Element) -> Key)
  }

  /// The keys in the order of their first elements, and the indexes of the elements of each section.
  struct Sections {
    /// The key of the first element of each section.
    var keys: [Key] = []
    var indexes: [ElementKey<Key>: [Int]] = [:]
  }

  let results: Results<Element>
  private let source: Source
  private var cached: (generation: UInt64, sections: Sections)?

  init(_ results: Results<Element>, _ source: Source) {
    self.results = results
    self.source = source
  }

  /// The current sections.
  ///
  /// - Complexity: O(n) for n elements after a change of a dependency, otherwise O(1). With a closure, every
  ///   change of the store is a change of a dependency.
  var sections: Sections {
    let core = results.queryResult.core
    guard results.queryResult.isValid else { return Sections() }
    return core.exclusively {
      if let cached, isCurrent(cached.generation) { return cached.sections }
      let sections = divided()
      cached = (core.currentGeneration, sections)
      return sections
    }
  }

  private func divided() -> Sections {
    var sections = Sections()
    func add(_ range: Range<Int>, _ key: Key) {
      let elementKey = ElementKey(key)
      if sections.indexes[elementKey] == nil { sections.keys.append(key) }
      sections.indexes[elementKey, default: []] += range
    }
    if case .property = source, let starts = results.queryResult.changesOfFirstSort() {
      // Objects with the same stored value form a run, whose first object determines the key.
      let ends = starts.dropFirst() + [results.queryResult.loadedCount]
      for (start, end) in zip(starts, ends) { add(start..<end, key(of: results[start])) }
    } else {
      for (index, element) in results.enumerated() { add(index..<index + 1, key(of: element)) }
    }
    return sections
  }

  private func isCurrent(_ generation: UInt64) -> Bool {
    let core = results.queryResult.core
    core.checkThread()
    if generation == core.currentGeneration { return true }
    guard case .property = source, let dependencies = results.queryResult.dependencies else {
      return false
    }
    return core.generation.isUnchanged(dependencies, since: generation)
  }

  private func key(of element: Element) -> Key {
    switch source {
    case .property(let keyPath): element[keyPath: keyPath]
    case .closure(let key): key(element)
    }
  }

  /// Returns the same sections in another Realm.
  func counterpart(in realm: Realm) -> Sectioning? {
    results.counterpart(in: realm).map { Sectioning($0, source) }
  }

  /// Returns whether both divide the same elements by the same keys.
  func isSame(as other: Sectioning) -> Bool {
    if self === other { return true }
    guard results == other.results, case .property(let mine) = source,
      case .property(let theirs) = other.source
    else { return false }
    return mine == theirs
  }
}
