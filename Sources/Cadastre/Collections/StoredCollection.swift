import CadastreModel
import CadastreQuery
import CadastreStore

/// A collection property of a managed object.
class StoredCollection {
  let position: ObjectPosition
  let layout: CollectionLayout
  /// The table to which the elements link; nil for values.
  let table: ManagedTable?

  init(_ position: ObjectPosition, _ layout: CollectionLayout) {
    self.position = position
    self.layout = layout
    table = layout.target.flatMap(position.row.core.table(named:))
  }

  var core: RealmCore { position.row.core }
  var isValid: Bool { position.isValid }
  var isReadable: Bool { position.isReadable }
  private var counted = CountedElements()
  var owner: ObjectKey { position.row.key }
  var name: String { "\(layout.ownerClass).\(layout.path)" }

  var dependencies: QueryDependencies? { QueryDependencies(of: layout) }

  func read<Result>(
    or fallback: @autoclosure () -> Result, _ body: (CollectionReader) throws -> Result
  ) -> Result {
    core.read(.elements, or: fallback()) { try body(CollectionReader(layout, $0)) }
  }

  /// Counts the elements, and records the number for `countedValues(_:)`.
  fileprivate func counting(_ count: (CollectionReader) throws -> Int) -> Int {
    // Several threads may read a frozen collection.
    core.exclusively { counted.note(read(or: 0, count), in: core) }
  }

  /// Returns as many values as the last count.
  fileprivate func countedValues(_ values: [Value]) -> [Value] {
    core.exclusively { counted.values(values, in: core, "'\(name)'") }
  }

  func requireWrite() {
    core.checkThread()
    guard isReadable else {
      ProgrammingError.stop(
        "Access to invalidated collection '\(name)': its object was deleted or invalidated.")
    }
    position.row.requireWrite(name)
  }

  func stored(_ content: PropertyContent) -> Value {
    ObjectWriter(core).element(content, of: layout, name: name)
  }

  /// Returns whether another collection is the same property of the same object.
  func isSameProperty(as other: StoredCollection) -> Bool {
    core === other.core && owner == other.owner && layout.tableName == other.layout.tableName
  }
}

/// The elements of a list property.
final class StoredList: StoredCollection, MutableElementSource {
  var kindName: String { "List" }

  var count: Int {
    requireValid()
    return counting { try $0.count(owner) }
  }

  func countedValues() -> [Value] { countedValues(values()) }

  func value(at index: Int) -> Value {
    requireValid()
    return read(or: .null) { try $0.value(owner, at: index) }
  }

  func values() -> [Value] {
    requireValid()
    return read(or: []) { try $0.values(owner) }
  }

  func lastValue() -> Value? {
    count == 0 ? nil : read(or: nil) { try $0.lastValue(owner) }
  }

  func context(at index: Int) -> StoredContext {
    guard layout.element.type == .any else { return StoredContext(core, table: table) }
    return StoredContext(core, location: NestedLocation(.element(of: self, index)))
  }

  func isSame(as other: any ElementSource) -> Bool {
    (other as? StoredList).map(isSameProperty) ?? false
  }

  func insert(_ values: [Value], at index: Int) {
    core.change(or: ()) { try $0.insert(values, at: index, into: layout, of: owner) }
  }

  func append(_ values: [Value]) {
    core.change(or: ()) { try $0.append(values, to: layout, of: owner) }
  }

  func remove(_ range: Range<Int>) {
    core.change(or: ()) {
      try $0.remove(range, from: layout, of: owner)
    }
  }

  func replace(at index: Int, with value: Value) {
    core.change(or: ()) {
      try $0.replace(at: index, with: value, in: layout, of: owner)
    }
  }

  func move(from index: Int, to destination: Int) {
    core.change(or: ()) { try $0.move(from: index, to: destination, in: layout, of: owner) }
  }
}

/// The elements of a set property, ascending.
final class StoredSet: StoredCollection, ElementSource {
  var kindName: String { "MutableSet" }

  var count: Int {
    requireValid()
    return counting { try $0.count(owner) }
  }

  func countedValues() -> [Value] { countedValues(values()) }

