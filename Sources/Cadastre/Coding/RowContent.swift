import CadastreModel
import CadastreStore
import Foundation

/// The content from which a member of a row is decoded.
enum RowContent {
  /// A single value, or null.
  case value(Value)
  /// A value of an SQL query in SQLite's storage form, or null.
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

  /// A description of the content for messages: `string`, `an object`.
  var kindName: String {
    switch self {
    case .value(let value), .stored(let value): value.type?.description ?? "null"
    case .record: "an object"
    case .elements: "a list or set"
    case .entries: "a map"
    }
  }
}

/// A record of contents by name: an object, or a row of a result.
protocol RowRecord {
  /// The names of the members.
  var names: [String] { get }
  /// Whether an unknown name is an error, also for an optional member.
  var hasFixedNames: Bool { get }
  /// A description of the record for messages: `class 'Airport'`.
  var kindName: String { get }
  /// Returns the content of a member; nil if there is no member with the name.
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

extension RowContent {
  /// Decodes a value of any type.
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - path: The coding path of the content, evaluated only for errors and containers.
  /// - Returns: The value.
  /// - Throws: `DecodingError`.
  func decoded<Result: Decodable>(
    _ type: Result.Type, at path: () -> [any CodingKey]
  ) throws -> Result {
    // Common types first, because a dynamic conformance check costs more than their conversion.
    if type == Int.self, let result = try scalar(Int.self, path) as? Result { return result }
    if type == String.self, let result = try scalar(String.self, path) as? Result { return result }
    if type == Double.self, let result = try scalar(Double.self, path) as? Result { return result }
    if let scalarType = type as? any ScalarPersistable.Type {
      if let result = try scalar(scalarType, path) as? Result { return result }
    } else if let integerType = type as? any FixedWidthInteger.Type {
      if let result = try integer(integerType, path) as? Result { return result }
    } else if let mappedType = type as? any FailableCustomPersistable.Type, !isNull {
      if let result = try mapped(mappedType, path) as? Result { return result }
    } else if type == URL.self {
      let text = try scalar(String.self, path)
      if let result = URL(string: text) as? Result { return result }
      throw corrupted(path, "the text is no URL")
    }
    return try Result(from: RowDecoder(content: self, codingPath: path()))
  }

  /// Decodes a value of a property type.
  private func scalar<Result: ScalarPersistable>(
    _ type: Result.Type, _ path: () -> [any CodingKey]
  ) throws -> Result {
    let value: Value
    switch self {
    case .value(let found): value = found
    case .stored(let found):
      guard let typed = found.stored(as: type.propertyType) else { throw mismatch(type, path) }
      value = typed
    case .record, .elements, .entries: throw mismatch(type, path)
    }
    if let result = Result(storedValue: value) { return result }
    guard !value.isNull else { throw notFound(type, path) }
    guard value.type == type.propertyType else { throw mismatch(type, path) }
    throw corrupted(path, "the \(kindName) has no value of '\(type)'")
  }

  /// Decodes an integer type that is not a property type.
  private func integer<Result: FixedWidthInteger>(
    _ type: Result.Type, _ path: () -> [any CodingKey]
  ) throws -> Result {
    if let result = Result(exactly: try scalar(Int64.self, path)) { return result }
    throw corrupted(path, "the number does not fit '\(type)'")
  }

  /// Decodes a mapped value; returns nil if the stored type is an embedded class.
  private func mapped<Result: FailableCustomPersistable>(
    _ type: Result.Type, _ path: () -> [any CodingKey]
  ) throws -> Result? {
    guard let storedType = Result.PersistedType.self as? any ScalarPersistable.Type else {
      return nil
    }
    let stored = try scalar(storedType, path) as? Result.PersistedType
    if let result = stored.flatMap(Result.init(persistedValue:)) { return result }
    throw corrupted(path, "the \(kindName) has no value of '\(type)'")
  }

  // MARK: Errors

  func notFound(_ type: Any.Type, _ path: () -> [any CodingKey]) -> DecodingError {
    let path = path()
    return .valueNotFound(
      type,
      DecodingError.Context(
        codingPath: path,
        debugDescription:
          "\(path.inWords): found null, expected '\(type)': make the member optional"))
  }

  func mismatch(_ type: Any.Type, _ path: () -> [any CodingKey]) -> DecodingError {
    if isNull { return notFound(type, path) }
    let path = path()
    return .typeMismatch(
      type,
      DecodingError.Context(
        codingPath: path,
        debugDescription: "\(path.inWords): found \(kindName), expected '\(type)'"))
  }

  private func corrupted(_ path: () -> [any CodingKey], _ reason: String) -> DecodingError {
    let path = path()
    return .dataCorrupted(
      DecodingError.Context(codingPath: path, debugDescription: "\(path.inWords): \(reason)"))
  }
}
