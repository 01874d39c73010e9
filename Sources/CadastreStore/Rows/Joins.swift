import CadastreModel
import CadastreSQLite

/// The SQL joins of a query, one for each distinct chain of links.
struct Joins {
  private let root: [Column]
  private let catalogue: Catalogue
  private var aliases: [[ColumnReference.Hop]: String] = [[]: "t0"]
  private(set) var sql = ""

  init(_ root: [Column], _ catalogue: Catalogue) {
    self.root = root
    self.catalogue = catalogue
  }

  mutating func names(of reference: ColumnReference) -> [String] {
    let alias = alias(of: reference.hops)
    return columns(reference.hops)[reference.column].sqlNames.map { "\(alias).\($0)" }
  }

  private mutating func alias(of hops: [ColumnReference.Hop]) -> String {
    if let known = aliases[hops] { return known }
    let before = Array(hops.dropLast())
    let link = "\(alias(of: before)).\(columnName(before, hops[hops.count - 1].column))"
    let alias = "t\(aliases.count)"
    aliases[hops] = alias
    let table = SQL.quoted(catalogue.layout(hops[hops.count - 1].target)?.tableName ?? "")
    sql += " LEFT JOIN \(table) \(alias) ON \(alias).\(SQL.quoted(TableLayout.keyName)) = \(link)"
    return alias
  }

  private func columns(_ hops: [ColumnReference.Hop]) -> [Column] {
    guard let last = hops.last else { return root }
    return catalogue.layout(last.target)?.columns ?? []
  }

  private func columnName(_ hops: [ColumnReference.Hop], _ column: Int) -> String {
    SQL.quoted(columns(hops)[column].name)
  }
}
