import CadastreSQLite

/// What has been found out about the order of some collections.
final class CollectionCache {
  private struct Place: Hashable {
    let table: String
    let owner: Int64
  }

  private var positions: [Place: ListPositions] = [:]
  private var sets: [Place: [SetElement]] = [:]

  /// Collections that are remembered at most.
  private static let capacity = 64

  /// The places of a list's elements.
  func positions(
    _ layout: CollectionLayout, _ owner: Int64, load: () throws(StoreError) -> ListPositions
  ) throws(StoreError) -> ListPositions {
    let place = Place(table: layout.tableName, owner: owner)
    if let known = positions[place] { return known }
    let loaded = try load()
    if positions.count >= Self.capacity { positions = [:] }
    positions[place] = loaded
    return loaded
  }

  /// Changes what is remembered of a list, if anything is.
  func change(
    _ layout: CollectionLayout, _ owner: Int64, _ change: (inout ListPositions) -> Void
  ) {
    let place = Place(table: layout.tableName, owner: owner)
    guard positions[place] != nil else { return }
    change(&positions[place, default: ListPositions()])
  }

  /// The elements of a set, ascending.
  func set(
    _ layout: CollectionLayout, _ owner: Int64, load: () throws(StoreError) -> [SetElement]
  ) throws(StoreError) -> [SetElement] {
    let place = Place(table: layout.tableName, owner: owner)
    if let known = sets[place] { return known }
    let loaded = try load()
    if sets.count >= Self.capacity { sets = [:] }
    sets[place] = loaded
    return loaded
  }

  func remove(_ layout: CollectionLayout, _ owner: Int64) {
    let place = Place(table: layout.tableName, owner: owner)
    positions[place] = nil
    sets[place] = nil
  }

  func removeAll() {
    positions = [:]
    sets = [:]
  }
}
