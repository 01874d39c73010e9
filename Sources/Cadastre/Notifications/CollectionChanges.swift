import CadastreQuery
import CadastreStore

/// The changes of a collection.
final class CollectionChangeSource<Collection: ThreadConfined>: ChangeSource<
  RealmCollectionChange<Collection>
>
{
  private var collection: Collection
  private let watch: any ElementObserver

  init(_ collection: Collection, _ source: any ElementSource, _ keyPaths: [String]?) {
    self.collection = collection
    watch = source.watch(keyPaths)
    super.init(source.core)
  }

  override func begin() -> RealmCollectionChange<Collection>? {
    watch.begin()
    return .initial(collection)
  }

  override func change(_ commits: ChangeRange?) throws -> RealmCollectionChange<Collection>? {
    let change = try watch.change(commits)
    guard !change.isEmpty else { return nil }
    collection = collection.renewed
    return .update(
      collection, deletions: change.difference.deletions, insertions: change.difference.insertions,
      modifications: change.modifications)
  }
}

/// The changes of a map.
final class MapChangeSource<Collection: RealmKeyedCollection>: ChangeSource<
  RealmMapChange<Collection>
>
{
  private var map: Collection
  private var source: any MapSource
  private let trace: TraceObserver?
  private var last = ValueMap()

  init(_ map: Collection, _ source: any MapSource, _ keyPaths: [String]?) {
    self.map = map
    self.source = source
    trace = source.table.map { TraceObserver(keyPaths, of: $0, in: source.core) }
    super.init(source.core)
  }

  private var entries: ValueMap {
    source.isValid ? ValueMap(source.entries().map { ($0.key, $0.value) }) : ValueMap()
  }

  override func begin() -> RealmMapChange<Collection>? {
    last = entries
    trace?.begin()
    return .initial(map)
  }

  override func change(_ commits: ChangeRange?) throws -> RealmMapChange<Collection>? {
    if let renewed = source.renewed as? any MapSource { source = renewed }
    // A failed read leaves the observer as it was.
    let (before, now) = (last, try source.core.throwingReadErrors { entries })
    last = now
    let deletions = before.keys.filter { now[$0] == nil }
    let insertions = now.keys.filter { before[$0] == nil }
    let reached = (trace.map { $0.keys(changedBy: commits) } ?? []).map { Set($0) }
    trace?.begin()
    let modifications = before.keys.filter { key in
      guard let value = now[key] else { return false }
      guard case .link(let link) = value, value == before[key] else { return value != before[key] }
      return reached?.contains(link.rawValue) ?? true
    }
    guard !deletions.isEmpty || !insertions.isEmpty || !modifications.isEmpty else { return nil }
    map = map.renewed
    return .update(
      map, deletions: Self.keys(deletions), insertions: Self.keys(insertions),
      modifications: Self.keys(modifications))
  }

  private static func keys(_ texts: [String]) -> [Collection.Key] {
    texts.map(Collection.Key.init(mapKey:))
  }
}

/// The changes of an object's properties.
final class ObjectChangeSource<Value: ThreadConfined>: ChangeSource<ObjectChange<Value>> {
  private var value: Value
  private var object: ObjectBase
  private let watched: [WatchedProperty]
  private var last: [Any?] = []
  private var isDeleted = false

  /// An observed property, with its name in notifications.
  private struct WatchedProperty {
    let name: String
    /// The index of the property; nil where no value is reported, as for linking objects.
    let index: Int?
    let trace: TraceObserver
  }

  /// - Parameters:
  ///   - value: The value that each change carries.
  ///   - object: The object.
  ///   - names: The observed properties with their key paths; nil for all properties of the object.
  ///   - reportsLinks: Whether the link is the value of a key path that leads through it; else there is none.
  init(
    _ value: Value, _ object: ObjectBase, _ names: [(name: String, keyPaths: [String])]?,
    reportsLinks: Bool = true
  ) {
    self.value = value
    self.object = object
    guard let position = object.position else {
      ProgrammingError.stop(
        "Only objects which are managed by a Realm support change notifications.")
    }
    let core = position.row.core
    let schema = object.classInfo.schema
    let all = names ?? schema.properties.map { ($0.name, [$0.name]) }
    watched = all.map { name, keyPaths in
      let first = String(keyPaths[0].prefix { $0 != "." })
      return WatchedProperty(
        name: name, index: reportsLinks || [first] == keyPaths ? schema.index(of: first) : nil,
        trace: TraceObserver(keyPaths, of: position.row.table, in: core, within: position))
    }
    super.init(core)
  }

  override var deliversFirstState: Bool { false }
  override var isAtEnd: Bool { isDeleted }

  override func begin() -> ObjectChange<Value>? {
    last = watched.map { reported($0) }
    for property in watched { property.trace.begin() }
    return nil
  }

  override func change(_ commits: ChangeRange?) -> ObjectChange<Value>? {
    guard !isDeleted else { return nil }
    object = object.renewed
    value = value.renewed
    guard !object.isInvalidated, let row = object.position?.row else {
      isDeleted = true
      return .deleted
    }
    let before = last
    var changes: [PropertyChange] = []
    let isOwn = commits.map { core.lastOwnVersion > $0.base } ?? false
    for (number, property) in watched.enumerated() {
      defer { property.trace.begin() }
      guard property.trace.reaches(row.key, from: commits) else { continue }
      last[number] = reported(property)
      changes.append(
        PropertyChange(
          name: property.name, oldValue: isOwn ? nil : before[number], newValue: last[number]))
    }
    return changes.isEmpty ? nil : .change(value, changes)
  }

  /// Returns the value for a notification; nil for collections.
  private func reported(_ property: WatchedProperty) -> Any? {
    guard let index = property.index, object.classInfo.schema.properties[index].collection == nil
    else { return nil }
    return object.dynamicValue(index)
  }
}
