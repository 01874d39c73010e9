import CadastreEngine
import CadastreModel

/// The sections of a result, computed when they are needed.
final class Sectioning<Key: Persistable & Hashable, Element: RealmCollectionValue> {
  /// The source of the keys.
  enum Source {
    /// A property, by which the result is sorted.
    case property(KeyPath<Element, Key>)
    /// A closure, which may read anything.
    case closure((Element) -> Key)
  }

  /// The keys in the order of their first elements, and the elements of each by their indexes in
  /// the queryResult.
  struct Sections {
    /// The key of the first element of each section.
    var keys: [Key] = []
    var indexes: [ElementKey<Key>: [Int]] = [:]
  }

  let results: Results<Element>
  private let source: Source
  private var found: (epoch: UInt64, sections: Sections)?

  init(_ results: Results<Element>, _ source: Source) {
    self.results = results
    self.source = source
  }

  /// The current sections.
  ///
  /// - Complexity: O(n) for n elements after a change of a dependency, else O(1). With a closure
  ///   every change is one.
  var sections: Sections {
    let core = results.queryResult.core
    guard results.queryResult.isValid else { return Sections() }
    return core.exclusively {
      if let found, isCurrent(found.epoch) { return found.sections }
      let sections = divided()
      found = (core.epoch, sections)
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
      // The key of each run of objects with one stored value is that of its first.
      let ends = starts.dropFirst() + [results.queryResult.loadedCount]
      for (start, end) in zip(starts, ends) { add(start..<end, key(of: results[start])) }
    } else {
      for (index, element) in results.enumerated() { add(index..<index + 1, key(of: element)) }
    }
    return sections
  }

  private func isCurrent(_ epoch: UInt64) -> Bool {
    let core = results.queryResult.core
    core.checkThread()
    if epoch == core.epoch { return true }
    guard case .property = source, let dependencies = results.queryResult.dependencies else {
      return false
    }
    return core.ledger.isUnchanged(dependencies, since: epoch)
  }

  private func key(of element: Element) -> Key {
    switch source {
    case .property(let keyPath): element[keyPath: keyPath]
    case .closure(let key): key(element)
    }
  }

  /// The same sections in another Realm.
  func counterpart(in realm: Realm) -> Sectioning? {
    results.counterpart(in: realm).map { Sectioning($0, source) }
  }

  /// Whether another division is of the same elements by the same keys.
  func isSame(as other: Sectioning) -> Bool {
    if self === other { return true }
    guard results == other.results, case .property(let mine) = source,
      case .property(let theirs) = other.source
    else { return false }
    return mine == theirs
  }
}
