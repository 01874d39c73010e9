import Foundation
import Hummingbird

extension PlaceService {
  /// The largest body in bytes; a longer one is answered by 413.
  private static let maximumBodySize = 1 << 20

  /// Returns the response to a request over HTTP.
  func response(to request: Request) async throws -> Response {
    let body = try await request.body.collect(upTo: Self.maximumBodySize)
    let parameters = request.uri.queryParameters.map { ($0.key.text, $0.value.text) }
    let reply = await reply(
      to: PlaceRequest(
        method: request.method.rawValue,
        path: request.uri.path.split(separator: "/").map { String($0) },
        parameters: Dictionary(parameters, uniquingKeysWith: { $1 }),
        body: Data(body.readableBytesView)))
    return Response(
      status: HTTPResponse.Status(code: reply.status),
      headers: reply.body.isEmpty ? [:] : [.contentType: "application/json"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: reply.body)))
  }
}

extension Substring {
  /// The text of a part of an address, without percent encoding.
  fileprivate var text: String { removingPercentEncoding ?? String(self) }
}
