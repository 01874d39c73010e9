import Testing

@testable import CadastreServer

@Suite struct HeaderTests {
  private func headers(_ lines: [String]) throws(RequestError) -> [String: String] {
    var request = ServerRequest(path: [])
    try request.setHeaders(
      lines.map { line in
        let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
        return (name: parts[0], value: parts[1])
      })
    return request.headers
  }

  @Test(arguments: [
    [], ["Accept: a"], ["Host: a", "Host: b"], ["Host: a", "host: a"],
    ["Host: a", "Origin: b", "Origin: b"], ["Host: a", "Authorization: b", "authorization: c"],
    ["Host: a", "Content-Type: b", "Content-Type: c"],
    ["Host: a", "Content-Length: 1", "Content-Length: 1"],
  ])
  func `a request has one host, and fields with one value once`(lines: [String]) throws {
    let error = #expect(throws: RequestError.self) { try headers(lines) }
    #expect(error?.status == 400)
  }

  @Test func `the values of other repeated fields are joined`() throws {
    let found = try headers([
      "If-None-Match: \"a\"", "HOST: a:1", "Cookie: b=1", "if-none-match: \"b\"", "Cookie: c=2",
      "Origin: http://a:1",
    ])
    #expect(
      found == [
        "host": "a:1", "if-none-match": "\"a\", \"b\"", "cookie": "b=1; c=2",
        "origin": "http://a:1",
      ])
  }

  @Test(
    arguments: [
      ("/a", nil), ("/a?b=http://c/", nil), ("*", nil), ("a:80", nil), ("http://a", "a"),
      ("http://a:8080/b?c", "a:8080"), ("HTTP://[::1]:80?b", "[::1]:80"), ("http://u@a#b", "u@a"),
      ("http:///a", ""),
    ] as [(String, String?)])
  func `a target in absolute form names the host`(target: String, expected: String?) {
    #expect(ServerRequest.authority(ofTarget: target) == expected)
  }

  private func values(_ reply: ServerReply, _ name: String) -> [String] {
    reply.allHeaders.filter { $0.name == name }.map { $0.value }
  }

  @Test(arguments: [
    ("explorer/store", [:], 200), ("collections", ["f": "html"], 200), ("collections", [:], 200),
    ("collections/Place/items", [:], 200), ("explorer/download", ["class": "Place"], 200),
    ("collections/Place/tiles/WebMercatorQuad/0/0/0", [:], 200), ("nothing", [:], 404),
    ("conformance", ["a": "b"], 400),
  ])
  func `a browser runs nothing in a response and does not guess its type`(
    path: String, parameters: [String: String], status: Int
  ) async throws {
    let reply = try await TestServer(Place.random(60, seed: 1)).reply(path, parameters)
    #expect(reply.status == status)
    #expect(values(reply, "X-Content-Type-Options") == ["nosniff"])
    let policies = values(reply, "Content-Security-Policy")
    #expect(policies.count == 1)
    #expect(policies.allSatisfy { $0.hasPrefix("default-src 'none';") })
    #expect(policies.allSatisfy { $0.contains("frame-ancestors 'none'") })
    #expect(!policies.contains { $0.contains("script-src") })
  }

  @Test func `the files of the page have one policy of their own`() async throws {
    let server = try TestServer()
    for path in ["", "explorer/assets/app.js", "favicon.ico"] {
      let reply = await server.reply(path, headers: ["accept": "text/html"])
      #expect(reply.status == 200)
      #expect(values(reply, "X-Content-Type-Options") == ["nosniff"])
      let policies = values(reply, "Content-Security-Policy")
      #expect(policies.count == 1)
      #expect(policies.allSatisfy { $0.hasPrefix("default-src 'self';") })
    }
  }

  @Test func `a refused request has the fields of every response`() async throws {
    let server = try TestServer()
    for reply in [
      await server.reply("collections", headers: ["host": "other"]),
      await server.send("POST", "collections", "{}"), RequestError(414, "a", "b").reply,
    ] {
      #expect(reply.status >= 400)
      #expect(values(reply, "X-Content-Type-Options") == ["nosniff"])
      #expect(values(reply, "Content-Security-Policy").count == 1)
    }
  }
}
