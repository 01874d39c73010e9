import CadastreModel

extension RealmCollection where Element: ObjectBase {
  /// Returns a structure of the program for each object, in their order.
  ///
  ///     struct AirportRow: Decodable, Sendable {
  ///       let icao: String
  ///       let elevation: Double?
  ///       let city: String?
  ///
  ///       enum CodingKeys: String, CodingKey {
  ///         case icao, elevation
  ///         case city = "address.city"
  ///       }
  ///     }
  ///
  ///     let rows = try realm.objects(Airport.self).where { $0.country == "FR" }
  ///       .map(into: AirportRow.self)
  ///
  /// A coding key is the name of a property, or a path of names joined by dots through links and
  /// embedded objects. A member may also be a structure for an embedded or linked object, an array
  /// for a list or a set, or a dictionary for a map. A value behind a null link is null.
  ///
  /// The rows contain no objects: they stay as they are when the Realm changes, and other tasks may
  /// use them if their type is `Sendable`.
  ///
  /// - Parameter type: A type whose members the properties fill.
  /// - Returns: A row for each object.
  /// - Throws: `DecodingError.keyNotFound` for a key that names no property, also of an optional
  ///   member; `valueNotFound` for null in a member that is not optional; `typeMismatch` or
  ///   `dataCorrupted` for a value that its member cannot have. The coding path begins with the
  ///   index of the row. ``Realm/Error`` when reading fails.
  /// - Complexity: O(n · m) for n objects and m members. Each column is read once, without creating
  ///   objects. Collections and members of GeoJSON points are in no column: they cost one object for
  ///   each row.
  public func map<Row: Decodable>(into type: Row.Type) throws -> [Row] {
    guard let core = handle.source?.core else { return try rowsOfObjects(type) }
    let result = try Realm(core: core).checkingReads {
      // After a read error a row may fail to decode, too. The read error is thrown then.
      Result { try rows(type) }
    }
    if let failure = core.failure { throw failure }
    return try result.get()
  }

  private func rows<Row: Decodable>(_ type: Row.Type) throws -> [Row] {
    guard handle.source?.table != nil, !(handle.source is LinkSearch) else {
      return try rowsOfObjects(type)
    }
    let result = queryResult
    guard let table = result.table else { return try rowsOfObjects(type) }
    let columns = ResultColumns(result, table)
    return try (0..<columns.count).map { try type.init(row: .record(columns.row($0)), index: $0) }
  }

  private func rowsOfObjects<Row: Decodable>(_ type: Row.Type) throws -> [Row] {
    try Array(self).enumerated().map { index, object in
      try type.init(row: .record(ObjectRecord(object)), index: index)
    }
  }
}

extension Decodable {
  /// Decodes a row of a result.
  init(row content: RowContent, index: Int) throws {
    let path: [any CodingKey] = [RowKey(index)]
    self = try content.decoded(Self.self) { path }
  }
}
