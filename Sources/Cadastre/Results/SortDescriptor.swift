import CadastreModel
public import CadastrePredicate
import CadastreQuery

/// A sort criterion.
///
///     let byCountry = airports.sorted(by: [
///       SortDescriptor(keyPath: \Airport.country),
///       SortDescriptor(keyPath: "elevation", ascending: false, nulls: .last),
///       SortDescriptor(keyPath: "name", collation: [.caseInsensitive, .numeric]),
///     ])
public struct SortDescriptor: Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The path to the property, names joined by dots.
  public let keyPath: String
  /// Whether the order is ascending.
  public let ascending: Bool
  /// How texts are compared; without options by their bytes.
  public let collation: Collation
  /// The position of null and of values behind a null link.
  ///
  /// Nil is the default: in ascending order null is first and values behind a null link are last, and descending order
  /// is the reverse.
  public let nulls: NullOrder?

  /// Sorts by a property.
  public init(
    keyPath: String, ascending: Bool = true, collation: Collation = [], nulls: NullOrder? = nil
  ) {
    self.keyPath = keyPath
    self.ascending = ascending
    self.collation = collation
    self.nulls = nulls
  }

  /// Sorts by the property of a key path, which may follow links.
  public init<Element: KeypathSortable>(
    keyPath: PartialKeyPath<Element>, ascending: Bool = true, collation: Collation = [],
    nulls: NullOrder? = nil
  ) {
    self.init(
      keyPath: Element.propertyName(of: keyPath), ascending: ascending, collation: collation,
      nulls: nulls)
  }

  /// Sorts by a property, ascending.
  public init(stringLiteral value: String) { self.init(keyPath: value) }

  /// Returns the descriptor of the opposite order.
  public func reversed() -> SortDescriptor {
    SortDescriptor(
      keyPath: keyPath, ascending: !ascending, collation: collation, nulls: nulls?.reversed)
  }

  /// The property, the direction and the options.
  public var description: String {
    "SortDescriptor(keyPath: \(keyPath), direction: \(ascending ? "ascending" : "descending")"
      + "\(collation.suffix)\(nulls.map { ", nulls: \($0)" } ?? ""))"
  }

  var sortKey: SortKey {
    SortKey(
      PropertyPath(keyPath), isAscending: ascending, collation: collation, nulls: nulls)
  }
}
