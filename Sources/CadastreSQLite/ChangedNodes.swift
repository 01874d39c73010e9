import CSQLite
import Foundation

/// The nodes of R*Trees that a connection has written since the last call of `removeAll()`.
///
/// SQLite reports each row of a node table that is inserted, replaced or deleted, also those that the R*Tree
/// module writes. It does not report a deletion of all rows at once. The content of a rolled-back savepoint
/// stays, so the set may contain unchanged nodes.
///
/// Source: sqlite.org/c3ref/update_hook.html.
package final class ChangedNodes {
  /// The name of the tree of the last row; empty where there is none.
  private var lastTree = ContiguousArray<CChar>()
  private var lastNodes = NodeSet()
  /// The nodes of other trees, by the name of the tree.
  private var others: [String: NodeSet] = [:]

  /// The end of the name of a node table, after the name of the tree.
  private static let suffix: StaticString = "_node"

  /// Begins to record the writes of a connection, which retains this instance.
  init(of handle: OpaquePointer) {
    sqlite3_update_hook(
      handle,
      { context, _, _, table, row in
        // Safe because the connection retains the instance until it is closed.
        guard let context, let table else { return }
        Unmanaged<ChangedNodes>.fromOpaque(context).takeUnretainedValue().note(table, row)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Records a written row of any table.
  private func note(_ table: UnsafePointer<CChar>, _ row: Int64) {
    // Most rows are those of other tables.
    let length = strlen(table)
    let start = length - Self.suffix.utf8CodeUnitCount
    guard start > 0,
      memcmp(table + start, Self.suffix.utf8Start, Self.suffix.utf8CodeUnitCount) == 0
    else { return }
    let name = UnsafeBufferPointer(start: table, count: start)
    if !name.elementsEqual(lastTree) {
      keepLast()
      lastTree = ContiguousArray(name)
      lastNodes = others.removeValue(forKey: Self.name(of: lastTree)) ?? NodeSet()
    }
    lastNodes.insert(row)
  }

  private static func name(of tree: ContiguousArray<CChar>) -> String {
    String(decoding: tree.lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private func keepLast() {
    guard !lastTree.isEmpty else { return }
    others[Self.name(of: lastTree)] = lastNodes
    lastTree = []
    lastNodes = NodeSet()
  }

  /// The written nodes by the name of their tree.
  package var byTree: [String: NodeSet] {
    keepLast()
    return others
  }

  /// Forgets the written nodes, at the beginning of a transaction.
  package func removeAll() {
    if !lastTree.isEmpty { (lastTree, lastNodes) = ([], NodeSet()) }
    if !others.isEmpty { others = [:] }
  }
}

/// A set of nodes of an R*Tree, which contains all nodes once it would become large.
package struct NodeSet: Sendable {
  private var numbers: Set<Int64> = []
  /// Whether the set contains all nodes.
  package private(set) var isEverything = false

  /// The number of listed nodes beyond which the set contains all nodes; each takes about 16 bytes.
  package static let capacity = 100_000

  /// Creates an empty set.
  package init() {}

  /// The number of listed nodes.
  package var count: Int { numbers.count }

  /// Whether the set contains no node.
  package var isEmpty: Bool { numbers.isEmpty && !isEverything }

  /// The listed nodes; none where the set contains all nodes.
  package var listed: some Sequence<Int64> { numbers }

  /// Returns whether the set contains a node.
  package func contains(_ number: Int64) -> Bool { isEverything || numbers.contains(number) }

  /// Adds a node.
  package mutating func insert(_ number: Int64) {
    guard !isEverything else { return }
    numbers.insert(number)
    if numbers.count > Self.capacity { becomeEverything() }
  }

  /// Adds the nodes of another set.
  package mutating func formUnion(_ other: NodeSet) {
    guard !isEverything else { return }
    if other.isEverything { return becomeEverything() }
    if numbers.isEmpty {
      numbers = other.numbers
    } else {
      numbers.formUnion(other.numbers)
    }
    if numbers.count > Self.capacity { becomeEverything() }
  }

  private mutating func becomeEverything() {
    isEverything = true
    numbers = []
  }
}
