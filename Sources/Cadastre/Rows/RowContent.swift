import CadastreModel

/// The content that a member of a row is decoded from.
enum RowContent {
  /// A single value, or null.
  case value(Value)
  /// A value of an SQL query in the form in which SQLite stores it, or null.
  case stored(Value)
  /// An object, or a row of a result.
  case record(any RowRecord)
  /// The elements of a list or a set.
  case elements([RowContent])
  /// The keys and values of a map.
  case entries([(key: String, content: RowContent)])

  /// No value.
  static var null: RowContent { .value(.null) }

  var isNull: Bool {
    switch self {
    case .value(let value), .stored(let value): value.isNull
    case .record, .elements, .entries: false
    }
  }

  /// The content in words, for messages: `string`, `an object`.
  var kindName: String {
    switch self {
    case .value(let value), .stored(let value): value.type?.description ?? "null"
    case .record: "an object"
    case .elements: "a list or set"
    case .entries: "a map"
    }
  }
}

/// A source of contents by name: an object, or a row of a result.
protocol RowRecord {
  /// The names of the members.
  var names: [String] { get }
  /// Whether a name that is not among the names is an error, also for an optional member.
  var hasFixedNames: Bool { get }
  /// The source of the names in words, for messages: `class 'Airport'`.
  var kindName: String { get }
  /// Returns the content of a member; nil where there is no member with the name.
  func content(of name: String) -> RowContent?
}

/// The entries of a map as members.
struct EntriesRecord: RowRecord {
  let entries: [(key: String, content: RowContent)]

  var names: [String] { entries.map(\.key) }
  var hasFixedNames: Bool { false }
  var kindName: String { "the map" }

  func content(of name: String) -> RowContent? {
    entries.first { $0.key.utf8.elementsEqual(name.utf8) }?.content
  }
}

extension RowContent {
  /// The content of a stored value, in which links of mixed values are resolved.
  init(_ value: Value, in core: RealmCore?) {
    switch value {
    case .list(let values): self = .elements(values.map { RowContent($0, in: core) })
    case .map(let map):
      self = .entries(map.entries.map { (key: $0.key, content: RowContent($0.value, in: core)) })
    case .object(let address):
      self = core?.object(at: address).map { .record(ObjectRecord($0)) } ?? .null
    default: self = .value(value)
    }
  }
}
