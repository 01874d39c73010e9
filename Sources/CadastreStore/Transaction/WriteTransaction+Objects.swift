package import CadastreModel
package import CadastreSQLite

extension WriteTransaction {
  /// Adds an object, whose row is stored at once.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - row: A value for every column of the class's layout.
  /// - Returns: The new object's key.
  /// - Throws: ``StoreError`` `duplicateKey` when another object has its primary key; nothing is changed
  ///   then.
  /// - Complexity: O(log n).
  package func insert(_ className: String, _ row: [Value]) throws(StoreError) -> ObjectKey {
    try write { flushed throws(StoreError) in try flushed.tables.writer(className).insert(row) }
  }

  /// Adds objects of a class, up to one whose primary key exists.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - rows: The rows, each with a value for every column of the class's layout.
  /// - Returns: The keys of the objects that were added; where there are fewer than rows, another object has the primary
  ///   key of the next row.
  /// - Throws: ``StoreError`` `duplicateKey` when another object has the primary key of the first row; nothing is
  ///   changed then.
  /// - Complexity: O(k log n) for k objects, in few statements.
  package func insert(
    _ className: String, _ rows: ArraySlice<[Value]>
  ) throws(StoreError) -> Range<Int64> {
    try write { flushed throws(StoreError) in try flushed.tables.writer(className).insert(rows) }
  }

  /// Sets columns of an object.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - key: The key of the object.
  ///   - changes: The columns, each once, and their values.
  ///   - exists: Whether the object is known to exist, so that the changes are buffered.
  /// - Returns: Whether there was an object with this key.
  /// - Throws: ``StoreError`` `duplicateKey` when another object has the new primary key; nothing is
  ///   changed then.
  @discardableResult
  package func update(
    _ className: String, _ key: ObjectKey, _ changes: [(column: Int, value: Value)],
    exists: Bool = false
  ) throws(StoreError) -> Bool {
    let isBufferable = changes.allSatisfy {
      mayBuffer(className, key, $0.column, exists: exists)
    }
    var isBuffered = isBufferable
    if isBufferable {
      for change in changes
      where try !buffer(className, key, change.column, change.value, exists: exists) {
        isBuffered = false
      }
    }
    if isBuffered { return true }
    return try write { flushed throws(StoreError) in
      try flushed.tables.writer(className).update(key, changes)
    }
  }

  /// Sets one column of an object.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - key: The key of the object.
  ///   - column: The column.
  ///   - value: The value.
  ///   - exists: Whether the object is known to exist, so that the change is buffered.
  /// - Returns: Whether there was an object with this key.
  /// - Throws: ``StoreError`` `duplicateKey` when another object has the new primary key; nothing is
  ///   changed then.
  package func update(
    _ className: String, _ key: ObjectKey, _ column: Int, _ value: Value, exists: Bool = false
  ) throws(StoreError) -> Bool {
    if try buffer(className, key, column, value, exists: exists) { return true }
    return try write { flushed throws(StoreError) in
      try flushed.tables.writer(className).update(key, column, value)
    }
  }

  /// Deletes an object and the embedded objects that it owns; links to it become null, and are removed from
  /// lists and sets.
  ///
  /// - Returns: Whether there was an object with this key.
  /// - Throws: ``StoreError`` when reading or writing fails.
  @discardableResult
  package func delete(_ className: String, _ key: ObjectKey) throws(StoreError) -> Bool {
    try write { flushed throws(StoreError) in try ObjectDeletion(flushed).delete(className, key) }
  }

  /// Sets columns of several objects to the same values.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - keys: The keys of stored objects, ascending.
  ///   - changes: The values.
  /// - Throws: ``StoreError``; `corrupt` where an object is missing.
  /// - Complexity: O(k log n) for k objects, in few statements.
  package func update(
    _ className: String, _ keys: [Int64], _ changes: [(column: Int, value: Value)]
  ) throws(StoreError) {
    try write { flushed throws(StoreError) in
      try flushed.tables.writer(className).update(keys, changes)
    }
  }

  /// Deletes several objects and the embedded objects that they own; links to them become null, and are
  /// removed from lists and sets.
  ///
  /// - Parameters:
  ///   - className: The class.
  ///   - keys: The keys of stored objects, ascending.
  /// - Throws: ``StoreError``; `corrupt` where an object is missing.
  /// - Complexity: O(k log n) for k objects, in few statements where nothing depends on the objects.
  package func delete(_ className: String, _ keys: [Int64]) throws(StoreError) {
    try write { flushed throws(StoreError) in try ObjectDeletion(flushed).delete(className, keys) }
  }

  /// Deletes all objects of all classes.
  package func deleteAll() throws(StoreError) {
    try write { flushed throws(StoreError) in try ObjectDeletion(flushed).deleteAll() }
  }

  /// Deletes an embedded object to whose row nothing refers any more, and what it owns.
  package func deleteOwned(_ object: ObjectAddress) throws(StoreError) {
    try write { flushed throws(StoreError) in try ObjectDeletion(flushed).deleteOwned([object]) }
  }

  /// Deletes what an embedded object in its owner's row keeps outside of that row: the elements of its
  /// collections, and embedded objects with rows of their own.
  package func deleteMembers(
    of embedded: EmbeddedLayout, in className: String, _ key: ObjectKey
  ) throws(StoreError) {
    try write { flushed throws(StoreError) in
      try ObjectDeletion(flushed).deleteMembers(of: embedded, in: className, key)
    }
  }

  /// The key that the next new object of a class gets; the ones after it follow.
  ///
  /// - Throws: ``StoreError`` `corrupt` where there is no such class, or its counters make no sense.
  package func nextKey(_ className: String) throws(StoreError) -> ObjectKey {
    ObjectKey(try flush(.elements).tables.writer(className).nextKey)
  }
}
