import Foundation

/// The deadlines of the client of a connection.
///
/// Idle clients must not occupy the limited number of connections. There is no deadline while the server computes a
/// reply.
struct ConnectionDeadlines {
  typealias Instant = ContinuousClock.Instant

  /// The time from the start of the connection, or the end of a reply, to the end of the head of a request.
  static let head = Duration.seconds(20)
  /// The time from the end of a head to the end of the body.
  static let body = Duration.seconds(60)
  /// The maximum time to send a part of a reply.
  static let part = Duration.seconds(60)
  /// The maximum size of a part in bytes.
  static let mostPartBytes = 1 << 18

  /// The number of requests with unsent replies.
  private(set) var openRequests = 0
  /// The start of the wait for a head.
  private var idleSince: Instant?
  /// The start of the wait for the end of a body.
  private var bodySince: Instant?
  /// The number of written, unsent parts.
  private var unsentParts = 0
  /// The last instant at which a part was sent, or the first unsent part was written.
  private var sentAt: Instant

  /// Begins with the start of the connection.
  init(start: Instant) {
    idleSince = start
    sentAt = start
  }

  /// Records the receipt of the head of a request.
  mutating func receivedHead(at now: Instant) {
    openRequests += 1
    idleSince = nil
    bodySince = now
  }

  /// Records the receipt of the end of a request.
  mutating func receivedEnd(at now: Instant) {
    bodySince = nil
    if openRequests == 0 { idleSince = now }
  }

  /// Records that a part of a reply was written.
  mutating func wrotePart(at now: Instant) {
    if unsentParts == 0 { sentAt = now }
    unsentParts += 1
  }

  /// Records that the system accepted a part of a reply.
  mutating func sentPart(at now: Instant) {
    unsentParts -= 1
    sentAt = now
  }

  /// Records that the system accepted the end of a reply.
  mutating func sentReply(at now: Instant) {
    // A reply to invalid bytes has no request.
    openRequests = max(0, openRequests - 1)
    if openRequests == 0 { idleSince = now }
  }

  /// The next deadline, at which the connection is closed; nil while the server computes a reply.
  var next: Instant? {
    let receipt = bodySince.map { $0 + Self.body } ?? idleSince.map { $0 + Self.head }
    let part = unsentParts > 0 ? sentAt + Self.part : nil
    guard let receipt, let part else { return receipt ?? part }
    return min(receipt, part)
  }
}

/// The limit of concurrent connections.
enum ConnectionLimit {
  /// Returns the effective limit: at most half of the descriptors, because the store and the event loops need
  /// descriptors too.
  ///
  /// - Parameters:
  ///   - connections: The limit of the options.
  ///   - descriptors: The maximum number of descriptors of the process; nil for no limit.
  /// - Returns: The number, at least 1.
  static func connections(_ connections: Int, descriptors: Int?) -> Int {
    guard let descriptors else { return connections }
    return min(connections, max(1, descriptors / 2))
  }

  /// The maximum number of descriptors of this process; nil for no limit.
  static var descriptors: Int? {
    let count = sysconf(Int32(_SC_OPEN_MAX))
    return count < 0 ? nil : count
  }
}
