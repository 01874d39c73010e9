import CPostgreSQL
import Dispatch

/// Opens connections on a thread of its own.
actor ConnectionOpener {
  private let executor = QueueExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// An open connection of libpq that no other code uses.
  struct OpenHandle: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  /// Opens a connection whose calls do not block.
  ///
  /// - Throws: ``PostgresError`` if the address cannot be read or no server accepts the connection.
  func open(_ address: String, _ notices: NoticeReceiver) throws(PostgresError) -> OpenHandle {
    // The message of libpq about an address may quote the password in it, so it is not shown.
    _ = try ConnectionOptions(address)
    // Later keywords replace earlier ones, so the address may set other limits of time.
    let options = ConnectionOptions.usual.sorted { $0.key < $1.key }
    let keywords = options.map(\.key) + ["application_name", "dbname", "client_encoding"]
    let values = options.map(\.value) + ["cadastre", address, "UTF8"]
    let handle = Self.withStrings(keywords) { keywords in
      Self.withStrings(values) { PQconnectStartParams(keywords, $0, 1) }
    }
    guard let handle else {
      throw PostgresError(.connection, "connecting", "libpq has no memory for a connection")
    }
    // A server may send notices while it accepts a connection, and only a connection that was begun has a
    // receiver: it is begun again, and libpq waits for each server of the address up to its limit of time.
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

/// The receiver of the notices of a connection, which libpq prints otherwise.
final class NoticeReceiver: Sendable {
  private let handler: (@Sendable (String) -> Void)?

  /// Creates a receiver.
  ///
  /// - Parameter handler: Receives each notice on one line; nil to drop them.
  init(_ handler: (@Sendable (String) -> Void)?) { self.handler = handler }

  /// Receives the notices of a connection, which must be closed before the receiver is released.
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

/// An executor that runs the jobs of an actor on a dispatch queue of its own.
///
/// libpq waits for the server in blocking calls. On this queue they block no thread of Swift's
/// cooperative pool, so other tasks continue while a task waits for a server.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "cadastre.postgres")

  /// Runs a job after those before it.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
