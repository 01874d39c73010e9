import CGDAL
import CadastreFormatting
import Foundation

/// The library GDAL, which is loaded at run time where it is installed.
package enum GDALLibrary {
  /// A format of GDAL with vector data.
  package struct Driver: Hashable, Sendable {
    /// The short name, such as `GML`.
    package let name: String
    /// The name for people.
    package let longName: String
    /// The extensions of its files, in lower case; the first is the usual one.
    package let extensions: [String]
    /// Whether files can be read.
    package let isReadable: Bool
    /// Whether files can be written.
    package let isWritable: Bool
  }

  /// The reason why the library cannot be used; nil if it can.
  package static var failure: String? { cadastre_gdal_load().map { String(cString: $0) } }

  /// The version of the library; nil if it is not installed.
  package static var version: String? {
    failure == nil ? String(cString: cadastre_gdal_version()) : nil
  }

  /// The formats that exports do not write: their data sets are folders, or they need options.
  private static let unwritten: Set<String> = ["OpenFileGDB", "FileGDB", "GPSBabel"]

  /// The formats with vector data, in the order of the library; none if it is not installed.
  package static let drivers: [Driver] =
    failure != nil
    ? []
    : (0..<cadastre_gdal_driver_count()).compactMap { index in
      var driver = cadastre_gdal_driver()
      guard cadastre_gdal_driver(index, &driver) != 0, let name = driver.name else { return nil }
      let extensions = driver.extensions.map { String(cString: $0) } ?? ""
      return Driver(
        name: String(cString: name),
        longName: driver.long_name.map { String(cString: $0) } ?? String(cString: name),
        extensions: extensions.lowercased().split(separator: " ").map(String.init),
        isReadable: driver.can_open != 0,
        isWritable: driver.can_create != 0 && !unwritten.contains(String(cString: name)))
    }

  /// Converts a file to another one.
  ///
  /// - Parameters:
  ///   - source: The path of the file.
  ///   - target: The path of the new file.
  ///   - arguments: The arguments of `ogr2ogr`.
  /// - Returns: The warnings of the library, or nil; or the reason why the conversion is not possible.
  static func translate(
    _ source: String, to target: String, _ arguments: [String]
  ) -> Result<String?, ConversionFailure> {
    if let failure { return .failure(ConversionFailure(reason: failure)) }
    var reason = [CChar](repeating: 0, count: 2_048)
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    let status = cadastre_gdal_translate(source, target, &words, &reason, reason.count)
    let text = printable(
      String(decoding: reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    guard status == 0 else { return .failure(ConversionFailure(reason: text)) }
    return .success(text.isEmpty ? nil : text)
  }

  /// The reason why a file cannot be converted.
  struct ConversionFailure: Error {
    let reason: String
  }
}
