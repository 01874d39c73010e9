/// The dumps of GeoNames: tab-separated tables without header and quotes.
///
/// Source: the readme file of the dumps, download.geonames.org/export/dump.
enum GeoNames {
  /// The columns of the main table.
  static let columns = [
    "geonameid", "name", "asciiname", "alternatenames", "latitude", "longitude", "feature_class",
    "feature_code", "country_code", "cc2", "admin1_code", "admin2_code", "admin3_code",
    "admin4_code", "population", "elevation", "dem", "timezone", "modification_date",
  ]

  /// The columns that are always text, because codes look like numbers in some countries.
  static let codes = ["admin1_code", "admin2_code", "admin3_code", "admin4_code", "cc2"]

  /// The syntax of the table.
  static var options: CSVOptions {
    var options = CSVOptions()
    options.delimiter = UInt8(ascii: "\t")
    options.quote = nil
    options.columns = columns
    return options
  }

  /// Returns whether a file begins with a line of such a dump.
  static func isDump(_ content: [UInt8]) -> Bool {
    let line = content.prefix { $0 != UInt8(ascii: "\n") }
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard fields.count == columns.count else { return false }
    return [0, 4, 5].allSatisfy { index in
      Array(fields[index]).withUnsafeBufferPointer { FieldParsing.double($0) != nil }
    }
  }
}
