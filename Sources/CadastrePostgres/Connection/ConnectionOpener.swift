import CPostgreSQL
import Dispatch

/// Opens connections on a separate thread.
actor ConnectionOpener {
  private let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// An open connection of libpq.
  // Safe because its only reference moves to one `PostgresConnection`.
  struct OpenHandle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// Opens a connection in the non-blocking mode.
  ///
  /// - Throws: ``PostgresError`` if the address cannot be read or no server accepts the connection.
  func open(_ address: String, _ notices: NoticeReceiver) throws(PostgresError) -> OpenHandle {
    // Checked here because the message of libpq about an invalid address may quote the password.
    _ = try ConnectionOptions(address)
    // Later keywords replace earlier ones, so that the address overrides these timeouts.
    let options = ConnectionOptions.defaults.sorted { $0.key < $1.key }
    let keywords = options.map(\.key) + ["application_name", "dbname", "client_encoding"]
    let values = options.map(\.value) + ["cadastre", address, "UTF8"]
    let handle = Self.withStrings(keywords) { keywords in
      Self.withStrings(values) { PQconnectStartParams(keywords, $0, 1) }
    }
    guard let handle else {
      throw PostgresError(.connection, "connecting", "libpq has no memory for a connection")
    }
    // A server may send notices while it accepts a connection, and libpq has no receiver before `PQconnectStart`.
    // So the connection starts again with a receiver; `PQreset` applies the timeout to each server of the address.
    if PQstatus(handle) != CONNECTION_BAD {
      notices.receive(from: handle)
      PQreset(handle)
    }
    guard PQstatus(handle) == CONNECTION_OK, PQsetnonblocking(handle, 1) == 0 else {
      defer { PQfinish(handle) }
      throw PostgresError(
        .connection, "connecting", PostgresError.oneLine(String(cString: PQerrorMessage(handle))))
    }
    return OpenHandle(pointer: handle)
  }

  private static func withStrings<Result>(
    _ strings: [String], _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    func pass(_ rest: ArraySlice<String>, _ pointers: [UnsafePointer<CChar>?]) -> Result {
      guard let first = rest.first else { return body(pointers + [nil]) }
      return first.withCString { pass(rest.dropFirst(), pointers + [$0]) }
    }
    return pass(strings[...], [])
  }
}

/// The receiver of the notices of a connection; without one, libpq prints notices.
final class NoticeReceiver: Sendable {
  private let handler: (@Sendable (String) -> Void)?

  /// Creates a receiver.
  ///
  /// - Parameter handler: Receives each notice on one line; nil to drop them.
  init(_ handler: (@Sendable (String) -> Void)?) { self.handler = handler }

  /// Registers for the notices of a connection, which must be closed before the receiver is released.
  func receive(from connection: OpaquePointer) {
    PQsetNoticeReceiver(
      connection,
      { receiver, notice in
        guard let receiver, let notice else { return }
        Unmanaged<NoticeReceiver>.fromOpaque(receiver).takeUnretainedValue().pass(notice)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func pass(_ notice: OpaquePointer) {
    handler?(PostgresError.text(ofNotice: notice))
  }
}

/// An executor that runs the jobs of an actor on a separate dispatch queue.
///
/// Blocking calls of libpq block a thread of this queue instead of Swift's cooperative pool.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "cadastre.postgres")

  /// Appends a job to the queue.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
