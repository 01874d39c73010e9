import Foundation

/// The resources of this process.
struct Usage {
  /// The number of open file descriptors.
  let descriptors: Int
  /// The resident memory in bytes.
  let memory: Int

  /// Reads them now.
  static func current() throws -> Usage {
    #if os(Linux)
      let folder = "/proc/self/fd"
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
      let kilobytes = line.split(separator: " ").dropLast().last.flatMap { Int($0.trimmed) } ?? 0
    #else
      let folder = "/dev/fd"
      let process = Process()
      let output = Pipe()
      process.executableURL = URL(fileURLWithPath: "/bin/ps")
      process.arguments = ["-o", "rss=", "-p", "\(ProcessInfo.processInfo.processIdentifier)"]
      process.standardOutput = output
      try process.run()
      let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      let kilobytes = Int(text.trimmed) ?? 0
    #endif
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: folder).count
    return Usage(descriptors: descriptors, memory: kilobytes * 1024)
  }
}

extension StringProtocol {
  fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}
