import Foundation
import Testing

/// The backtrace of a process that a programming error stops.
@Suite struct BacktraceTests {
  // A user met one frame of `abort`, and not the function of the program with the mistake.
  @Test(.enabled(if: Backtraces.areAvailable))
  func `a backtrace shows the function with the mistake`() throws {
    let program = try #require(Backtraces.program, "StopRun is not built")
    let process = Process()
    let errors = Pipe()
    process.executableURL = program
    process.environment = ProcessInfo.processInfo.environment.merging([
      // Without source lines, which take the symbols of the whole program.
      "SWIFT_BACKTRACE": "enable=yes,color=no,interactive=no,output-to=stderr,symbolicate=fast"
    ]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .uncaughtSignal)
    let sentence = "Cadastre: It is not possible to remove more objects (2) from a list"
    #expect(text.hasPrefix(sentence), "\(text)")
    #expect(text.contains("removeMoreThanThere()"), "\(text)")
  }
}

/// Programs for backtraces.
private enum Backtraces {
  /// Whether the Swift installation of this process has the program that prints backtraces.
  static var areAvailable: Bool {
    // The size of the file is 0, by which `String(contentsOfFile:)` reads nothing.
    guard let maps = FileHandle(forReadingAtPath: "/proc/self/maps"),
      let lines = try? maps.readToEnd(),
      let line = String(decoding: lines, as: UTF8.self).split(separator: "\n")
        .first(where: { $0.hasSuffix("/libswiftCore.so") }),
      let start = line.firstIndex(of: "/")
    else { return false }
    // The library is lib/swift/linux/libswiftCore.so in the same folder.
    var root = URL(fileURLWithPath: String(line[start...]))
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let path = root.appendingPathComponent("libexec/swift/linux/swift-backtrace").path
    return FileManager.default.isExecutableFile(atPath: path)
  }

  /// The program that makes the mistake; it is in the folder of the tests.
  static var program: URL? {
    let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let folders =
      [bundle, Bundle.main.bundleURL]
      + Bundle.allBundles.map { $0.bundleURL.deletingLastPathComponent() }
    return folders.map { $0.appendingPathComponent("StopRun") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) && !$0.hasDirectoryPath }
  }
}
