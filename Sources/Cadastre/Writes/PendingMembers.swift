import CadastreModel
import CadastreStore

/// The parts of an object that are written after its row.
struct PendingMembers {
  /// The row that was there before.
  var replaced: ManagedRow?
  var links: [(column: Int, target: ObjectBase?)] = []
  var embedded: [(object: ObjectBase, info: ClassInfo, layout: EmbeddedLayout, generation: Value)] =
    []
  var owned: [(column: Int, object: ObjectBase?, className: String?)] = []
  var collections: [(layout: CollectionLayout, content: PropertyContent)] = []
  var mixed: [(column: Int, content: PropertyContent)] = []

  init(replacing row: ManagedRow? = nil) { replaced = row }

  /// Whether only embedded objects, which are in the row, are left.
  var isSettled: Bool {
    links.isEmpty && owned.isEmpty && collections.isEmpty && mixed.isEmpty
  }

  /// The value of a column before the members are written.
  func previous(_ column: Int, of row: ManagedRow) -> Value {
    replaced == nil ? .null : row.value(column)
  }
}
