import CadastrePostgres
import Synchronization

/// Adds up the integers of rows.
final class RowCounter: Sendable {
  private let total = Mutex<Int64>(0)

  /// The sum of the integers.
  var sum: Int64 { total.withLock { $0 } }

  func add(_ value: PostgresValue) {
    if case .int8(let number) = value { total.withLock { $0 += number } }
  }
}
