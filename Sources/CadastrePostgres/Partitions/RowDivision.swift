/// The partitioning of the rows of a push.
package struct RowDivision: Sendable {
  /// The partition key expression.
  package let expression: PartitionExpression
  /// The number of partitions.
  package let count: Int
  /// The addresses of the servers, assigned to partitions round-robin; empty for the database itself.
  package let servers: [String]

  /// The maximum number of partitions.
  package static let mostPartitions = 1024
  /// The default number of partitions in the database itself.
  private static let defaultCount = 4

  /// Creates a division.
  ///
  /// - Parameters:
  ///   - expression: The partition key expression.
  ///   - count: The number of partitions; by default one for each server, or 4 in the database.
  ///   - servers: The addresses of the servers of the partitions, which the database must reach too; empty for
  ///     the database itself.
  /// - Throws: ``PostgresMappingError`` for fewer partitions than servers, or too many partitions.
  package init(
    _ expression: PartitionExpression, count: Int? = nil, servers: [String] = []
  ) throws(PostgresMappingError) {
    self.expression = expression
    self.count = count ?? (servers.isEmpty ? Self.defaultCount : servers.count)
    self.servers = servers
    guard (max(1, servers.count)...Self.mostPartitions).contains(self.count) else {
      throw PostgresMappingError(
        subject: "\(self.count) partitions",
        reason: "expected from \(max(1, servers.count)) to \(Self.mostPartitions)")
    }
  }
}

/// The partition key expression: `hash(FIELD)` or `cell(FIELD, DEGREES)`.
package enum PartitionExpression: Hashable, Sendable {
  /// By the hash of a property with a single value.
  case hash(String)
  /// By the grid cell of an embedded point; the side of a cell is in degrees.
  case cell(String, degrees: Int)

  /// The default side of a cell in degrees.
  private static let defaultDegrees = 10

  /// Parses an expression.
  ///
  /// - Throws: ``PostgresMappingError`` for invalid text.
  package init(_ text: String) throws(PostgresMappingError) {
    let parts = text.split(separator: "(", maxSplits: 1)
    let name = parts.first.map(Self.trimmed)
    let arguments =
      parts.count == 2 && parts[1].hasSuffix(")")
      ? parts[1].dropLast().split(separator: ",").map(Self.trimmed) : []
    switch (name, arguments.count) {
    case ("hash", 1): self = .hash(arguments[0])
    case ("cell", 1): self = .cell(arguments[0], degrees: Self.defaultDegrees)
    case ("cell", 2):
      guard let degrees = Int(arguments[1]), DegreeGrid.sides.contains(degrees) else {
        throw Self.error(
          text, "the side of a cell is one of \(DegreeGrid.sides.map(String.init)) degrees")
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
