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
  /// Text that is JSON already.
  case raw(String)

  /// A string, or null.
  init(_ text: String?) { self = text.map(JSONItem.string) ?? .null }

  /// A number, or null where it is none or not finite.
  init(_ number: Double?) {
    self = number.flatMap { $0.isFinite ? .number($0) : nil } ?? .null
  }

  /// A list of strings.
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

/// An object of a JSON text, whose members keep their order.
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

  /// The members in their order.
  var all: [(name: String, item: JSONItem)] { members }

  /// The text.
  var text: String {
    "{" + members.map { "\(Self.quoted($0.name)):\($0.item.text)" }.joined(separator: ",")
      + "}"
  }

  /// A JSON string.
  static func quoted(_ text: String) -> String { FieldText.json(.value(.string(text))) }
}
