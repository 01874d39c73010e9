import ArgumentParser
import CadastreModel
import Foundation

/// The output format of reports about a store.
enum ReportFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json

  /// Prints a report as JSON with its members sorted by name.
  func write(_ report: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    try Terminal.write(Array(try encoder.encode(report)) + [UInt8(ascii: "\n")])
  }
}

/// The JSON form of a class.
struct ClassReport: Encodable {
  private struct Field: Encodable {
    let name: String
    let type: String
    let optional: Bool
    let primaryKey: Bool
    let indexed: Bool
    let fullText: Bool
  }

  private let name: String
  private let embedded: Bool
  private let properties: [Field]

  init(_ schema: ObjectSchema) {
    name = schema.className
    embedded = schema.isEmbedded
    properties = (schema.properties + schema.computedProperties).map {
      Field(
        name: $0.name, type: $0.typeDescription, optional: $0.isOptional,
        primaryKey: $0.isPrimaryKey, indexed: $0.isIndexed, fullText: $0.isFullTextIndexed)
    }
  }
}
