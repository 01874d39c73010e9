import CadastreTestSupport
import Foundation

/// The state of a disk while changes are made: what is on the medium, and what can be lost.
struct Disk {
  private enum Pending {
    case write(offset: Int, Data)
    case truncation(Int)
  }

  private struct File {
    var durable = Data()
    var pending: [Pending] = []
  }

  private var files: [Int: File] = [:]
  /// The names on the medium, and the changes of names that the folder's next synchronisation makes durable.
  private var names: [String: Int] = [:]
  private var pendingNames: [Record.Change] = []
  /// The newest commit that was acknowledged, and the number of acknowledged copies of the store.
  private(set) var acknowledged = 0
  private(set) var copies = 0

  private static let sector = 512

  /// Makes the next change.
  mutating func apply(_ change: Record.Change) {
    switch change {
    case .created(let file, _):
      files[file] = File()
      pendingNames.append(change)
    case .written(let file, let offset, let bytes):
      files[file]?.pending.append(.write(offset: offset, bytes))
    case .truncated(let file, let size): files[file]?.pending.append(.truncation(size))
    case .synchronized(let file):
      guard var state = files[file] else { return }
      for change in state.pending { Self.apply(change, to: &state.durable) }
      state.pending = []
      files[file] = state
    case .folderSynchronized:
      for change in pendingNames { Self.apply(change, to: &names) }
      pendingNames = []
    case .renamed, .linked, .removed: pendingNames.append(change)
    case .marked(let number):
      if number > PowerWorker.copyMark {
        copies = number - PowerWorker.copyMark
      } else {
        // Tasks mark their commits in any order.
        acknowledged = max(acknowledged, number)
      }
    }
  }

  private static func apply(_ change: Record.Change, to names: inout [String: Int]) {
    switch change {
    case .created(let file, let name): names[name] = file
    case .renamed(let old, let new):
      if let file = names.removeValue(forKey: old) { names[new] = file }
    case .linked(let old, let new): if let file = names[old] { names[new] = file }
    case .removed(let name): names[name] = nil
    default: break
    }
  }

  private static func apply(_ change: Pending, to bytes: inout Data) {
    switch change {
    case .write(let offset, let data):
      if bytes.count < offset + data.count {
        bytes.append(Data(count: offset + data.count - bytes.count))
      }
      bytes.replaceSubrange(offset..<offset + data.count, with: data)
    case .truncation(let size):
      if size <= bytes.count {
        bytes = Data(bytes.prefix(size))
      } else {
        bytes.append(Data(count: size - bytes.count))
      }
    }
  }

  // MARK: Images

  /// Returns the files after a loss of power now: all that was synchronised, and a random part of the rest.
  func image(_ random: inout SeededGenerator) -> [String: Data] {
    var names = names
    // File systems with a journal keep the order of the changes of names.
    for change in pendingNames.prefix(random.below(pendingNames.count + 1)) {
      Self.apply(change, to: &names)
    }
    var image: [String: Data] = [:]
    for (name, file) in names.sorted(by: { $0.key < $1.key }) {
      guard let state = files[file] else { continue }
      if name.hasSuffix("-shm") {
        image[name] = Self.sharedMemory(&random)
      } else {
        image[name] = Self.content(state, &random)
      }
    }
    return image
  }

  private static func content(_ file: File, _ random: inout SeededGenerator) -> Data {
    var bytes = file.durable
    switch random.below(6) {
    case 0: break
    case 1: for change in file.pending { apply(change, to: &bytes) }
    case 2:
      for change in file.pending.prefix(random.below(file.pending.count + 1)) {
        apply(change, to: &bytes)
      }
    case 3:
      // All but a few.
      for change in file.pending where !random.oneIn(8) { apply(change, to: &bytes) }
    case 4: for change in file.pending where random.oneIn(2) { apply(change, to: &bytes) }
    default:
      for change in file.pending {
        for part in sectors(of: change) where !random.oneIn(3) { apply(part, to: &bytes) }
      }
    }
    return bytes
  }

  /// Splits a write at the borders of sectors, each of which reaches the medium or not.
  private static func sectors(of change: Pending) -> [Pending] {
    guard case .write(let offset, let data) = change else { return [change] }
    var parts: [Pending] = []
    var start = offset
    while start < offset + data.count {
      let end = min((start / sector + 1) * sector, offset + data.count)
      let range = data.startIndex + start - offset..<data.startIndex + end - offset
      parts.append(.write(offset: start, data.subdata(in: range)))
      start = end
    }
    return parts
  }

  /// The index of the log is shared memory: its file can have any content.
  private static func sharedMemory(_ random: inout SeededGenerator) -> Data {
    switch random.below(3) {
    case 0: Data()
    case 1: Data(count: 32_768)
    default: Data((0..<32_768).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    }
  }
}
