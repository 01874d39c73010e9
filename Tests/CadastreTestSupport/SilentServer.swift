import Foundation
import Synchronization

/// A server on a port of 127.0.0.1 that speaks the beginning of PostgreSQL's protocol, and then is silent.
///
/// Source: the documentation of PostgreSQL 15, chapter 55.
package final class SilentServer: Sendable {
  /// When the server becomes silent.
  package enum Silence: Sendable {
    /// After it has accepted a connection.
    case atOnce
    /// After it has accepted the user.
    case afterStart
    /// After it has answered the first statement, which sets the session up.
    case afterFirstStatement
    /// After it has answered the second statement with the beginning of a copy; it reads no rows.
    case inCopy
  }

  /// Whether libpq is installed, which tests with such a server need.
  package static let hasClient = [
    "libpq.so.5", "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib",
    "/usr/local/opt/libpq/lib/libpq.5.dylib",
  ].contains { (name: String) in dlopen(name, RTLD_LAZY) != nil }

  /// The comment of a skipped test.
  package static let missing = "skipped: libpq is not installed"

  private struct State {
    var connections: [Int32] = []
    var statements = 0
  }

  /// The port.
  package let port: Int
  private let listener: Int32
  private let silence: Silence
  private let notice: String?
  private let state = Mutex(State())

  private struct Failure: Error {}

  /// Starts a server, which runs until ``stop()``.
  ///
  /// - Parameters:
  ///   - silence: When the server becomes silent.
  ///   - notice: A warning that the server sends while it accepts a user; nil for none.
  /// - Throws: An error if no port can be opened.
  package init(_ silence: Silence, notice: String? = nil) throws {
    self.silence = silence
    self.notice = notice
    #if canImport(Darwin)
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #else
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    guard isBound, listen(listener, 16) == 0 else { throw Failure() }
    Thread.detachNewThread { self.acceptAll() }
  }

  /// The number of statements that clients have sent.
  package var statements: Int { state.withLock { $0.statements } }

  /// Ends all connections.
  package func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in state.withLock({ $0.connections }) { shutdown(connection, Int32(SHUT_RDWR)) }
  }

  private func acceptAll() {
    while case let connection = accept(listener, nil, nil), connection >= 0 {
      state.withLock { $0.connections.append(connection) }
      Thread.detachNewThread { self.serve(connection) }
    }
    close(listener)
  }

  private func serve(_ connection: Int32) {
    if silence != .atOnce, accepts(connection), silence != .afterStart {
      while let type = read(1, connection)?.first, let body = body(connection) {
        guard type == UInt8(ascii: "S"), body.isEmpty else { continue }
        let number = state.withLock { state in
          state.statements += 1
          return state.statements
        }
        if number == 1 { send(Self.firstAnswer, connection) }
        if number == 2, silence == .inCopy {
          send(Self.beginningOfCopy, connection)
          break
        }
      }
    }
    // Silent, until one side ends the connection.
    var file = pollfd(fd: connection, events: 0, revents: 0)
    poll(&file, 1, -1)
    state.withLock { $0.connections.removeAll { $0 == connection } }
    close(connection)
  }

  /// Accepts a user; false for a request to cancel a statement, which is never answered.
  private func accepts(_ connection: Int32) -> Bool {
    while let body = body(connection) {
      switch Self.number(body.prefix(4)) {
      // TLS and GSS encryption are refused.
      case 80_877_103, 80_877_104: send(Array("N".utf8), connection)
      case 80_877_102: return false
      default:
        var answer = Self.message("R", Self.bytes(0))
        if let notice {
          answer += Self.message(
            "N", Array("SWARNUNG\0VWARNING\0C01000\0M\(notice)\0\0".utf8))
        }
        answer += Self.message("K", Self.bytes(1) + Self.bytes(2)) + Self.message("Z", [0x49])
        send(answer, connection)
        return true
      }
    }
    return false
  }

  // MARK: Messages

  /// Returns one row with the search path of the role, and whether the role is a superuser.
  private static let firstAnswer: [UInt8] = {
    // An array of one text.
    let path = [1, 0, 25, 1, 1, 6].flatMap(bytes) + Array("public".utf8)
    let columns: [[UInt8]] = [column("path", 1009), column("is_superuser", 25)]
    let values: [[UInt8]] = [path, Array("off".utf8)]
    let count: [UInt8] = [0, 2]
    let messages: [[UInt8]] = [
      message("1"), message("2"), message("T", count + columns.joined()),
      message("D", count + values.flatMap { bytes(UInt32($0.count)) + $0 }),
      message("C", Array("SELECT 1\0".utf8)), message("Z", [0x49]),
    ]
    return Array(messages.joined())
  }()

  /// Returns the description of a column whose values are binary.
  private static func column(_ name: String, _ type: UInt32) -> [UInt8] {
    let parts: [[UInt8]] = [
      Array(name.utf8) + [0], bytes(0), [0, 0], bytes(type), [0xFF, 0xFF], bytes(.max), [0, 1],
    ]
    return Array(parts.joined())
  }

  private static let beginningOfCopy: [UInt8] =
    message("1") + message("2") + message("n") + message("G", [1, 0, 1, 0, 1])

  private static func message(_ type: Unicode.Scalar, _ body: [UInt8] = []) -> [UInt8] {
    [UInt8(ascii: type)] + bytes(UInt32(body.count + 4)) + body
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads the rest of a message, from its length on.
  private func body(_ connection: Int32) -> [UInt8]? {
    read(4, connection).flatMap { read(Self.number($0) - 4, connection) }
  }

  private func read(_ count: Int, _ connection: Int32) -> [UInt8]? {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var piece = [UInt8](repeating: 0, count: count - bytes.count)
      let length = recv(connection, &piece, piece.count, 0)
      guard length > 0 else { return nil }
      bytes += piece.prefix(length)
    }
    return bytes
  }

  private func send(_ bytes: [UInt8], _ connection: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let piece = Array(rest)
      let length = write(connection, piece, piece.count)
      guard length > 0 else { return }
      rest = rest.dropFirst(length)
    }
  }
}
