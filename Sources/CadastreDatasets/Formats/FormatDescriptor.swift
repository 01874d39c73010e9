import CadastreFormatting

/// A file format: its name, the recognition of its files, its reader and its writer.
///
/// Each format is described once, beside its reader, and listed in ``all``. The formats and
/// extensions in the help of the command line, the recognition of files and the errors that list
/// formats come from the descriptors.
package struct FormatDescriptor: Sendable {
  /// The name on the command line.
  package var name: String
  /// The name in the help of the command line.
  package var help: String
  /// The noun for a file of the format in messages.
  var noun: String
  /// The extensions of file names, in lower case; the first is the usual one.
  package var extensions: [String] = []
  /// The extension of a zip archive that contains a file of the format.
  var archiveExtension: String?
  /// Returns whether a file with these first bytes has the format; nil for text without a signature.
  var signature: (@Sendable ([UInt8]) -> Bool)?
  /// The options of an import that apply to only some formats, among them this one.
  var options: Set<ImportOption> = []
  /// Whether the reader needs random access, so that a pipe is copied to its end first.
  var needsRandomAccess = false
  /// Whether gzipped files can be read.
  package var isReadGzipped = true
  /// Creates the reader of all files of an import.
  var reader: @Sendable (ImportSettings, [InputFile]) throws -> any Dataset
  /// The writer; nil for a format that is only read.
  var writer: FormatWriter?
  /// Whether files can be written.
  package var isWritable: Bool { writer != nil }

  /// All formats, in the order of the help.
  package static let all: [FormatDescriptor] = [
    .csv,
    .tsv,
    .geojson,
    .geojsonseq,
    .gpkg,
    .shp,
    .geonames,
    .parquet,
    .fgb,
    .kml,
    .gpx,
    .topojson,
    .gdal,
  ]

  /// The formats that can be written.
  package static var writable: [FormatDescriptor] { all.filter { $0.writer != nil } }

  /// Returns the format with a name; nil if there is none.
  ///
  /// - Parameter name: A name of ``all``, or of a driver of GDAL in any letter case.
  /// - Returns: The format.
  package static func named(_ name: String) -> FormatDescriptor? {
    all.first { $0.name == name.lowercased() } ?? gdal(named: name)
  }
}

extension FormatDescriptor: Hashable {
  /// Returns whether two descriptors have the same name.
  package static func == (left: FormatDescriptor, right: FormatDescriptor) -> Bool {
    left.name == right.name
  }

  /// Hashes the name.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// An option of an import that applies to only some formats.
enum ImportOption: Hashable, Sendable {
  /// The options of text tables, see ``TableSettings``.
  case table
  /// The reference system, `--crs`.
  case referenceSystem
  /// The path of the records, `--records`.
  case records
  /// The layer of a file with several, `--layer`.
  case layer

  /// Throws an error if a format does not have the option.
  ///
  /// - Parameters:
  ///   - name: The option as on the command line.
  ///   - format: The format of the files.
  /// - Throws: ``ImportError`` with the formats that have the option.
  func check(_ name: String, _ format: FormatDescriptor) throws(ImportError) {
    guard !format.options.contains(self) else { return }
    var formats: [String] = []
    for format in FormatDescriptor.all
    where format.options.contains(self) && !formats.contains(format.noun + "s") {
      formats.append(format.noun + "s")
    }
    throw ImportError(
      "\(name) applies to \(enumerated(formats, "and")), and the files are \(format.name)")
  }
}

/// The writer of a format.
enum FormatWriter: Sendable {
  /// A writer of text, object by object.
  case text(RecordWriter.Format)
  /// A writer of bytes in order, which returns the number of objects.
  case bytes(@Sendable (ObjectExport, @escaping ([UInt8]) throws -> Void) throws -> Int)
  /// A writer with random access to a regular file, which returns the number of objects.
  case file(@Sendable (ObjectExport, OutputFile) throws -> Int)
}

// MARK: - Text for people

extension FormatDescriptor {
  /// The names of all formats: `csv, tsv or kml`.
  package static var names: String { enumerated(all.map(\.name), "or") }

  /// The formats for the help of the import: those that can be gzipped, then all others.
  package static var importHelp: String {
    let gzipped = all.filter(\.isReadGzipped).map(\.help)
    let others = all.filter { !$0.isReadGzipped }.map(\.help)
    return "\(enumerated(gzipped, "and")), all of them also gzipped, "
      + "and \(enumerated(others, "and"))"
  }

