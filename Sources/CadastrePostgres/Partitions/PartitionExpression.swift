/// The expression by which rows are divided into partitions: `hash(FIELD)` or
/// `cell(FIELD, DEGREES)`.
package enum PartitionExpression: Hashable, Sendable {
  /// By the hash of a property with a single value.
  case hash(String)
  /// By the cell of a grid that contains an embedded point; the sides of the cells are in degrees.
  case cell(String, degrees: Int)

  /// The sides of cells where the text gives none, in degrees.
  private static let usualDegrees = 10

  /// Reads an expression.
  ///
  /// - Throws: ``PostgresMappingError`` for another text.
  package init(_ text: String) throws(PostgresMappingError) {
    let parts = text.split(separator: "(", maxSplits: 1)
    let name = parts.first.map(Self.trimmed)
    let arguments =
      parts.count == 2 && parts[1].hasSuffix(")")
      ? parts[1].dropLast().split(separator: ",").map(Self.trimmed) : []
    switch (name, arguments.count) {
    case ("hash", 1): self = .hash(arguments[0])
    case ("cell", 1): self = .cell(arguments[0], degrees: Self.usualDegrees)
    case ("cell", 2):
      guard let degrees = Int(arguments[1]), CellGrid.sides.contains(degrees) else {
        throw Self.error(
          text, "the side of a cell is one of \(CellGrid.sides.map(String.init)) degrees")
      }
      self = .cell(arguments[0], degrees: degrees)
    default: throw Self.error(text, "expected hash(FIELD), cell(FIELD) or cell(FIELD, DEGREES)")
    }
  }

  private static func trimmed(_ text: Substring) -> String {
    text.split(separator: " ").joined(separator: " ")
  }

  private static func error(_ text: String, _ reason: String) -> PostgresMappingError {
    PostgresMappingError(subject: "the partitions '\(text)'", reason: reason)
  }
}
