package import CadastreModel
package import CadastreSQLite

extension WriteTransaction {
  private func edit<Result>(
    _ layout: CollectionLayout, of owner: ObjectKey,
    _ body: (CollectionEditor) throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    // An edit of embedded objects deletes some, which searches the rows; a full buffer does not accept the number of
    // elements.
    let flushesRows = layout.isOwning || !acceptsElementCount(layout)
    return try write(flushesRows ? .rows : .elements) { flushed throws(StoreError) in
      try body(try CollectionEditor(layout, of: owner, flushed))
    }
  }

  // MARK: Lists

  /// Adds the elements of a list of an object that this transaction has inserted with their number in its
  /// row.
  ///
  /// - Complexity: O(log n) for each value; nothing is read, and the row is not written again.
  package func fill(
    _ values: [Value], intoNew layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    try write(.elements) { flushed throws(StoreError) in
      try flushed.tables.writer(layout).fill(values, of: owner.rawValue)
      try flushed.tables.noteModified(layout, owner.rawValue)
    }
  }

  /// Adds values at the end of a list.
  ///
  /// - Complexity: O(log n) for each value.
  package func append(
    _ values: [Value], to layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    try edit(layout, of: owner) { (editor) throws(StoreError) in try editor.append(values) }
  }

  /// Adds values before the element of a list at an index, which may be the end.
  ///
  /// - Complexity: As `append` at the end. Elsewhere the positions of all n elements are read once, and
  ///   O(n) positions move in memory.
  package func insert(
    _ values: [Value], at index: Int, into layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    try edit(layout, of: owner) { (editor) throws(StoreError) in
      try editor.insert(values, at: index)
    }
  }

  /// Replaces the element of a list at an index; deletes an embedded object that it held.
  package func replace(
    at index: Int, with value: Value, in layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    try edit(layout, of: owner) { (editor) throws(StoreError) in
      try editor.replace(at: index, with: value)
    }
  }

  /// Removes elements of a list; deletes embedded objects among them.
  package func remove(
    _ range: Range<Int>, from layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    try edit(layout, of: owner) { (editor) throws(StoreError) in try editor.remove(range) }
  }

  /// Moves the element of a list from one index to another, which is its index afterwards.
  package func move(
    from index: Int, to destination: Int, in layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    try edit(layout, of: owner) { (editor) throws(StoreError) in
      try editor.move(from: index, to: destination)
    }
  }

  // MARK: Sets

  /// Adds a value to a set; returns false where the set contains it already.
  package func insert(
    _ value: Value, into layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) -> Bool {
    try edit(layout, of: owner) { (editor) throws(StoreError) in try editor.insert(value) }
  }

  /// Removes a value from a set; returns false where the set does not contain it.
  package func remove(
    _ value: Value, from layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) -> Bool {
    try edit(layout, of: owner) { (editor) throws(StoreError) in try editor.remove(value) }
  }

  // MARK: Maps

  /// Sets the value under a key of a map; deletes an embedded object that it replaces.
  package func set(
    _ value: Value, forKey key: String, in layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    try edit(layout, of: owner) { (editor) throws(StoreError) in
      try editor.set(value, forKey: key)
    }
  }

  /// Removes a key and its value from a map, and deletes an embedded object there; returns false where the
  /// map does not contain the key.
  package func remove(
    key: String, from layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) -> Bool {
    try edit(layout, of: owner) { (editor) throws(StoreError) in try editor.remove(key: key) }
  }

  // MARK: All kinds

  /// Removes all elements; deletes embedded objects among them.
  package func removeAll(
    from layout: CollectionLayout, of owner: ObjectKey
  ) throws(StoreError) {
    try edit(layout, of: owner) { (editor) throws(StoreError) in try editor.removeAll() }
  }
}