  /// Returns the usual extensions of the writable formats: `csv, kml or kmz`.
  ///
  /// - Parameter prefix: The text before each extension.
  /// - Returns: The extensions, in the order of the formats.
  package static func writableExtensions(prefix: String = "") -> String {
    let extensions = writable.flatMap { format in
      [format.extensions.first, format.archiveExtension].compactMap { $0 }
    }
    return enumerated(extensions.map { prefix + $0 }, "or")
  }
}

/// Returns names as an enumeration in a sentence: `a, b and c`.
private func enumerated(_ names: [String], _ conjunction: String) -> String {
  guard let last = names.last, names.count > 1 else { return names.first ?? "" }
  return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
}

// MARK: - Recognition

extension FormatDescriptor {
  /// Returns the formats whose files have the extension of a name; a trailing `.gz` is ignored.
  private static func formats(ofExtensionIn path: String) -> [FormatDescriptor] {
    var name = path.lowercased()[...]
    // An archive of a file geodatabase, which GDAL reads as it is.
    if name.hasSuffix(".gdb.zip") { return [gdal] }
    if name.hasSuffix(".gz") { name = name.dropLast(3) }
    guard let dot = name.lastIndex(of: ".") else { return [] }
    let suffix = String(name[name.index(after: dot)...])
    return all.filter { $0.extensions.contains(suffix) || $0.archiveExtension == suffix }
  }

  /// Returns the format that the extension of a file name denotes; nil for other names.
  package static func named(byFile path: String) -> FormatDescriptor? {
    formats(ofExtensionIn: path).first
  }

  /// Returns the writable format that the extension of a file name denotes; nil for other names.
  package static func writable(byFile path: String) -> FormatDescriptor? {
    formats(ofExtensionIn: path).first { $0.writer != nil }
      ?? path.lowercased().split(separator: ".").dropFirst().last.flatMap {
        gdal(writing: String($0))
      }
  }

  /// Returns the format whose signature matches the first bytes of a file; a text table by default.
  static func recognized(_ content: [UInt8]) -> FormatDescriptor {
    all.first { $0.signature?(content) == true } ?? .csv
  }

  /// Returns the common format of files by their extensions and their first bytes.
  ///
  /// - Parameter files: The files.
  /// - Returns: The format; for tables with different delimiters that of CSV, because the delimiter
  ///   of each file is detected.
  /// - Throws: ``DatasetError`` if a file cannot be read, contains statements of SQL, or is XML or HTML of another kind than
  ///   KML and GPX; ``ImportError`` if the formats differ.
  static func common(of files: [InputFile]) throws -> FormatDescriptor {
    let formats = try files.map(recognized)
    guard let format = formats.first else { throw ImportError("there is no file to import") }
    if formats.allSatisfy({ $0.signature == nil }) { return .csv }
    if let other = formats.firstIndex(where: { $0 != format }) {
      throw ImportError(
        "\(printable(files[0].name)) is \(format.name) and \(printable(files[other].name)) is "
          + "\(formats[other].name); expected files of one format, or --format")
    }
    return format
  }

  /// Returns the format of a file.
  private static func recognized(_ file: InputFile) throws -> FormatDescriptor {
    let named = formats(ofExtensionIn: file.name)
    if named.count == 1, named[0].signature != nil { return named[0] }
    let content = try file.firstBytes()
    // Formats that share an extension are told apart by their signatures.
    let format =
      named.first { $0.signature?(content) == true } ?? named.first ?? recognized(content)
    if format.signature == nil, let root = rootElement(content) {
      throw DatasetError(path: file.name, problem: .markup(root: root))
    }
    if format.signature == nil, beginsWithStatement(content) {
      throw DatasetError(path: file.name, problem: .statements)
    }
    return format
  }

