/// Parts of SQL text.
package enum SQL {
  /// Returns a name as a quoted identifier.
  package static func quoted(_ name: String) -> String {
    // Few names contain quotes, and every commit quotes the names of the columns that it writes.
    name.utf8.contains(UInt8(ascii: "\""))
      ? "\"" + name.replacing("\"", with: "\"\"") + "\"" : "\"" + name + "\""
  }
}
