/// The decision about a request.
public enum Access: Sendable {
  /// The request is answered.
  case allowed
  /// The request is refused with the status 401 and a reason that the client sees.
  case denied(reason: String)
}

/// Decides about a request by its header fields, whose names are in lower case.
public typealias Authentication = @Sendable (_ headers: [String: String]) async -> Access
