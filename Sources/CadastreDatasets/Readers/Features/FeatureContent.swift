/// A feature as the text of GeoJSON.
struct FeatureContent {
  /// The line of the feature, from 1.
  let line: Int
  /// The GeoJSON of the geometry; nil for none.
  var geometry: OutputText?
  private var fields = OutputText()
  private var names: Set<String> = []

  /// Creates a feature without fields.
  init(line: Int) { self.line = line }

  /// Adds a text; an empty one is no value.
  mutating func add(_ name: String, text: String?) {
    guard let text, !text.isEmpty else { return }
    begin(name)
    fields.appendQuoted(text)
  }

  /// Adds a number; a text that is no number is added as text.
  mutating func add(_ name: String, number text: String?) {
    guard let text, !text.isEmpty else { return }
    guard let number = Self.number(text) else { return add(name, text: text) }
    begin(name)
    fields.append(number)
  }

  /// Adds a value given as JSON.
  mutating func add(_ name: String, json: OutputText) {
    begin(name)
    fields.append(json.bytes)
  }

  /// Appends the feature as GeoJSON.
  func append(to text: inout OutputText) {
    text.append("{\"type\":\"Feature\",\"properties\":{")
    text.append(fields.bytes)
    text.append("},\"geometry\":")
    if let geometry { text.append(geometry.bytes) } else { text.append("null") }
    text.append("}")
  }

  /// Appends the name of a field; the second field with a name gets the number 2.
  private mutating func begin(_ name: String) {
    let base = name.isEmpty ? "value" : name
    var candidate = base
    var number = 1
    while !names.insert(candidate).inserted {
      number += 1
      candidate = "\(base)_\(number)"
    }
    if names.count > 1 { fields.append(",") }
    fields.appendQuoted(candidate)
    fields.append(":")
  }

  /// Returns a text as a number of JSON; nil if it is no finite number.
  static func number(_ text: String) -> String? {
    if let integer = Int64(text) { return "\(integer)" }
    guard let number = Double(text), number.isFinite else { return nil }
    return "\(number)"
  }
}
