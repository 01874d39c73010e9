import Foundation

/// The single way in which wrong use of the API stops the process.
enum Misuse {
  /// Prints what to do instead and stops.
  static func stop(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("Cadastre: \(sentence)\n".utf8))
    abort()
  }

  /// The result of an operation that fails only when the file does: a disk that is full or broken
  /// in the middle of a property access leaves nothing to go on with.
  static func orStop<Result>(_ operation: () throws -> Result) -> Result {
    do {
      return try operation()
    } catch {
      stop("\(error)")
    }
  }
}
