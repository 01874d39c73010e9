import CadastreModel
import CadastreSQLite

/// Deletes objects within a write transaction, with everything that depends on them: the elements of their
/// collections, the embedded objects that they own, and the links to them.
struct ObjectDeletion {
  private let state: FlushedTransaction

  init(_ state: FlushedTransaction) { self.state = state }

  /// Deletes an object; links to it become null, and are removed from lists and sets.
  ///
  /// - Returns: Whether there was an object with this key.
  /// - Throws: ``StoreError`` when reading or writing fails.
  func delete(_ className: String, _ key: ObjectKey) throws(StoreError) -> Bool {
    guard let layout = state.catalogue.layout(className) else { return false }
    var owned: [ObjectAddress] = []
    try removeElements(layout.collections, layout.owned, of: key, layout, into: &owned)
    guard try state.tables.writer(className).delete(key) else { return false }
    state.tables.discardBuffered(layout, key)
    try unlink(ObjectAddress(className: className, key: key))
    try deleteOwned(owned)
    return true
  }

  /// Deletes several objects; links to them become null, and are removed from lists and sets.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - keys: The keys of stored objects, ascending.
  /// - Throws: ``StoreError`` when reading or writing fails.
  func delete(_ className: String, _ keys: [Int64]) throws(StoreError) {
    guard let layout = state.catalogue.layout(className), layout.collections.isEmpty,
      layout.owned.isEmpty, state.catalogue.sources(ofLinksTo: className).isEmpty,
      state.catalogue.sourcesOfMixedLinks.isEmpty
    else {
      for key in keys { _ = try delete(className, ObjectKey(key)) }
      return
    }
    try state.tables.writer(className).delete(keys)
  }

  /// Deletes all objects of all classes.
  func deleteAll() throws(StoreError) {
    for table in state.catalogue.tables {
      for collection in table.collections { try state.tables.writer(collection).removeEverything() }
      try state.tables.writer(table.schema.className).deleteAll()
    }
  }

  /// Deletes embedded objects whose owners were deleted, and the objects that these own in turn.
  func deleteOwned(_ objects: [ObjectAddress]) throws(StoreError) {
    var pending = objects
    while let next = pending.popLast() {
      guard let layout = state.catalogue.layout(next.className) else { continue }
      try removeElements(layout.collections, layout.owned, of: next.key, layout, into: &pending)
      _ = try state.tables.writer(next.className).delete(next.key)
      state.tables.discardBuffered(layout, next.key)
      try unlinkMixed(next)
    }
  }

  /// Deletes the dependents of an embedded object outside of its owner's row: the elements of its
  /// collections, and embedded objects with separate rows.
  func deleteMembers(
    of embedded: EmbeddedLayout, in className: String, _ key: ObjectKey
  ) throws(StoreError) {
    guard let layout = state.catalogue.layout(className) else { return }
    let columns = embedded.fields.ownedColumns
    var owned: [ObjectAddress] = []
    try removeElements(
      embedded.fields.collections, layout.owned.filter { columns.contains($0.column) }, of: key,
      layout, into: &owned)
    try deleteOwned(owned)
  }

  /// Removes the elements of some collections of an object, and collects the embedded objects that it owns
  /// through these and through some columns.
  private func removeElements(
    _ collections: [CollectionLayout], _ columns: [TableLayout.OwnedColumn], of key: ObjectKey,
    _ layout: TableLayout, into owned: inout [ObjectAddress]
  ) throws(StoreError) {
    for collection in collections {
      let writer = try state.tables.writer(collection)
      if collection.isOwning, let target = collection.target {
        for case .link(let element) in try CollectionReader(collection, state).values(key) {
          owned.append(ObjectAddress(className: target, key: element))
        }
      }
      if try writer.count(key.rawValue) > 0 { try writer.removeAll(of: key.rawValue) }
    }
    for column in columns {
      guard case .link(let element)? = try state.value(layout, key, column.column) else { continue }
      owned.append(ObjectAddress(className: column.target, key: element))
    }
  }

  // MARK: Links

  private func unlink(_ target: ObjectAddress) throws(StoreError) {
    for source in state.catalogue.sources(ofLinksTo: target.className) {
      switch source {
      case .column(let owner, let column):
        try state.tables.writer(owner).unlink(column, from: target.key)
      case .collection(let layout): try unlink(target, from: layout)
      }
    }
    try unlinkMixed(target)
  }

  private func unlinkMixed(_ target: ObjectAddress) throws(StoreError) {
    for source in state.catalogue.sourcesOfMixedLinks {
      switch source {
      case .column(let owner, let column):
        try state.tables.writer(owner).unlink(mixed: column, from: target)
      case .collection(let layout): try unlink(target, from: layout)
      }
    }
  }

  private func unlink(
    _ target: ObjectAddress, from layout: CollectionLayout
  ) throws(StoreError) {
    for owner in try state.tables.writer(layout).unlink(target) {
      try state.tables.noteModified(layout, owner)
    }
  }
}
