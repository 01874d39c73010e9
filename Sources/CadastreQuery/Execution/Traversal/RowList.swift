package import CadastreModel
package import CadastreStore

/// Rows in memory with their collections and embedded objects, numbered from 0.
package final class RowList: RowProvider {
  /// A collection of a row.
  private struct Owned: Hashable {
    let layout: CollectionLayout
    let owner: Int64
  }

  package let catalogue: Catalogue
  private var rows: [[Value]] = []
  private var elements: [Owned: [Value]] = [:]
  private var keys: [Owned: [String]] = [:]

  /// Creates a list without rows.
  ///
  /// - Parameter catalogue: The classes of the rows and of their embedded objects.
  package init(_ catalogue: Catalogue) { self.catalogue = catalogue }

  /// Rows are removed, and others get their numbers.
  package var areRowsImmutable: Bool { false }

  /// Removes all rows.
  package func removeAll() {
    rows.removeAll(keepingCapacity: true)
    if !elements.isEmpty { elements.removeAll(keepingCapacity: true) }
    if !keys.isEmpty { keys.removeAll(keepingCapacity: true) }
  }

  /// Appends a row of values; returns its number.
  @discardableResult
  package func append(_ values: [Value]) -> Int64 {
    rows.append(values)
    return Int64(rows.count - 1)
  }

  /// Appends a row with its collections and embedded objects; returns its number.
  @discardableResult
  package func append(_ row: ImportRow, _ layout: TableLayout) -> Int64 {
    let key = append(row.values)
    for collection in layout.collections where rows[Int(key)][collection.countColumn].isNull {
      rows[Int(key)][collection.countColumn] = .int(0)
    }
    for member in row.members {
      switch member {
      case .list(let layout, let elements): set(elements, layout, of: key)
      case .map(let layout, let entries):
        let sorted = entries.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        set(sorted.map(\.value), layout, of: key)
        keys[Owned(layout: layout, owner: key)] = sorted.map(\.key)
      case .owned(let column, let className, let inner):
        rows[Int(key)][column] = appended(inner, className)
      }
    }
    return key
  }

  private func set(_ elements: [ImportRow.Element], _ layout: CollectionLayout, of owner: Int64) {
    rows[Int(owner)][layout.countColumn] = .int(Int64(elements.count))
    self.elements[Owned(layout: layout, owner: owner)] = elements.map { element in
      switch element {
      case .value(let value): value
      case .object(let row): layout.target.map { appended(row, $0) } ?? .null
      }
    }
  }

  /// Appends the row of an embedded object; returns the link to it.
  private func appended(_ row: ImportRow, _ className: String) -> Value {
    guard let layout = catalogue.layout(className) else { return .null }
    return .link(ObjectKey(append(row, layout)))
  }

  package func row(_ layout: TableLayout, _ key: Int64) -> [Value]? {
    rows.indices.contains(Int(key)) ? rows[Int(key)] : nil
  }

  package func elements(_ layout: CollectionLayout, of owner: Int64) -> [Value] {
    elements[Owned(layout: layout, owner: owner)] ?? []
  }

  package func keys(_ layout: CollectionLayout, of owner: Int64) -> [String] {
    keys[Owned(layout: layout, owner: owner)] ?? []
  }
}
