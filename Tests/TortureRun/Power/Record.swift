import Foundation

/// The changes of files that the interposer has recorded, in their order.
struct Record {
  enum Change {
    /// A new file of this number was created.
    case created(Int, name: String)
    case written(Int, offset: Int, Data)
    case truncated(Int, size: Int)
    case synchronized(Int)
    /// The folder of the store was synchronised.
    case folderSynchronized
    case renamed(String, String)
    case linked(String, String)
    case removed(String)
    /// A commit or a copy was acknowledged.
    case marked(Int)
  }

  private(set) var changes: [Change] = []

  /// Reads a record of the changes below a folder.
  init(path: String, root: String) throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
    var status = stat()
    guard stat(root, &status) == 0 else { throw Failure("no folder \(root)") }
    let folder = Int(status.st_ino)
    var offset = 0
    /// The file of an inode: numbers of inodes are used again.
    var files: [Int: Int] = [:]
    var count = 0
    func number() -> Int {
      defer { offset += 8 }
      return bytes.withUnsafeBytes {
        Int($0.loadUnaligned(fromByteOffset: offset, as: Int64.self))
      }
    }
    func take(_ length: Int) -> Data {
      defer { offset += length }
      return bytes.subdata(in: offset..<offset + length)
    }
    func name(_ length: Int) -> String {
      String(String(decoding: take(length), as: UTF8.self).dropFirst(root.utf8.count + 1))
    }
    while offset < bytes.count {
      let (kind, inode, position) = (number(), number(), number())
      let (path, length) = (number(), number())
      let file = files[inode]
      switch kind {
      case 0:
        count += 1
        files[inode] = count
        changes.append(.created(count, name: name(path)))
      case 2: if let file { changes.append(.written(file, offset: position, take(length))) }
      case 3:
        if let file {
          changes.append(.synchronized(file))
        } else if inode == folder {
          changes.append(.folderSynchronized)
        }
      case 4: if let file { changes.append(.truncated(file, size: position)) }
      case 6:
        let (old, new) = (name(path), name(length))
        changes.append(position == 1 ? .linked(old, new) : .renamed(old, new))
      case 7: changes.append(.removed(name(path)))
      case 100: changes.append(.marked(position))
      default: throw Failure("the record has a change of kind \(kind)")
      }
      if kind == 2, file == nil { offset += length }
    }
  }
}
