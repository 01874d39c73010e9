import CadastreModel

/// The structure of JSON objects for a list of columns: fields of embedded objects are members of
/// nested objects.
struct JSONShape {
  private indirect enum Member {
    case value(OutputColumn)
    case object(PropertyPath, JSONShape)
  }

  private var members: [(name: String, head: [UInt8], member: Member)] = []

  /// Creates the structure for columns, in their order.
  init(_ columns: [OutputColumn]) { self.init(columns[...], depth: 0) }

  private init(_ columns: ArraySlice<OutputColumn>, depth: Int) {
    var rest = columns
    while let first = rest.first {
      let name = first.memberNames[depth]
      guard first.memberNames.count > depth + 1 else {
        rest.removeFirst()
        add(name, .value(first))
        continue
      }
      // Consecutive columns with a common path prefix become one object.
      let run = rest.prefix {
        $0.memberNames.count > depth + 1 && $0.memberNames[depth] == name
      }
      rest = rest.dropFirst(run.count)
      add(
        name,
        .object(
          PropertyPath(Array(first.path.names[...depth])), JSONShape(run, depth: depth + 1)))
    }
  }

  private mutating func add(_ name: String, _ member: Member) {
    var head = OutputText()
    head.appendQuoted(name)
    head.append(":" as Unicode.Scalar)
    members.append((name, head.bytes, member))
  }

  /// Appends an object with the values of a record.
  func append(_ record: StoredRecord, to text: inout OutputText) {
    text.appendList(members, ("{", "}")) { text, entry in
      text.append(entry.head)
      switch entry.member {
      case .value(let column): text.appendJSON(record.written(column))
      case .object(let path, let shape):
        if case .value(.null) = record.content(path) {
          text.append("null")
        } else {
          shape.append(record, to: &text)
        }
      }
    }
  }
}

/// A writer of objects as JSON: an array, or a line for each object.
private struct JSONText: RecordText {
  private let shape: JSONShape
  private let isArray: Bool
  private var isEmpty = true

  init(_ columns: [OutputColumn], isArray: Bool) {
    shape = JSONShape(columns)
    self.isArray = isArray
  }

  func appendHeader(to text: inout OutputText) {
    if isArray { text.append("[") }
  }

  mutating func append(_ record: StoredRecord, to text: inout OutputText) {
    if isArray { text.append(isEmpty ? "\n" : ",\n") }
    isEmpty = false
    shape.append(record, to: &text)
    if !isArray { text.append("\n" as Unicode.Scalar) }
  }

  func appendEnd(to text: inout OutputText) {
    if isArray { text.append(isEmpty ? "]\n" : "\n]\n") }
  }
}

extension RecordWriter.Format {
  /// An array of JSON objects.
  package static let json = Self(name: "json") { columns, _ in JSONText(columns, isArray: true) }

  /// A JSON object in each line.
  package static let ndjson = Self(name: "ndjson") { columns, _ in
    JSONText(columns, isArray: false)
  }
}
