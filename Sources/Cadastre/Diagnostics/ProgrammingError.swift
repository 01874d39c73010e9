import CSwiftRuntime
import CadastrePredicate
import Foundation

/// The handling of programming errors, which stop the process.
enum ProgrammingError {
  /// Prints a sentence that names the alternative, and stops the process.
  ///
  /// The process ends with a trap, so that Swift's backtrace shows the function with the error.
  @inline(never)
  static func stop(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("Cadastre: \(sentence)\n".utf8))
    Logger.writeFatal(sentence)
    cadastre_trap()
  }

  /// Runs an operation that throws only for an invalid predicate or key path in the program's source, and
  /// stops the process if it throws.
  static func orStop<Result>(
    _ operation: () throws(QueryPredicateError) -> Result
  ) -> Result {
    do throws(QueryPredicateError) {
      return try operation()
    } catch {
      stop("\(error)")
    }
  }
}
