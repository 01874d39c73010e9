import CadastreSQLite

/// The positions of lists and the sorted elements of sets that one reader has loaded.
final class CollectionCache {
  private struct CollectionID: Hashable {
    let table: String
    let owner: Int64
  }

  private var positions: [CollectionID: ListPositions] = [:]
  private var sets: [CollectionID: [SetElement]] = [:]

  /// The maximum number of lists, and of sets.
  private static let capacity = 64

  /// Returns the positions of a list's elements.
  func positions(
    _ layout: CollectionLayout, _ owner: Int64, load: () throws(StoreError) -> ListPositions
  ) throws(StoreError) -> ListPositions {
    let id = CollectionID(table: layout.tableName, owner: owner)
    if let known = positions[id] { return known }
    let loaded = try load()
    if positions.count >= Self.capacity { positions = [:] }
    positions[id] = loaded
    return loaded
  }

  /// Changes the positions of a list, if they are cached.
  func change(
    _ layout: CollectionLayout, _ owner: Int64, _ change: (inout ListPositions) -> Void
  ) {
    let id = CollectionID(table: layout.tableName, owner: owner)
    guard positions[id] != nil else { return }
    change(&positions[id, default: ListPositions()])
  }

  /// Returns the elements of a set, ascending.
  func set(
    _ layout: CollectionLayout, _ owner: Int64, load: () throws(StoreError) -> [SetElement]
  ) throws(StoreError) -> [SetElement] {
    let id = CollectionID(table: layout.tableName, owner: owner)
    if let known = sets[id] { return known }
    let loaded = try load()
    if sets.count >= Self.capacity { sets = [:] }
    sets[id] = loaded
    return loaded
  }

  func remove(_ layout: CollectionLayout, _ owner: Int64) {
    let id = CollectionID(table: layout.tableName, owner: owner)
    positions[id] = nil
    sets[id] = nil
  }

  func removeAll() {
    positions = [:]
    sets = [:]
  }
}
