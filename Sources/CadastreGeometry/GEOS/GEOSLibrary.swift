import CGEOS

/// The GEOS that this process uses.
package enum GEOSLibrary {
  /// The version, such as `3.11.1`.
  package static var version: String {
    String(cString: GEOSversion()).split(separator: "-").first.map(String.init) ?? ""
  }
}