  /// Returns whether a byte is a blank, a line end or part of a byte order mark.
  static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte) || byte == 0xEF || byte == 0xBB || byte == 0xBF
  }

  /// Returns whether a text begins with a statement of SQL, after comments.
  private static func beginsWithStatement(_ content: [UInt8]) -> Bool {
    var text = String(decoding: content, as: UTF8.self)[...]
    if text.first == "\u{FEFF}" { text = text.dropFirst() }
    let comment = /\s*(--[^\n]*\n|\/\*.*?\*\/;?)/.dotMatchesNewlines()
      .matchingSemantics(.unicodeScalar)
    while let match = text.prefixMatch(of: comment) { text = text[match.range.upperBound...] }
    // Words alone may be the header of a table.
    let statements = [
      /\s*(?:BEGIN|START)(?:\s+TRANSACTION)?\s*;/, /\s*PRAGMA\s+\w+\s*=\s*\w+\s*;/,
      /\s*SET\s+[\w.]+\s*(?:=|\sTO\s)[^\n;]*;/, /\s*USE\s+\S+\s*;/, /\s*DROP\s+[A-Z]+\s[^;\n]*;/,
      /\s*CREATE\s+(?:\w+\s+)*TABLE\s[^,;(]*\(/,
      /\s*CREATE\s+(?:\w+\s+)*(?:VIEW|INDEX|DATABASE|SCHEMA|SEQUENCE|EXTENSION)\s[^,\n]*;/,
      /\s*INSERT\s+INTO\s[^,;(]*(?:\(|\sVALUES|\sSELECT)/,
    ]
    return statements.contains {
      text.prefixMatch(of: $0.ignoresCase().matchingSemantics(.unicodeScalar)) != nil
    }
  }

  /// Returns the root element of XML or HTML; nil for other content.
  ///
  /// - Parameter content: The first bytes of a file.
  /// - Returns: The name of the element, `unknown` if it is not among the first bytes.
  private static func rootElement(_ content: [UInt8]) -> String? {
    var text = String(decoding: content, as: UTF8.self)[...]
    if text.first == "\u{FEFF}" { text = text.dropFirst() }
    var isDeclared = false
    // Declarations and comments precede the root element.
    while let match = text.prefixMatch(of: /\s*<(\?xml|\?|!--|!doctype)/.ignoresCase()) {
      isDeclared = true
      let isComment = match.1 == "!--"
      guard let end = text[match.range.upperBound...].firstRange(of: isComment ? "-->" : ">") else {
        return "unknown"
      }
      text = text[end.upperBound...]
    }
    guard let root = text.prefixMatch(of: /\s*<([A-Za-z_][\w.:-]*)(?:\s[^<>]*)?\/?>\s*/) else {
      return isDeclared ? "unknown" : nil
    }
    // `<a>,<b>` is the header of a table.
    let next = text[root.range.upperBound...].first
    return isDeclared || next == nil || next == "<" ? String(root.1) : nil
  }

  /// Returns whether an XML file begins with an element, which is searched in its first 4,096 bytes.
  static func isXML(_ content: [UInt8], withElement name: String) -> Bool {
    let start = content.prefix(4096)
    guard start.first(where: { !isBlank($0) }) == UInt8(ascii: "<") else { return false }
    return String(decoding: start, as: UTF8.self).contains("<" + name)
  }
}

// MARK: - Names of written files

extension FormatDescriptor {
  /// The format of text; nil for binary formats.
  package var text: RecordWriter.Format? {
    if case .text(let format) = writer { format } else { nil }
  }

  /// Returns the compression of a file by its name.
  package static func compression(path: String) -> OutputFile.Compression {
    let name = path.lowercased()
    return name.hasSuffix(".gz") ? .gzip : name.hasSuffix(".kmz") ? .kmz : .none
  }

  /// Returns why a file of the format cannot have a name; nil if it can.
  ///
  /// - Parameter path: The path of the file; `-` is standard output.
  /// - Returns: The reason, as a sentence without its full stop.
  package func objection(to path: String) -> String? {
    let name = path.lowercased()
    let archived = Self.all.first { format in
      format.archiveExtension.map { name.hasSuffix(".\($0)") } ?? false
    }
    if let archived, archived != self, let suffix = archived.archiveExtension {
      return "a .\(suffix) file contains \(archived.help)"
    }
    switch writer {
    case .bytes where name.hasSuffix(".gz"):
      return "a \(noun) cannot be compressed; its pages are"
    case .file where path == "-" || name.hasSuffix(".gz"):
      return "a \(noun) cannot be compressed or written to standard output"
    case .text, .bytes, .file, nil: return nil
    }
  }
}
