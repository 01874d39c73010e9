import Foundation

/// The GDAL programs, if they are installed.
enum GDAL {
  static let isInstalled = path("ogr2ogr") != nil && path("ogrinfo") != nil

  private static func path(_ program: String) -> String? {
    (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
      .map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile)
  }

  /// Runs a program and waits for its end.
  static func run(
    _ program: String, _ arguments: String...
  ) throws -> (output: String, errors: String) {
    let process = Process()
    process.executableURL = path(program).map { URL(fileURLWithPath: $0) }
    process.arguments = arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = output.fileHandleForReading.readDataToEndOfFile()
    let words = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (String(decoding: text, as: UTF8.self), String(decoding: words, as: UTF8.self))
  }
}
