#if Server
  import Foundation
  import HTTPTypes
  import Hummingbird
  import NIOCore

  /// Requests and responses of the HTTP library.
  extension ExplorerService {
    /// The maximum length of a request target in bytes.
    private static let mostAddressBytes = 65_536

    func response(to request: Request) async -> Response {
      guard request.uri.string.utf8.count <= Self.mostAddressBytes else {
        return Self.response(
          RequestError(414, "address", "the address has more than \(Self.mostAddressBytes) bytes")
            .reply)
      }
      let plain: ServerRequest
      do { plain = try Self.plain(request) } catch {
        return Self.response(RequestError(error).reply)
      }
      guard plain.method == "GET" || plain.method == "HEAD" else {
        return Self.response(await reply(to: plain))
      }
      if plain.path == ["explorer", "changes"], plain.method == "GET" {
        do {
          try await rules.check(plain)
          return changeStream()
        } catch {
          return Self.response(RequestError(error).reply)
        }
      }
      return await response(to: plain, of: request)
    }

    /// The time after which a request is cancelled when its client disconnects.
    private static let unwatched = Duration.milliseconds(250)

    /// Returns the response to a request, which is cancelled when its client disconnects.
    ///
    /// Detecting a disconnection ends the connection after the reply, so that only slow requests detect it.
    private func response(to plain: ServerRequest, of request: Request) async -> Response {
      let isHead = request.method == .head
      let (replies, continuation) = AsyncStream.makeStream(of: ServerReply?.self)
      let task = Task {
        let reply = await self.reply(to: plain)
        continuation.yield(reply)
        return reply
      }
      let timer = Task {
        try await Task.sleep(for: Self.unwatched)
        continuation.yield(nil)
      }
      defer { timer.cancel() }
      for await case let reply in replies {
        if let reply { return Self.response(reply, isHead: isHead) }
        break
      }
      let late = try? await request.body.consumeWithInboundCloseHandler { _ in
        await task.value
      } onInboundClosed: {
        task.cancel()
      }
      var reply: ServerReply
      if let late { reply = late } else { reply = await task.value }
      reply.headers.append(("Connection", "close"))
      return Self.response(reply, isHead: isHead)
    }

    private static func plain(_ request: Request) throws(RequestError) -> ServerRequest {
      var path: [String] = []
      for part in request.uri.path.split(separator: "/") {
        guard let text = part.removingPercentEncoding else {
          throw RequestError(400, "address", "the address has invalid percent encoding")
        }
        path.append(text)
      }
      var plain = ServerRequest(method: request.method.rawValue, path: path)
      for part in (request.uri.query ?? "").split(separator: "&") {
        let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let texts = pair.map { $0.replacing("+", with: " ").removingPercentEncoding }
        guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else {
          throw RequestError(400, "address", "the parameters have invalid percent encoding")
        }
        plain.parameters.append((name, value))
      }
      var fields = request.headers.map { (name: $0.name.canonicalName, value: $0.value) }
      if let host = request.head.authority { fields.append((name: "host", value: host)) }
      try plain.setHeaders(fields)
      plain.body = { limit in
        do {
          return Array(buffer: try await request.body.collect(upTo: limit))
        } catch is NIOTooManyBytesError {
          throw RequestError.bodyTooLarge(limit)
        } catch {
          throw RequestError(400, "body", "the body is incomplete or is not HTTP")
        }
      }
      return plain
    }

    private static func response(_ reply: ServerReply, isHead: Bool = false) -> Response {
      var headers = HTTPFields()
      if reply.status != 204 { headers[.contentType] = reply.contentType }
      for (name, value) in reply.allHeaders {
        if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
      }
      let body: ResponseBody
      if isHead {
        body = ResponseBody()
      } else if let pieces = reply.pieces {
        body = ResponseBody { writer in
          try await pieces.forEach { try await writer.write(ByteBuffer(bytes: $0)) }
          try await writer.finish(nil)
        }
      } else {
        body =
          reply.body.isEmpty
          ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body))
      }
      return Response(
        status: HTTPResponse.Status(code: reply.status), headers: headers, body: body)
    }

    // MARK: Changes

    /// The interval of the comments that keep an event stream alive.
    private static let heartbeat = Duration.seconds(15)

    /// Returns the commits of the store as server-sent events.
    private func changeStream() -> Response {
      let body = ResponseBody { [changes] writer in
        let (events, continuation) = AsyncStream.makeStream(
          of: String.self, bufferingPolicy: .bufferingNewest(16))
        let source = changes.changes()
        let forward = Task {
          for await change in source { continuation.yield(Self.event(change)) }
          continuation.finish()
        }
        let beat = Task {
          while !Task.isCancelled {
            try await Task.sleep(for: Self.heartbeat)
            continuation.yield(": still here\n\n")
          }
        }
        defer {
          forward.cancel()
          beat.cancel()
        }
        try await writer.write(ByteBuffer(string: ": connected\n\n"))
        for await event in events { try await writer.write(ByteBuffer(string: event)) }
        try await writer.finish(nil)
      }
      var reply = ServerReply("", "text/event-stream")
      reply.headers = [("Cache-Control", "no-store")]
      var response = Self.response(reply)
      response.body = body
      return response
    }

    private static func event(_ change: ChangeBroadcast.Change) -> String {
      let object: JSONObject = [
        "version": .integer(Int(change.version)),
        "classes": change.classes.map { JSONItem($0) } ?? .null,
      ]
      return "event: change\ndata: \(object.text)\n\n"
    }
  }
#endif
