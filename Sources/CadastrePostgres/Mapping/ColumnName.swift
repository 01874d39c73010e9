/// The names of the columns of a table.
///
/// An embedded object's columns have the names of its properties after the path to it:
/// `engine.power`.
enum ColumnName {
  /// The key of the row, which links refer to.
  static let key = "_key"
  /// The maximum length of a name in bytes; PostgreSQL cuts longer ones without an error.
  static let maximumLength = 63

  /// The keys of a map, beside the column of its values.
  static func mapKeys(_ name: String) -> String { name + ".keys" }
  /// The nanoseconds of a date, beside the column of its seconds.
  static func nanoseconds(_ name: String) -> String { name + ".nanoseconds" }
  /// The longitude of a point; null if it has no location.
  static func longitude(_ name: String) -> String { name + ".longitude" }
  /// The latitude of a point; null if it has no location.
  static func latitude(_ name: String) -> String { name + ".latitude" }
  /// The number of the cell of a point, in a table that is divided by cells.
  static func cell(_ name: String) -> String { name + ".cell" }
  /// The location of a point as a generated geography.
  static func geography(_ name: String) -> String { name + ".geography" }
}
