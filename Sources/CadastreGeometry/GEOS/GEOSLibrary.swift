import CGEOS

/// The GEOS library that this process has loaded.
package enum GEOSLibrary {
  /// The version, for example `3.11.1`.
  package static var version: String {
    String(cString: GEOSversion()).split(separator: "-").first.map(String.init) ?? ""
  }
}
