import CadastreModel
import CadastreSQLite

/// Edits lists, sets and maps within a write transaction.
///
/// Notes the changed owners, and deletes embedded objects that an edit removes.
struct CollectionEditor {
  private let state: FlushedTransaction
  private let layout: CollectionLayout
  private let owner: ObjectKey
  private let writer: CollectionWriter

  /// Edits the collection of one owner.
  init(_ layout: CollectionLayout, of owner: ObjectKey, _ state: FlushedTransaction)
    throws(StoreError)
  {
    self.state = state
    self.layout = layout
    self.owner = owner
    writer = try state.tables.writer(layout)
  }

  private var reader: CollectionReader { CollectionReader(layout, state) }

  private func noteModified() throws(StoreError) {
    try state.tables.noteModified(layout, owner.rawValue)
  }

  private func deleteElement(_ element: Value) throws(StoreError) {
    guard layout.isOwning, let target = layout.target, case .link(let key) = element else { return }
    try ObjectDeletion(state).deleteOwned([ObjectAddress(className: target, key: key)])
  }

  // MARK: Lists

  func append(_ values: [Value]) throws(StoreError) {
    try writer.append(values, to: owner.rawValue)
    try noteModified()
  }

  func insert(_ values: [Value], at index: Int) throws(StoreError) {
    guard try index < writer.count(owner.rawValue) else { return try append(values) }
    try writer.insert(values, at: index, of: owner.rawValue)
    try noteModified()
  }

  func replace(at index: Int, with value: Value) throws(StoreError) {
    let previous = layout.isOwning ? try reader.value(owner, at: index) : .null
    try writer.replace(value, at: index, of: owner.rawValue)
    try noteModified()
    if previous != value { try deleteElement(previous) }
  }

  func remove(_ range: Range<Int>) throws(StoreError) {
    guard !range.isEmpty else { return }
    var elements: [Value] = []
    if layout.isOwning {
      elements = try reader.values(owner)
      guard range.upperBound <= elements.count else {
        throw layout.missingElement(owner.rawValue, state.path)
      }
      elements = Array(elements[range])
    }
    try writer.remove(range, of: owner.rawValue)
    try noteModified()
    for element in elements { try deleteElement(element) }
  }

  func move(from index: Int, to destination: Int) throws(StoreError) {
    guard index != destination else { return }
    let value = try reader.value(owner, at: index)
    try writer.remove(index..<index + 1, of: owner.rawValue)
    try insert([value], at: destination)
  }

  // MARK: Sets

  func insert(_ value: Value) throws(StoreError) -> Bool {
    guard try !reader.contains(value, owner) else { return false }
    try writer.insert(value, of: owner.rawValue)
    try noteModified()
    return true
  }

  func remove(_ value: Value) throws(StoreError) -> Bool {
    guard let row = try reader.row(of: value, owner) else { return false }
    try writer.remove(row: row, of: owner.rawValue)
    try noteModified()
    return true
  }

  // MARK: Maps

  func set(_ value: Value, forKey key: String) throws(StoreError) {
    let previous = try reader.value(owner, forKey: key)
    try writer.set(value, forKey: key, of: owner.rawValue, isNew: previous == nil)
    try noteModified()
    if let previous, previous != value { try deleteElement(previous) }
  }

  func remove(key: String) throws(StoreError) -> Bool {
    guard let previous = try reader.value(owner, forKey: key) else { return false }
    try writer.remove(key: key, of: owner.rawValue)
    try noteModified()
    try deleteElement(previous)
    return true
  }

  // MARK: All kinds

  func removeAll() throws(StoreError) {
    guard try writer.count(owner.rawValue) > 0 else { return }
    let elements = layout.isOwning ? try reader.values(owner) : []
    try writer.removeAll(of: owner.rawValue)
    try noteModified()
    for element in elements { try deleteElement(element) }
  }
}
