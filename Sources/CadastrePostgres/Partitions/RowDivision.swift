/// How a push divides the rows of its class into partitions.
package struct RowDivision: Sendable {
  /// The expression by which rows are divided.
  package let expression: PartitionExpression
  /// The number of partitions.
  package let count: Int
  /// The addresses of the servers of the partitions, in turn; none for the database itself.
  package let servers: [String]

  /// The greatest number of partitions.
  package static let mostPartitions = 1024
  /// The number of partitions in the database itself where none is given.
  private static let usualCount = 4

  /// Creates a division.
  ///
  /// - Parameters:
  ///   - expression: The expression by which rows are divided.
  ///   - count: The number of partitions; by default one for each server, or 4 in the database.
  ///   - servers: The addresses of the servers of the partitions, which the database must be able to
  ///     reach too; none for the database itself.
  /// - Throws: ``PostgresMappingError`` if there are fewer partitions than servers, or too many.
  package init(
    _ expression: PartitionExpression, count: Int? = nil, servers: [String] = []
  ) throws(PostgresMappingError) {
    self.expression = expression
    self.count = count ?? (servers.isEmpty ? Self.usualCount : servers.count)
    self.servers = servers
    guard (max(1, servers.count)...Self.mostPartitions).contains(self.count) else {
      throw PostgresMappingError(
        subject: "\(self.count) partitions",
        reason: "expected from \(max(1, servers.count)) to \(Self.mostPartitions)")
    }
  }
}
