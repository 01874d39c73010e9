import CadastreDatasets
import CadastreModel
import CadastrePredicate
import CadastreStore

/// The error of a request: an HTTP status and a message.
struct RequestError: Error {
  var status: Int
  /// The kind of error for programs.
  var code: String
  /// The message with the actual and the expected value.
  var message: String
  /// The location in a predicate or filter, in UTF-16 units; nil for other errors.
  var range: (offset: Int, length: Int)?
  /// The methods of the resource, for the status 405.
  var allowedMethods: [String]?

  init(_ status: Int, _ code: String, _ message: String) {
    (self.status, self.code, self.message) = (status, code, message)
  }

  /// Creates an error at a location in a text.
  init(_ status: Int, _ code: String, _ message: String, at span: TextSpan, in text: String) {
    self.init(status, code, message)
    range = Self.range(span, in: text)
  }

  /// Returns the error for an invalid parameter.
  static func parameter(_ message: String) -> RequestError {
    RequestError(400, "parameter", message)
  }

  /// Returns the error for a missing resource.
  static func notFound(_ message: String) -> RequestError {
    RequestError(404, "not-found", message)
  }

  /// Returns the error for a body with more bytes than a limit.
  static func bodyTooLarge(_ limit: Int) -> RequestError {
    RequestError(413, "body", "the body has more than \(limit) bytes")
  }

  /// Converts any error of a request.
  init(_ error: any Error) {
    switch error {
    case let error as RequestError: self = error
    case let error as QueryPredicateError:
      self.init(400, "predicate", error.message)
      if let span = error.span { range = Self.range(span, in: error.text) }
    case let error as ChangeError: self.init(400, "feature", error.description)
    case let error as StoreError: self.init(error)
    default: self.init(500, "internal", "the request failed")
    }
  }

  private init(_ error: StoreError) {
    switch error.reason {
    case .duplicateKey(let className, let property):
      self.init(
        409, "conflict",
        "collection '\(className)' has a feature with this '\(property)' already")
    case .busy:
      self.init(503, "busy", "another program writes to the store; try again later")
    default: self.init(503, "store", error.description)
    }
  }

  /// Converts a range of Unicode scalars to UTF-16 units.
  private static func range(_ span: TextSpan, in text: String?) -> (offset: Int, length: Int) {
    guard let scalars = text?.unicodeScalars else { return (span.offset, span.count) }
    let units = { (part: Substring.UnicodeScalarView) in String(part).utf16.count }
    let head = scalars.prefix(max(0, span.offset))
    let found = scalars.dropFirst(max(0, span.offset)).prefix(max(0, span.count))
    return (units(head), units(found))
  }

  /// The error as JSON.
  var json: String {
    var inner = JSONObject()
    inner["code"] = .string(code)
    inner["message"] = .string(message)
    if let range {
      inner["offset"] = .integer(range.offset)
      inner["length"] = .integer(range.length)
    }
    return inner.text
  }

  var reply: ServerReply {
    var reply = ServerReply("{\"error\":\(json)}", status: status)
    if let allowedMethods { reply.headers = [("Allow", allowedMethods.joined(separator: ", "))] }
    return reply
  }
}
