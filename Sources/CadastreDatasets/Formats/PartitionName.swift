import Foundation

/// The names of folders that hold a value of a column, as Hive, Spark, DuckDB and pyarrow write them:
/// `country=FR`.
enum PartitionName {
  private static let null = "__HIVE_DEFAULT_PARTITION__"

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")

  /// Returns the name of the folder of a value; other characters than ASCII letters, digits and `-_.~` are
  /// percent-encoded.
  static func text(_ column: String, _ value: String?) -> String {
    guard let value else { return "\(encoded(column))=\(null)" }
    let text = encoded(value)
    return "\(encoded(column))=\(text == null ? "%5F" + text.dropFirst() : text)"
  }

  /// Returns the column and the value, nil for null, that a name holds; nil for other names.
  static func parse(_ name: String) -> (String, String?)? {
    guard let equals = name.firstIndex(of: "="), equals > name.startIndex else { return nil }
    let value = String(name[name.index(after: equals)...])
    return (decoded(String(name[..<equals])), value == null ? nil : decoded(value))
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
  }

  private static func decoded(_ text: String) -> String { text.removingPercentEncoding ?? text }
}
