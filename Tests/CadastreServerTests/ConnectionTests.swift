import Testing

import CadastreStore
@testable import CadastreServer

@Suite struct ConnectionTests {
  private let start = ContinuousClock.now

  /// The seconds from the start to the end of the wait; nil where the server does not wait.
  private func seconds(_ deadlines: ConnectionDeadlines) -> Double? {
    deadlines.next.map { ($0 - start) / .seconds(1) }
  }

  private func after(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

  @Test func `a head must be complete 20 seconds after the start or the last reply`() {
    var deadlines = ConnectionDeadlines(start: start)
    #expect(seconds(deadlines) == 20)
    deadlines.receivedHead(at: after(5))
    deadlines.receivedEnd(at: after(5))
    deadlines.wrotePart(at: after(6))
    deadlines.sentPart(at: after(7))
    deadlines.sentReply(at: after(7))
    #expect(seconds(deadlines) == 27)
  }

  @Test func `a body must be complete 60 seconds after its head`() {
    var deadlines = ConnectionDeadlines(start: start)
    deadlines.receivedHead(at: after(5))
    #expect(seconds(deadlines) == 65)
    deadlines.receivedEnd(at: after(30))
    #expect(seconds(deadlines) == nil, "the server makes the reply")
  }

  @Test func `a part of a reply must be read in 60 seconds`() {
    var deadlines = ConnectionDeadlines(start: start)
    deadlines.receivedHead(at: start)
    deadlines.receivedEnd(at: start)
    deadlines.wrotePart(at: after(10))
    deadlines.wrotePart(at: after(15))
    deadlines.wrotePart(at: after(20))
    #expect(seconds(deadlines) == 70)
    deadlines.sentPart(at: after(40))
    #expect(seconds(deadlines) == 100)
    deadlines.sentPart(at: after(50))
    deadlines.sentPart(at: after(99))
    #expect(seconds(deadlines) == nil, "a stream waits for changes without an end")
    deadlines.wrotePart(at: after(500))
    #expect(seconds(deadlines) == 560)
  }

  @Test func `a reply before the end of the body does not shorten the time of the body`() {
    var deadlines = ConnectionDeadlines(start: start)
    deadlines.receivedHead(at: start)
    deadlines.sentReply(at: after(1))
    #expect(seconds(deadlines) == 60)
    deadlines.receivedEnd(at: after(50))
    #expect(seconds(deadlines) == 70)
  }

  @Test func `the time of a head begins when all replies are sent`() {
    var deadlines = ConnectionDeadlines(start: start)
    for second in 1...2 {
      deadlines.receivedHead(at: after(second))
      deadlines.receivedEnd(at: after(second))
    }
    deadlines.sentReply(at: after(30))
    #expect(seconds(deadlines) == nil)
    deadlines.sentReply(at: after(40))
    #expect(seconds(deadlines) == 60)
  }

  @Test func `a reply to bytes that are no request leaves the count of requests`() {
    var deadlines = ConnectionDeadlines(start: start)
    deadlines.sentReply(at: after(1))
    deadlines.receivedHead(at: after(2))
    deadlines.receivedEnd(at: after(2))
    #expect(seconds(deadlines) == nil)
    deadlines.sentReply(at: after(3))
    #expect(seconds(deadlines) == 23)
  }

  @Test(
    arguments: [
      (256, nil, 256), (256, 1024, 256), (256, 64, 32), (32, 64, 32), (1, 3, 1), (256, 1, 1),
    ] as [(Int, Int?, Int)])
  func `connections have half of the descriptors at most`(
    connections: Int, descriptors: Int?, expected: Int
  ) {
    #expect(ConnectionLimit.connections(connections, descriptors: descriptors) == expected)
  }

  @Test func `a server without connections is an error`() throws {
    let server = try TestServer()
    var options = StoreServer.Options()
    #expect(options.connections == 256)
    options.connections = 0
    #expect(throws: StoreServer.InvalidOptions.self) {
      _ = try StoreServer(store: server.file.path, options: options)
    }
  }
}
