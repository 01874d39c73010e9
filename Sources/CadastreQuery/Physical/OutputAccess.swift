/// How a plan reads the columns that its query yields.
package enum OutputAccess: Hashable, Sendable {
  /// The query yields no columns.
  case nothing
  /// A scan reads them while it finds the objects.
  case scan
  /// The entries of the index contain them.
  case entries
  /// They are read together with the columns of conditions and order.
  case rows
  /// They are read by key for the objects of the result, from memory where most of them are cached.
  case keys(areCached: Bool)

  /// The name in a plan.
  package var name: String {
    switch self {
    case .nothing: "nothing"
    case .scan: "in the scan"
    case .entries: "from the index"
    case .rows: "with the rows"
    case .keys(areCached: true): "by key, from memory"
    case .keys(areCached: false): "by key"
    }
  }
}
