import Foundation

/// Links to pages of the server.
struct Links {
  private let origin: String

  init(_ origin: String) { self.origin = origin }

  /// A segment of a path, or a value of a parameter, with percent encoding.
  static func encoded(_ text: String) -> String {
    let plain = CharacterSet(
      charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: plain) ?? ""
  }

  /// The address of a page.
  func address(_ path: String) -> String { "\(origin)/\(path)" }

  func link(_ relation: String, _ path: String, _ type: String, _ title: String) -> JSONItem {
    let link: JSONObject = [
      "rel": .string(relation), "type": .string(type), "title": .string(title),
      "href": .string(address(path)),
    ]
    return .object(link)
  }

  func template(_ relation: String, _ path: String, _ type: String, _ title: String) -> JSONItem {
    let link: JSONObject = [
      "rel": .string(relation), "type": .string(type), "title": .string(title),
      "href": .string(address(path)), "templated": .bool(true),
    ]
    return .object(link)
  }
}
