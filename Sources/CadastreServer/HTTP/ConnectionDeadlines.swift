import Foundation

/// The instants until which a server waits for the client of a connection.
///
/// The number of connections is limited, so that a client that sends or reads nothing must not keep one. While the
/// server makes a reply, it does not wait for the client.
struct ConnectionDeadlines {
  typealias Instant = ContinuousClock.Instant

  /// The time from the start of the connection, or the end of a reply, to the end of the head of a request.
  static let head = Duration.seconds(20)
  /// The time from the end of a head to the end of the body.
  static let body = Duration.seconds(60)
  /// The time in which the client reads a part of a reply.
  static let part = Duration.seconds(60)
  /// The size of a part in bytes at most.
  static let mostPartBytes = 1 << 18

  /// The number of requests whose replies are not sent.
  private(set) var openRequests = 0
  /// The start of the wait for a head.
  private var idleSince: Instant?
  /// The start of the wait for the end of a body.
  private var bodySince: Instant?
  /// The number of parts that are written, and not sent.
  private var unsentParts = 0
  /// The instant at which a part was sent, or the first of the unsent parts was written.
  private var sentAt: Instant

  /// Begins with the start of the connection.
  init(start: Instant) {
    idleSince = start
    sentAt = start
  }

  /// Notes that the head of a request was received.
  mutating func receivedHead(at now: Instant) {
    openRequests += 1
    idleSince = nil
    bodySince = now
  }

  /// Notes that the end of a request was received.
  mutating func receivedEnd(at now: Instant) {
    bodySince = nil
    if openRequests == 0 { idleSince = now }
  }

  /// Notes that a part of a reply was written.
  mutating func wrotePart(at now: Instant) {
    if unsentParts == 0 { sentAt = now }
    unsentParts += 1
  }

  /// Notes that the system took a part of a reply.
  mutating func sentPart(at now: Instant) {
    unsentParts -= 1
    sentAt = now
  }

  /// Notes that the system took the end of a reply.
  mutating func sentReply(at now: Instant) {
    // A reply to bytes that are no request has no head.
    openRequests = max(0, openRequests - 1)
    if openRequests == 0 { idleSince = now }
  }

  /// The instant at which the connection is closed if nothing happens; nil where the server does not wait.
  var next: Instant? {
    let receipt = bodySince.map { $0 + Self.body } ?? idleSince.map { $0 + Self.head }
    let part = unsentParts > 0 ? sentAt + Self.part : nil
    guard let receipt, let part else { return receipt ?? part }
    return min(receipt, part)
  }
}

/// The number of connections that a server has at once.
enum ConnectionLimit {
  /// Returns the number of connections: no more than half of the descriptors, because the store and the event loops
  /// need some too.
  ///
  /// - Parameters:
  ///   - connections: The limit of the options.
  ///   - descriptors: The number of descriptors that the process may have; nil for no limit.
  /// - Returns: The number, at least 1.
  static func connections(_ connections: Int, descriptors: Int?) -> Int {
    guard let descriptors else { return connections }
    return min(connections, max(1, descriptors / 2))
  }

  /// The number of descriptors that this process may have; nil for no limit.
  static var descriptors: Int? {
    let count = sysconf(Int32(_SC_OPEN_MAX))
    return count < 0 ? nil : count
  }
}
