import CadastreModel

/// A feature as the text of GeoJSON.
struct FeatureContent {
  /// The line of the feature, from 1.
  let line: Int
  /// The GeoJSON of the geometry; nil for none, which an update keeps.
  var geometry: OutputText?
  /// The number of fields; those beyond the properties that a class can have are left out.
  private(set) var fieldCount = 0
  private var fields = OutputText()
  private var names = DistinctNames("_")

  /// Creates a feature without fields.
  init(line: Int) { self.line = line }

  /// Adds a text; an empty one is no value.
  mutating func add(_ name: String, text: String?) {
    guard let text, !text.isEmpty else { return }
    add(name) { $0.appendQuoted(text) }
  }

  /// Adds a number; a text that is no number is added as text.
  mutating func add(_ name: String, number text: String?) {
    guard let text, !text.isEmpty else { return }
    guard let number = Self.number(text) else { return add(name, text: text) }
    add(name) { $0.append(number) }
  }

  /// Adds a value given as JSON.
  mutating func add(_ name: String, json: OutputText) {
    add(name) { $0.append(json.bytes) }
  }

  /// Appends the feature as GeoJSON.
  func append(to text: inout OutputText) {
    text.append("{\"type\":\"Feature\",\"properties\":{")
    text.append(fields.bytes)
    text.append("}")
    if let geometry {
      text.append(",\"geometry\":")
      text.append(geometry.bytes)
    }
    text.append("}")
  }

  /// Adds a field with the value that a closure appends; the second field with a name gets the number 2.
  private mutating func add(_ name: String, _ appendValue: (inout OutputText) -> Void) {
    fieldCount += 1
    guard fieldCount <= SchemaRules.maximumColumns else { return }
    if fieldCount > 1 { fields.append(",") }
    fields.appendQuoted(names.add(name.isEmpty ? "value" : name))
    fields.append(":")
    appendValue(&fields)
  }

  /// Returns a text as a number of JSON; nil if it is no finite number.
  static func number(_ text: String) -> String? {
    if let integer = Int64(text) { return "\(integer)" }
    guard let number = Double(text), number.isFinite else { return nil }
    return "\(number)"
  }
}
