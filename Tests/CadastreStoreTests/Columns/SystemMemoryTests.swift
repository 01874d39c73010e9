import Foundation
import Testing

@testable import CadastreStore

/// The memory that the system and its containers leave to the process.
@Suite struct SystemMemoryTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Writes files of the system, by path.
  private func write(_ files: [String: String]) throws {
    for (path, text) in files {
      let url = URL(fileURLWithPath: folder.file(path))
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: url)
    }
  }

  private func groups() -> ControlGroups {
    ControlGroups(root: URL(fileURLWithPath: folder.file("x")).deletingLastPathComponent().path)
  }

  @Test func `the default is an eighth of the memory, and less on small devices`() {
    let mebibyte = 1 << 20
    for (memory, share) in [
      (64, 16), (512, 128), (1024, 256), (2048, 256), (4096, 512), (16_384, 2048),
    ] {
      #expect(SystemMemory.cacheShare(of: memory * mebibyte) == share * mebibyte)
    }
    #expect(ColumnCache.defaultBudget >= 1 << 20)
    #expect(ColumnCache.defaultBudget <= Int(ProcessInfo.processInfo.physicalMemory) / 4)
  }

  @Test func `without control groups the machine's memory counts`() throws {
    #expect(groups().limit == nil && groups().available == nil)
    try write(["proc/meminfo": "MemTotal: 4000 kB\nMemAvailable:    1500 kB\nCached: 7 kB\n"])
    #expect(groups().limit == nil && groups().available == 1500 << 10)
    try write([
      "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n",
      "sys/fs/cgroup/memory.current": "5\n",
    ])
    #expect(groups().limit == nil && groups().available == 1500 << 10)
  }

  @Test func `the smallest limit of the groups of version 2 counts`() throws {
    try write([
      "proc/meminfo": "MemAvailable: 1000000 kB\n",
      "proc/self/cgroup": "0::/user/app\n",
      "sys/fs/cgroup/user/app/memory.max": "9000\n",
      "sys/fs/cgroup/user/app/memory.current": "1000\n",
      "sys/fs/cgroup/user/memory.max": "5000\n",
      "sys/fs/cgroup/user/memory.current": "4500\n",
      "sys/fs/cgroup/user/memory.stat": "anon 3000\ninactive_file 700\n",
    ])
    #expect(groups().limit == 5000)
    #expect(groups().available == 1200)
  }

  @Test func `a container sees the limit of its group at the root`() throws {
    try write([
      "proc/meminfo": "MemAvailable: 1 kB\n",
      "proc/self/cgroup": "12:cpu,cpuacct:/docker/1\n4:memory:/docker/1\n0::/\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "7000\n",
      "sys/fs/cgroup/memory/memory.usage_in_bytes": "9000\n",
      "sys/fs/cgroup/memory/memory.stat": "cache 1\ntotal_inactive_file 2500\n",
    ])
    #expect(groups().limit == 7000)
    #expect(groups().available == 500)
  }

  @Test func `nonsense in these files is ignored`() throws {
    try write([
      "proc/meminfo": "MemAvailable\nMemAvailable: many kB\n",
      "proc/self/cgroup": "\n:\n0::\n7:memory:\n:::::\n",
      "sys/fs/cgroup/memory.max": "-\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "",
    ])
    #expect(groups().limit == nil && groups().available == nil)
  }

  #if os(Linux)
    @Test func `the available memory of this machine is known`() throws {
      let available = try #require(SystemMemory.current.available())
      #expect(available > 0 && available <= Int(ProcessInfo.processInfo.physicalMemory))
    }
  #endif
}
