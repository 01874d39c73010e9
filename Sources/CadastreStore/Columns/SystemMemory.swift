import Foundation

/// The memory that this process may use: that of the machine, or of the control group (container) that limits the
/// process.
package struct SystemMemory: Sendable {
  /// The memory in bytes.
  package let byteCount: Int
  /// Returns the bytes that are available without swapping; nil where they are unknown.
  package let available: @Sendable () -> Int?

  /// Creates a description of the memory.
  ///
  /// - Parameters:
  ///   - byteCount: The memory in bytes.
  ///   - available: Returns the bytes that are available without swapping; nil where they are unknown.
  package init(byteCount: Int, available: @escaping @Sendable () -> Int?) {
    self.byteCount = byteCount
    self.available = available
  }

  /// The memory at the start of the process.
  package static let current: SystemMemory = {
    let machine = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    #if os(Linux)
      let groups = ControlGroups()
      return SystemMemory(byteCount: min(machine, groups.limit ?? .max)) { groups.available }
    #else
      // The system notifies processes when memory becomes scarce, see `MemoryPressureSource`.
      return SystemMemory(byteCount: machine) { nil }
    #endif
  }()

  /// Returns the share of the memory that the cache of a store may take by default.
  ///
  /// An eighth, so that several stores, SQLite's page caches and the application fit beside it; at least 256 MiB, with
  /// which a million rows fit, but never more than a quarter: 128 MiB of 512 MiB.
  package static func cacheShare(of bytes: Int) -> Int {
    min(max(bytes / 8, 256 << 20), bytes / 4)
  }

  /// The bytes that the cache leaves available: a sixteenth of the memory.
  var reserve: Int { byteCount / 16 }
}

/// The limits that Linux sets for the memory of the control groups of this process, in version 1 or 2 of their
/// hierarchy.
///
/// Source: Linux, `Documentation/admin-guide/cgroup-v2.rst` and `cgroup-v1/memory.rst`.
package struct ControlGroups: Sendable {
  /// The files of one group.
  private struct Group: Sendable {
    let folder: String
    let isVersion2: Bool

    /// The limit in bytes; nil where there is none.
    var limit: Int? { number(isVersion2 ? "memory.max" : "memory.limit_in_bytes") }

    /// The bytes below the limit, including the cached pages of files that the system can drop at once; nil without
    /// a limit.
    var available: Int? {
      guard let limit, let used = number(isVersion2 ? "memory.current" : "memory.usage_in_bytes")
      else { return nil }
      let key = isVersion2 ? "inactive_file" : "total_inactive_file"
      let statistics = ControlGroups.text(of: "\(folder)/memory.stat")
      let inactive = ControlGroups.number(after: key, in: statistics) ?? 0
      return max(0, limit - max(0, used - inactive))
    }

    private func number(_ file: String) -> Int? {
      Int(ControlGroups.text(of: "\(folder)/\(file)").prefix { !$0.isWhitespace })
    }
  }

  private let root: String
  private let groups: [Group]

  /// Finds the groups of this process.
  ///
  /// - Parameter root: The folder in which `proc` and `sys` are; tests have their own.
  package init(root: String = "") {
    self.root = root
    var groups: [Group] = []
    for line in Self.text(of: "\(root)/proc/self/cgroup").split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      let isVersion2 = fields[0] == "0" && fields[1].isEmpty
      guard isVersion2 || fields[1].split(separator: ",").contains("memory") else { continue }
      let mount = "\(root)/sys/fs/cgroup" + (isVersion2 ? "" : "/memory")
      // The limits of all groups that contain this one apply. In a container, the folder of its own group is the
      // mounted one, although the path may be that of the host.
      var path = fields[2].split(separator: "/").map(String.init)
      while true {
        let folder = ([mount] + path).joined(separator: "/")
        let group = Group(folder: folder, isVersion2: isVersion2)
        if group.limit != nil { groups.append(group) }
        guard path.popLast() != nil else { break }
      }
    }
    self.groups = groups
  }

  /// The smallest limit in bytes; nil where there is none.
  package var limit: Int? { groups.compactMap(\.limit).min() }

  /// The bytes that are available without swapping, in the machine and within the limits; nil where they are unknown.
  ///
  /// Takes about 30 µs.
  package var available: Int? {
    var least = groups.compactMap(\.available).min()
    let machine = Self.number(after: "MemAvailable:", in: Self.text(of: "\(root)/proc/meminfo"))
    if let machine { least = min(least ?? .max, machine << 10) }
    return least
  }

  /// Returns the number that follows a word at the beginning of a line.
  private static func number(after word: String, in text: String) -> Int? {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      if fields.count > 1, fields[0] == word { return Int(fields[1]) }
    }
    return nil
  }

  /// Returns the beginning of a small file of the system; empty where it cannot be read.
  private static func text(of path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    return withUnsafeTemporaryAllocation(byteCount: 1 << 14, alignment: 1) { bytes in
      let count = fread(bytes.baseAddress, 1, bytes.count, file)
      return String(decoding: bytes[..<count], as: UTF8.self)
    }
  }
}
