/// Parts of SQL text.
package enum SQL {
  /// Returns a name as a quoted identifier.
  package static func quoted(_ name: String) -> String {
    // Few names contain quotes, and every commit quotes the names of the columns that it writes.
    name.utf8.contains(UInt8(ascii: "\""))
      ? "\"" + name.replacing("\"", with: "\"\"") + "\"" : "\"" + name + "\""
  }

  /// Returns the value of a counter's column; -1 where a damaged file has no integer in it.
  package static func counter(_ column: String) -> String {
    "iif(typeof(\(column)) = 'integer', \(column), -1)"
  }
}
