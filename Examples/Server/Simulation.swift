import Foundation

/// Sends requests of many clients at the same time, and checks the replies.
struct Simulation {
  let service: PlaceService

  func run() async throws {
    let (clients, requests) = (200, 5)
    await withTaskGroup(of: Void.self) { group in
      for client in 0..<clients {
        group.addTask {
          for request in 0..<requests {
            let body = """
              {"name": "place \(client)", "kind": "harbour", "level": \(request), "company": "Line", \
              "location": {"type": "Point", "coordinates": [\(client % 180), \(client % 80)]}}
              """
            await check("PUT /places/\(client) \(body)", 200)
            await check("GET /places/\(client)", 200, #""level":\#(request),"#)
          }
        }
      }
    }
    await check("GET /places?lon=1&lat=1&km=1", 200, #""name":"place 1""#)
    await check(
      #"POST /places/search {"area": {"type": "Polygon", "coordinates": [[[-1, -1], [1.5, -1], [1.5, 1.5], [-1, 1.5], [-1, -1]]]}}"#,
      200, #""name":"place 0""#)
    await check(
      #"POST /places {"id": 500, "updated": "2026-11-22T19:18:06Z", "details": {"a": [1, null]}}"#,
      200, #""updated":"2026-11-22T19:18:06Z""#)
    await check("DELETE /places/500", 204)
    for (line, status) in Self.faults { await check(line, status, #"{"error":"#) }
    let commits = await service.writer.commits
    print("\(clients * requests) writes of \(clients) clients in \(commits) transactions")
    guard commits < clients * requests else { return stop("no writes were collected") }
  }

  /// Requests that must not stop the process, and the status of the reply.
  private static let faults = [
    ("GET /places/999", 404), ("GET /towns", 404), ("PATCH /places/1", 405),
    ("GET /places?lon=200&lat=0", 400), ("GET /places?lat=0", 400),
    ("GET /places?lon=0&lat=0&where=levle%20%3E%203", 400),
    (#"GET /places?lon=0&lat=0&where=name%20MATCHES%20%22(%22"#, 400),
    (#"POST /places/search {"area": {"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}}"#, 400),
    (#"PUT /places/1 {"name": "#, 400), ("PUT /places/1 [1]", 400),
    (#"PUT /places/1 {"name": 5}"#, 422), (#"PUT /places/1 {"kind": "town"}"#, 422),
    (#"PUT /places/1 {"location": {"coordinates": [0, 95]}}"#, 422),
    (#"PUT /places/1 {"company": 7}"#, 422), (#"POST /places {"name": "x"}"#, 422),
    (#"PUT /places/1 {"updated": "yesterday"}"#, 422),
    (#"PUT /places/1 {"details": {"$a": 1}}"#, 422),
  ]

  private func check(_ line: String, _ status: Int, _ text: String = "") async {
    let reply = await service.reply(to: PlaceRequest(line: line))
    let body = String(decoding: reply.body, as: UTF8.self)
    guard reply.status != status || !(text.isEmpty || body.contains(text)) else { return }
    stop("expected \(status) \(text) for '\(line)', found \(reply.status) \(body)")
  }

  private func stop(_ message: String) {
    FileHandle.standardError.write(Data("Server: \(message)\n".utf8))
    exit(1)
  }
}
