import CadastreModel
import CadastreStore

/// The parts of an object that are written after its row.
// Like the other classes here `@exclusivity(unchecked)`: no code that runs during an access reaches the
// property again, and the dynamic check would cost as much as the access.
final class PendingMembers {
  /// The row that was there before.
  @exclusivity(unchecked) fileprivate(set) var replaced: ManagedRow?
  @exclusivity(unchecked) var links: [(column: Int, target: ObjectBase?)] = []
  @exclusivity(unchecked)
  var embedded: [(object: ObjectBase, layout: EmbeddedLayout, generation: Value)] = []
  @exclusivity(unchecked) var owned: [(column: Int, object: ObjectBase?, className: String?)] = []
  @exclusivity(unchecked)
  var collections: [(layout: CollectionLayout, content: PropertyContent)] = []
  @exclusivity(unchecked) var mixed: [(column: Int, content: PropertyContent)] = []

  /// Whether nothing but embedded objects is left to be done.
  var isSettled: Bool {
    links.isEmpty && owned.isEmpty && collections.isEmpty && mixed.isEmpty
  }

  /// The value of a column before the members are written.
  func previous(_ column: Int, of row: ManagedRow) -> Value {
    replaced == nil ? .null : row.value(column)
  }

  func removeAll() {
    replaced = nil
    if !links.isEmpty { links.removeAll(keepingCapacity: true) }
    if !embedded.isEmpty { embedded.removeAll(keepingCapacity: true) }
    if !owned.isEmpty { owned.removeAll(keepingCapacity: true) }
    if !collections.isEmpty { collections.removeAll(keepingCapacity: true) }
    if !mixed.isEmpty { mixed.removeAll(keepingCapacity: true) }
  }
}

/// Written rows whose members are not yet written, and buffers for reuse.
final class PendingRows {
  @exclusivity(unchecked)
  var rows: [(members: PendingMembers, row: ManagedRow, policy: Realm.UpdatePolicy)] = []
  @exclusivity(unchecked) var isBeingWritten = false
  @exclusivity(unchecked) private var lastTable: (type: ObjectBase.Type, table: ManagedTable)?
  @exclusivity(unchecked) private var spareMembers: [PendingMembers] = []
  @exclusivity(unchecked) private var spareRow: (table: ManagedTable, row: [Value])?

  /// The table of an object's class.
  func table(of object: Object, _ core: RealmCore) -> ManagedTable {
    let type = type(of: object)
    if let lastTable, lastTable.type == type { return lastTable.table }
    let table = core.table(type)
    lastTable = (type, table)
    return table
  }

  func members(replacing row: ManagedRow?) -> PendingMembers {
    let members = spareMembers.popLast() ?? PendingMembers()
    members.replaced = row
    return members
  }

  func recycle(_ members: PendingMembers) {
    members.removeAll()
    spareMembers.append(members)
  }

  /// A row without values.
  func row(_ table: ManagedTable) -> [Value] {
    guard let spare = spareRow, spare.table.isSame(as: table) else { return table.emptyRow }
    // Handed out once: writing a row may run code that adds objects.
    spareRow = nil
    return spare.row
  }

  func recycle(_ row: inout [Value], _ table: ManagedTable) {
    for column in row.indices { row[column] = .null }
    spareRow = (table, row)
    row = []
  }
}
