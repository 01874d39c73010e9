import CSQLite

/// An extended attribute of a file: text that belongs to the file and not to its name.
///
/// A file that is moved keeps it, and a new file does not have it. Not every file system has attributes.
package struct FileAttribute: Sendable {
  private let name: String

  /// Names an attribute.
  package init(_ name: String) {
    #if os(Linux)
      self.name = "user." + name
    #else
      self.name = name
    #endif
  }

  /// The attribute of a file; nil where the file has none.
  package subscript(path: String) -> String? {
    withUnsafeTemporaryAllocation(byteCount: Self.maximumBytes, alignment: 1) { bytes in
      let count = cadastre_get_attribute(path, name, bytes.baseAddress, bytes.count)
      guard count >= 0 else { return nil }
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }

  /// Sets the attribute of a file.
  ///
  /// - Returns: Whether it was set; the file system or a permission may prevent it.
  @discardableResult
  package func set(_ text: String, of path: String) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      bytes.count <= Self.maximumBytes
        && cadastre_set_attribute(path, name, bytes.baseAddress, bytes.count) == 0
    }
  }

  private static let maximumBytes = 8192
}
