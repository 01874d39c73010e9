import Foundation
import Testing

/// Encoders and decoders with each of their strategies.
struct Coders: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let encoder: @Sendable () -> JSONEncoder
  let decoder: @Sendable () -> JSONDecoder

  private init(
    _ name: String, _ encoding: @escaping @Sendable (JSONEncoder) -> Void,
    _ decoding: @escaping @Sendable (JSONDecoder) -> Void
  ) {
    testDescription = name
    encoder = {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      encoding(encoder)
      return encoder
    }
    decoder = {
      let decoder = JSONDecoder()
      decoding(decoder)
      return decoder
    }
  }

  static let all: [Coders] = [
    Coders("default", { _ in }, { _ in }),
    Coders(
      "seconds", { $0.dateEncodingStrategy = .secondsSince1970 },
      { $0.dateDecodingStrategy = .secondsSince1970 }),
    Coders(
      "milliseconds", { $0.dateEncodingStrategy = .millisecondsSince1970 },
      { $0.dateDecodingStrategy = .millisecondsSince1970 }),
    iso8601,
    Coders(
      "formatted dates", { $0.dateEncodingStrategy = .formatted(formatter()) },
      { $0.dateDecodingStrategy = .formatted(formatter()) }),
    Coders(
      "custom dates",
      {
        $0.dateEncodingStrategy = .custom { date, encoder in
          try "@\(Int(date.timeIntervalSince1970))".encode(to: encoder)
        }
      },
      {
        $0.dateDecodingStrategy = .custom { decoder in
          let text = try String(from: decoder)
          return Date(timeIntervalSince1970: Double(text.dropFirst()) ?? 0)
        }
      }),
    Coders(
      "deferred data", { $0.dataEncodingStrategy = .deferredToData },
      { $0.dataDecodingStrategy = .deferredToData }),
    Coders(
      "custom data",
      {
        $0.dataEncodingStrategy = .custom { data, encoder in
          try data.map { String($0) }.joined(separator: " ").encode(to: encoder)
        }
      },
      {
        $0.dataDecodingStrategy = .custom { decoder in
          Data(try String(from: decoder).split(separator: " ").compactMap { UInt8($0) })
        }
      }),
    Coders(
      "snake case", { $0.keyEncodingStrategy = .convertToSnakeCase },
      { $0.keyDecodingStrategy = .convertFromSnakeCase }),
    Coders(
      "custom keys",
      { $0.keyEncodingStrategy = .custom { Key("x" + ($0.last?.stringValue ?? "")) } },
      { $0.keyDecodingStrategy = .custom { Key(String(($0.last?.stringValue ?? "").dropFirst())) } }
    ),
    Coders(
      "floats as text",
      {
        $0.nonConformingFloatEncodingStrategy = .convertToString(
          positiveInfinity: "+", negativeInfinity: "-", nan: "?")
      },
      {
        $0.nonConformingFloatDecodingStrategy = .convertFromString(
          positiveInfinity: "+", negativeInfinity: "-", nan: "?")
      }),
  ]

  static let iso8601 = Coders(
    "ISO 8601", { $0.dateEncodingStrategy = .iso8601 }, { $0.dateDecodingStrategy = .iso8601 })

  private static func formatter() -> DateFormatter {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd HH:mm:ss"
    return formatter
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }
}
