import CadastreStore
import Testing

@testable import CadastreServer

@Suite struct AccessTests {
  private func status(
    _ options: StoreServer.Options, _ headers: [String: String], token: String? = nil
  ) async throws -> Int {
    let server = try TestServer(options: options)
    return await server.reply(
      "collections", token.map { ["token": $0] } ?? [:], headers: headers
    ).status
  }

  @Test(arguments: [
    ("127.0.0.1:8080", 200), ("localhost", 200), ("[::1]:9", 200), ("LOCALHOST:80", 200),
    ("evil.example", 403), ("127.0.0.1.evil.example:8080", 403), ("localhost.", 403),
    ("127.0.0.1@evil.example", 403), ("", 403), ("0.0.0.0:8080", 403), ("127.1", 403),
  ])
  func `the host must be a name of this server`(host: String, expected: Int) async throws {
    #expect(try await status(StoreServer.Options(), ["host": host]) == expected)
  }

  @Test(arguments: [
    ("http://127.0.0.1:8080", 200), ("http://localhost:3000", 200), ("https://evil.example", 403),
    ("null", 403), ("http://localhost.evil.example", 403), ("file://", 403),
  ])
  func `the origin must be a name of this server`(origin: String, expected: Int) async throws {
    #expect(try await status(StoreServer.Options(), ["origin": origin]) == expected)
  }

  @Test func `a token is taken from a header, a cookie or a parameter`() async throws {
    var options = StoreServer.Options()
    options.token = "s3cret"
    #expect(try await status(options, [:]) == 401)
    #expect(try await status(options, [:], token: "s3cre") == 401)
    #expect(try await status(options, ["authorization": "Bearer wrong1"]) == 401)
    #expect(try await status(options, ["authorization": "Basic s3cret"]) == 401)
    #expect(try await status(options, [:], token: "s3cret") == 200)
    #expect(try await status(options, ["authorization": "Bearer s3cret"]) == 200)
    #expect(try await status(options, ["cookie": "a=b; cadastre-token=s3cret"]) == 200)
    #expect(try await status(options, ["authorization": "bearer s3cret", "host": "evil"]) == 403)
  }

  @Test func `the page keeps the token in a cookie that scripts cannot read`() async throws {
    var options = StoreServer.Options()
    options.token = "s3cret"
    let reply = try await TestServer(options: options).reply(
      "", ["token": "s3cret"], headers: ["accept": "text/html"])
    let cookie = reply.headers.first { $0.name == "Set-Cookie" }?.value
    #expect(cookie == "cadastre-token=s3cret; HttpOnly; SameSite=Strict; Path=/")
    #expect(!reply.text.contains("s3cret"))
  }

  @Test func `a server for other machines needs a token or an authentication`() throws {
    let server = try TestServer()
    var options = StoreServer.Options()
    options.host = "0.0.0.0"
    #expect(throws: StoreServer.InvalidOptions.self) {
      _ = try StoreServer(store: server.file.path, options: options)
    }
    options.token = ""
    #expect(throws: StoreServer.InvalidOptions.self) {
      _ = try StoreServer(store: server.file.path, options: options)
    }
    options.token = "t"
    _ = try StoreServer(store: server.file.path, options: options)
    options.token = nil
    options.authentication = { _ in .allowed }
    _ = try StoreServer(store: server.file.path, options: options)
  }

  @Test func `the program decides by the header fields`() async throws {
    var options = StoreServer.Options()
    options.allowedHosts = ["Maps.Example"]
    options.authentication = { headers in
      headers["x-user"] == "ada" ? .allowed : .denied(reason: "log in first")
    }
    let server = try TestServer(options: options)
    let denied = await server.reply("explorer/store", headers: ["host": "maps.example:443"])
    #expect(denied.status == 401)
    #expect(denied.text.contains("log in first"))
    #expect(
      await server.reply(
        "explorer/store", headers: ["host": "maps.example", "x-user": "ada"]
      ).status == 200)
  }
}
