import CadastreModel

/// The comparison of the links of a column with the backlinks that repeat them.
package struct BacklinkReport: Hashable, Sendable {
  /// The table with the links.
  package let table: String
  /// The column with the links.
  package let column: String
  /// The table with the backlinks.
  package let target: String
  /// The number of links.
  package let links: Int
  /// The number of backlinks.
  package let backlinks: Int
  /// Whether the links and the backlinks are the same.
  package let isConsistent: Bool
}

/// The number and a checksum of links in any order, for the comparison of large multisets of links.
private struct LinkSum: Hashable {
  var count = 0
  private var sum: UInt64 = 0

  mutating func add(from origin: Int64, to target: Int64) {
    count += 1
    sum &+= Self.mixed(
      Self.mixed(UInt64(bitPattern: origin)) &+ UInt64(bitPattern: target) &+ 0x9E37_79B9_7F4A_7C15)
  }

  mutating func add(_ other: LinkSum) {
    count += other.count
    sum &+= other.sum
  }

  /// The finalisation of SplitMix64, which distributes the bits.
  private static func mixed(_ number: UInt64) -> UInt64 {
    var value = number
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

/// A column and one of the tables to which it links.
private struct LinkColumn: Hashable {
  let table: String
  let column: UInt64
  let target: String
}

extension RealmFile {
  /// Compares all links with the backlinks that repeat them.
  ///
  /// - Returns: One report for each pair of a column and a table to which it links.
  /// - Throws: ``RealmFileError`` if a table is damaged.
  /// - Complexity: O(n) in the number of objects and links.
  package func backlinkReports() throws(RealmFileError) -> [BacklinkReport] {
    var links: [LinkColumn: LinkSum] = [:]
    var backlinks: [LinkColumn: LinkSum] = [:]
    let pass = try pass()
    for table in tables {
      for column in table.backlinks {
        guard let origin = context.table(key: column.originTable) else { continue }
        backlinks[LinkColumn(table: origin, column: column.originColumn, target: table.name)] =
          LinkSum()
      }
    }
    for table in tables {
      let objects = try objects(of: table)
      for index in 0..<objects.clusterCount {
        let cluster = try objects.cluster(index)
        for row in 0..<cluster.count {
          try addLinks(of: cluster, row, table, pass, to: &links)
        }
        try addBacklinks(of: cluster, table, pass, to: &backlinks)
      }
    }
    return Set(links.keys).union(backlinks.keys).map { key in
      let (forward, backward) = (links[key] ?? LinkSum(), backlinks[key] ?? LinkSum())
      let column = tables.first { $0.name == key.table }?.columns.first { $0.key == key.column }
      return BacklinkReport(
        table: key.table, column: column?.name ?? "", target: key.target, links: forward.count,
        backlinks: backward.count, isConsistent: forward == backward)
    }.sorted { ($0.table, $0.column, $0.target) < ($1.table, $1.column, $1.target) }
  }

  private func addLinks(
    of cluster: RealmFileCluster, _ row: Int, _ table: RealmFileTable, _ pass: RealmFilePass,
    to sums: inout [LinkColumn: LinkSum]
  ) throws(RealmFileError) {
    for (index, column) in table.columns.enumerated()
    where column.type == .object || column.type == .any {
      let key = try cluster.key(row)
      Self.forEachLink(in: try cluster.value(row, index, pass), column.target ?? "") {
        sums[
          LinkColumn(table: table.name, column: column.key, target: $0), default: LinkSum()
        ].add(from: key, to: $1)
      }
    }
  }

  private func addBacklinks(
    of cluster: RealmFileCluster, _ table: RealmFileTable, _ pass: RealmFilePass,
    to sums: inout [LinkColumn: LinkSum]
  ) throws(RealmFileError) {
    for column in table.backlinks {
      guard let origin = context.table(key: column.originTable) else { continue }
      var sum = LinkSum()
      do throws(Damage) {
        let references = try cluster.backlinks(column, pass.pass)
        for row in 0..<cluster.count {
          let target = try cluster.key(of: row)
          for key in try cluster.origins(row, references, pass.pass) {
            sum.add(from: key, to: target)
          }
        }
      } catch {
        throw RealmFileError(path, part: "table '\(table.name)', backlinks", error)
      }
      sums[
        LinkColumn(table: origin, column: column.originColumn, target: table.name),
        default: LinkSum()
      ].add(sum)
    }
  }

  private static func forEachLink(
    in value: Value, _ target: String, _ body: (String, Int64) -> Void
  ) {
    switch value {
    case .link(let key): body(target, key.rawValue)
    case .object(let address): body(address.className, address.key.rawValue)
    case .list(let values): for value in values { forEachLink(in: value, target, body) }
    case .map(let map): for entry in map.entries { forEachLink(in: entry.value, target, body) }
    default: break
    }
  }
}
