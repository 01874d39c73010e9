import ArgumentParser
import CadastreDatasets

/// The options of an import that apply to text tables.
struct TableOptions: ParsableArguments {
  @Flag(
    inversion: .prefixedNo,
    help: "Whether the first line of a table names its columns; by default detected.")
  var header: Bool?

  @Flag(help: "Numbers of a table have a decimal comma: 48,85 or 1.488,2.")
  var decimalComma = false

  @Option(
    help: ArgumentHelp(
      "The encoding of a table, such as latin1 or windows-1252; UTF-8 and UTF-16 are detected.",
      valueName: "NAME"))
  var encoding: String?

  @Option(
    help: ArgumentHelp(
      "The delimiter of a table: a character, or tab; by default detected.", valueName: "C"))
  var delimiter: String?

  @Option(help: ArgumentHelp("The quote of a table: a character, or none.", valueName: "C"))
  var quote: String?

  @Option(
    help: ArgumentHelp("The number of lines of a table before its header.", valueName: "N"))
  var skipLines = 0

  @Option(help: ArgumentHelp("Ignore lines of a table that begin with this.", valueName: "C"))
  var comment: String?

  @Flag(help: "Lines of a table may have fewer fields than the header: the missing ones are null.")
  var padRows = false

  @Option(
    name: .customLong("rename"),
    help: ArgumentHelp("Rename a column of a table (repeatable).", valueName: "old=new"))
  var renames: [String] = []

  @Option(
    help: ArgumentHelp(
      "The form of dates in a table; by default ISO 8601.", valueName: "'%d.%m.%Y %H:%M'"))
  var dateFormat: String?

  func validate() throws {
    guard skipLines >= 0 else { throw ValidationError("--skip-lines must not be negative") }
  }

  /// The settings that the options give.
  var settings: TableSettings {
    var settings = TableSettings()
    settings.hasHeader = header
    settings.hasDecimalComma = decimalComma
    settings.encoding = encoding
    settings.delimiter = delimiter
    settings.quote = quote
    settings.skippedLines = skipLines
    settings.comment = comment
    settings.padsRows = padRows
    settings.renames = renames
    settings.dateFormat = dateFormat
    return settings
  }
}
