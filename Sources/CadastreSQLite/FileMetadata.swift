import CSQLite
package import Foundation

/// The device and inode of a file: two paths or descriptors with the same identity refer to one file.
package struct FileIdentity: Hashable, Sendable {
  private let device: dev_t
  private let inode: ino_t

  /// The identity of the file at a path; nil where there is none.
  package init?(path: String) {
    var status = stat()
    // Without the closure the path would be copied, at each write transaction several times.
    guard path.withCString({ stat($0, &status) }) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }

  /// The identity of an open file.
  package init?(descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}

extension FileIdentity: CustomStringConvertible {
  /// The numbers of the device and the inode.
  package var description: String { "\(UInt64(truncatingIfNeeded: device)):\(inode)" }
}

/// The size of a file, and when it was last written.
package struct FileState: Equatable, Sendable {
  package let size: Int
  private let device: dev_t
  private let inode: ino_t
  private let seconds: Int
  private let nanoseconds: Int

  package init(_ status: stat) {
    size = Int(status.st_size)
    (device, inode) = (status.st_dev, status.st_ino)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    (seconds, nanoseconds) = (time.tv_sec, time.tv_nsec)
  }
}

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
