import CZlib
import CZstd

/// The versions of the compression libraries.
package enum CompressionLibraries {
  /// The version of zlib: `1.2.13`.
  package static var zlibVersion: String { String(cString: CZlib.zlibVersion()) }
  /// The version of zstd: `1.5.4`.
  package static var zstdVersion: String { String(cString: ZSTD_versionString()) }
}
