import ArgumentParser
import CadastreDatasets
import CadastreModel
import CadastreQuery
import CadastreRealmFile
import CadastreStore
import Foundation

/// The option of all subcommands that write a file.
struct OverwriteOption: ParsableArguments {
  @Flag(
    name: [.customLong("overwrite"), .customLong("force")],
    help: "Replace any existing file, except for inputs and stores.")
  var overwrite = false

  /// Returns the rules for an output.
  ///
  /// - Parameters:
  ///   - isEarlierOutput: Returns whether the first bytes of a file identify an earlier output of
  ///     the same kind, which is replaced without the option.
  ///   - inputs: The files that the command reads.
  ///   - store: The store that the command reads or writes.
  /// - Returns: The rules.
  func rules(
    replacing isEarlierOutput: (([UInt8]) -> Bool)? = nil, inputs: [String] = [], store: String
  ) -> OutputRules {
    let replacement: OutputRules.Replacement =
      overwrite ? .all : isEarlierOutput.map { .earlier(isOutput: $0) } ?? .none
    return OutputRules(replacing: replacement, inputs: inputs, stores: [store])
  }
}

/// The option of all subcommands that store columns.
struct ColumnStorageOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The classes whose columns are stored beside the rows: those with 100,000 objects, all, or none.",
      valueName: "automatic|always|never"))
  var storeColumns = Classes.automatic

  enum Classes: String, CaseIterable, ExpressibleByArgument {
    case automatic, always, never
  }

  /// The classes whose columns are stored.
  var storage: ColumnStorage {
    switch storeColumns {
    case .automatic: .automatic
    case .always: .always
    case .never: .never
    }
  }
}

/// The option of all subcommands that write CSV.
struct FormulaOption: ParsableArguments {
  @Flag(
    help: "In CSV, write an apostrophe before texts that a spreadsheet would run as formulas.")
  var guardFormulas = false

  /// Throws a usage error if the option is used with a format other than CSV.
  func check(isCSV: Bool) throws {
    guard !guardFormulas || isCSV else {
      throw ValidationError("--guard-formulas needs the format csv")
    }
  }
}

/// The option of all subcommands that read Realm files.
struct RealmKeyOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The key of an encrypted Realm file: 64 bytes, or 128 hexadecimal digits.",
      valueName: "FILE"), completion: .file())
  var keyFile: String?

  /// Opens a Realm file; returns nil if the path is not a Realm file.
  ///
  /// - Throws: `RealmFileError`, or an error in reading the key file.
  func file(_ path: String) throws -> RealmFile? {
    guard keyFile != nil || RealmFile.isRealmFile(path) || path.hasSuffix(".realm") else {
      return nil
    }
    return try RealmFile(path: path, key: keyFile.map(Self.key))
  }

  /// Returns the key in a file, as bytes or as hexadecimal digits.
  ///
  /// Reads at most 256 bytes, too many for a key, so that a longer file is refused as a key.
  private static func key(_ path: String) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    defer { try? file.close() }
    let bytes = [UInt8](try file.read(upToCount: 256) ?? Data())
    let digits = String(decoding: bytes, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard digits.utf8.count == 128 else { return bytes }
    let pairs = stride(from: 0, to: 128, by: 2).map { start in
      UInt8(
        String(decoding: Array(digits.utf8)[start..<(start + 2)], as: UTF8.self), radix: 16)
    }
    return pairs.contains(nil) ? bytes : pairs.compactMap { $0 }
  }
}

/// The output formats of tables of values.
enum TableOutputFormat: String, ExpressibleByArgument, CaseIterable {
  case table, json, ndjson, csv

  var records: RecordWriter.Format {
    switch self {
    case .table: .table
    case .json: .json
    case .ndjson: .ndjson
    case .csv: .csv
    }
  }
}

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

/// Shell completions for the names of classes and fields.
enum StoreCompletion {
  /// Returns the names of the top-level classes of the store on the command line.
  @Sendable static func classNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    schema(words)?.objectSchema.filter { !$0.isEmbedded }.map(\.className) ?? []
  }

  /// Returns the fields of the class on the command line; fields of embedded objects are key paths.
  @Sendable static func fieldNames(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
    guard let schema = schema(words),
      let root = words.lazy.compactMap({ schema[$0] }).first(where: { !$0.isEmbedded })
    else { return [] }
    return fields(root, schema, prefix: "")
  }

  private static func fields(_ owner: ObjectSchema, _ schema: Schema, prefix: String) -> [String] {
    owner.properties.flatMap { property -> [String] in
      guard schema.isInline(property), let target = schema.target(of: property),
        !target.isPointShaped
      else { return [prefix + property.name] }
      return fields(target, schema, prefix: "\(prefix)\(property.name).")
    }
  }

  private static func schema(_ words: [String]) -> Schema? {
    for word in words.dropFirst() where FileManager.default.isReadableFile(atPath: word) {
      if let schema = try? StoreAdministration(reading: word).schema() { return schema }
    }
    return nil
  }
}
