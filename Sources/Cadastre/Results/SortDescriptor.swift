import CadastreModel
import CadastreQuery

/// A sort criterion.
///
///     let byCountry = airports.sorted(by: [
///       SortDescriptor(keyPath: \Airport.country),
///       SortDescriptor(keyPath: "elevation", ascending: false),
///     ])
public struct SortDescriptor: Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The path to the property, names joined by dots.
  public let keyPath: String
  /// Whether the order is ascending.
  public let ascending: Bool

  /// Sorts by a property.
  public init(keyPath: String, ascending: Bool = true) {
    self.keyPath = keyPath
    self.ascending = ascending
  }

  /// Sorts by the property of a key path, which may follow links.
  public init<Element: KeypathSortable>(
    keyPath: PartialKeyPath<Element>, ascending: Bool = true
  ) {
    self.init(keyPath: Element.propertyName(of: keyPath), ascending: ascending)
  }

  /// Sorts by a property, ascending.
  public init(stringLiteral value: String) { self.init(keyPath: value) }

  /// Returns the descriptor of the opposite order.
  public func reversed() -> SortDescriptor {
    SortDescriptor(keyPath: keyPath, ascending: !ascending)
  }

  /// The property and the direction.
  public var description: String {
    "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending"))"
  }

  var sortKey: SortKey { SortKey(PropertyPath(keyPath), isAscending: ascending) }
}
