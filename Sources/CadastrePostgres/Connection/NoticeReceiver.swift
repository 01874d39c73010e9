import CPostgreSQL

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