  func value(at index: Int) -> Value {
    requireValid()
    return read(or: .null) { try $0.value(owner, at: index) }
  }

  func values() -> [Value] {
    requireValid()
    return read(or: []) { try $0.values(owner) }
  }

  func isSame(as other: any ElementSource) -> Bool {
    (other as? StoredSet).map(isSameProperty) ?? false
  }

  func contains(_ value: Value) -> Bool {
    requireValid()
    return read(or: false) { try $0.contains(value, owner) }
  }

  func insert(_ value: Value) -> Bool {
    core.change(or: false) { try $0.insert(value, into: layout, of: owner) }
  }

  func remove(_ value: Value) -> Bool {
    core.change(or: false) { try $0.remove(value, from: layout, of: owner) }
  }

  func removeAll() { core.change(or: ()) { try $0.removeAll(from: layout, of: owner) } }
}

/// The values of a map property, in the byte order of their keys.
final class StoredMap: StoredCollection, MapSource {
  var kindName: String { "Map" }

  var count: Int {
    requireValid()
    return read(or: 0) { try $0.count(owner) }
  }

  func value(at index: Int) -> Value {
    let values = values()
    return values.indices.contains(index) ? values[index] : .null
  }

  func values() -> [Value] {
    requireValid()
    return read(or: []) { try $0.values(owner) }
  }

  func entries() -> [(key: String, value: Value)] {
    requireValid()
    return read(or: []) { try $0.entries(owner) }
  }

  func isSame(as other: any ElementSource) -> Bool {
    (other as? StoredMap).map(isSameProperty) ?? false
  }

  func value(forKey key: String) -> Value? {
    requireValid()
    return read(or: nil) { try $0.value(owner, forKey: key) }
  }

  func set(_ value: Value, forKey key: String) {
    core.change(or: ()) {
      try $0.set(value, forKey: key, in: layout, of: owner)
    }
  }

  func remove(key: String) -> Bool {
    core.change(or: false) {
      try $0.remove(key: key, from: layout, of: owner)
    }
  }

  func removeAll() {
    core.change(or: ()) { try $0.removeAll(from: layout, of: owner) }
  }

  func context(forKey key: String) -> StoredContext {
    guard layout.element.type == .any else { return StoredContext(core, table: table) }
    return StoredContext(core, location: NestedLocation(.entry(of: self, key)))
  }
}

/// The coordinates of a managed point, which are columns of its row.
final class PointCoordinates: MutableElementSource {
  let position: ObjectPosition

  init(_ position: ObjectPosition) { self.position = position }

  var core: RealmCore { position.row.core }
  var table: ManagedTable? { nil }
  var isValid: Bool { position.isValid }
  var isReadable: Bool { position.isReadable }
  var kindName: String { "List" }
  var dependencies: QueryDependencies? { nil }

  private var coordinates: [Double] {
    get { position.pointContent.coordinates }
    set {
      var content = position.pointContent
      content.coordinates = newValue
      position.setPointContent(content)
    }
  }

  var count: Int { coordinates.count }
  func value(at index: Int) -> Value { .double(coordinates[index]) }
  func values() -> [Value] { coordinates.map(Value.double) }

  func isSame(as other: any ElementSource) -> Bool {
    (other as? PointCoordinates)?.position.isSameObject(as: position) ?? false
  }

  func requireWrite() { position.row.requireWrite("coordinates") }

  func stored(_ content: PropertyContent) -> Value {
    guard case .value(let value) = content else { return .null }
    return value
  }

  func insert(_ values: [Value], at index: Int) {
    coordinates.insert(contentsOf: values.compactMap { $0.doubleValue }, at: index)
  }

  func remove(_ range: Range<Int>) { coordinates.removeSubrange(range) }

  func replace(at index: Int, with value: Value) { coordinates[index] = value.doubleValue ?? 0 }
}

extension StoredList {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { StoredList($0, layout) }
  }
}

extension StoredSet {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { StoredSet($0, layout) }
  }
}

extension StoredMap {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { StoredMap($0, layout) }
  }
}

extension PointCoordinates {
  func counterpart(in core: RealmCore) -> (any ElementSource)? {
    position.counterpart(in: core).map { PointCoordinates($0) }
  }
}
