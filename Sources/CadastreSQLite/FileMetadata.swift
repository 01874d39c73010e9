import CFileSystem
package import Foundation

/// The device and inode of a file: two paths or descriptors with the same identity refer to one file.
package struct FileIdentity: Hashable, Sendable {
  private var device: UInt64 = 0
  private var inode: UInt64 = 0

  /// Creates the identity of the file at a path; nil if there is no file.
  package init?(path: String) {
    // `withCString` avoids a copy of the path; each write transaction calls this several times.
    guard path.withCString({ cadastre_file_identity($0, -1, &device, &inode) }) == 0 else {
      return nil
    }
  }

  /// Creates the identity of an open file.
  package init?(descriptor: Int32) {
    guard cadastre_file_identity(nil, descriptor, &device, &inode) == 0 else { return nil }
  }
}

extension FileIdentity: CustomStringConvertible {
  /// The numbers of the device and the inode.
  package var description: String { "\(device):\(inode)" }
}

/// The identity, the size and the modification time of a file, by which a change is detected.
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

/// An extended attribute of files: a text that belongs to a file rather than to its path.
///
/// The attribute moves with the file; a new file at the path lacks it. Some file systems have no attributes.
package struct FileAttribute: Sendable {
  private let name: String

  /// Creates a reference to the attribute with a name.
  package init(_ name: String) {
    #if os(Linux)
      self.name = "user." + name
    #else
      self.name = name
    #endif
  }

  /// The text of the attribute of a file; nil if the file has none.
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
