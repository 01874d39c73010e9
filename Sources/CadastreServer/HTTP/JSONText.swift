import CadastreDatasets
import CadastreModel

/// A value of a JSON text.
indirect enum JSONItem {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case list([JSONItem])
  case object(JSONObject)
  /// JSON text.
  case raw(String)

  /// Creates a string, or null for nil.
  init(_ text: String?) { self = text.map(JSONItem.string) ?? .null }

  /// Creates a number, or null for nil and numbers that are not finite.
  init(_ number: Double?) {
    self = number.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
  }

  /// Creates a list of strings.
  init(_ texts: [String]) { self = .list(texts.map(JSONItem.string)) }

  /// The text.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .number(let value):
      value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : value.description
    case .string(let value): JSONObject.quoted(value)
    case .list(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
    case .object(let object): object.text
    case .raw(let text): text
    }
  }
}

/// A JSON object with ordered members.
struct JSONObject: ExpressibleByDictionaryLiteral {
  private var members: [(name: String, item: JSONItem)]

  init(dictionaryLiteral elements: (String, JSONItem)...) { members = elements }

  subscript(name: String) -> JSONItem? {
    get { members.first { $0.name == name }?.item }
    set {
      members.removeAll { $0.name == name }
      if let newValue { members.append((name, newValue)) }
    }
  }

  /// The members, in order.
  var all: [(name: String, item: JSONItem)] { members }

  /// The text.
  var text: String {
    "{" + members.map { "\(Self.quoted($0.name)):\($0.item.text)" }.joined(separator: ",")
      + "}"
  }

  /// Returns a text as a JSON string.
  static func quoted(_ text: String) -> String { FieldText.json(.value(.string(text))) }
}

/// The HTML representation of a JSON object.
enum DataPage {
  /// Returns the text of a page.
  static func text(_ title: String, _ object: JSONObject) -> String {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><title>\(escaped(title))</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <style>body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
    dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem}dt{font-weight:600}dd{margin:0}
    ul{padding-left:1.2rem;margin:0}</style></head>
    <body><p><a href="/">Explorer</a> · <a href="/collections?f=html">Collections</a></p>
    <h1>\(escaped(title))</h1>
    \(html(.object(object)))
    </body></html>
    """
  }

  private static func html(_ item: JSONItem) -> String {
    switch item {
    case .object(let object):
      if case .string(let address)? = object["href"] {
        let title = if case .string(let text)? = object["title"] { text } else { address }
        let relation =
          if case .string(let text)? = object["rel"] { " (\(escaped(text)))" } else { "" }
        return "<a href=\"\(escaped(address))\">\(escaped(title))</a>\(relation)"
      }
      let members = object.all.map { "<dt>\(escaped($0.name))</dt><dd>\(html($0.item))</dd>" }
      return "<dl>\(members.joined())</dl>"
    case .list(let items):
      return "<ul>\(items.map { "<li>\(html($0))</li>" }.joined())</ul>"
    case .string(let text): return escaped(text)
    default: return escaped(item.text)
    }
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
