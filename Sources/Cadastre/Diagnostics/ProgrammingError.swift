import CSwiftRuntime
import CadastrePredicate
import Foundation

/// The single function in which a programmer's error stops the process.
enum ProgrammingError {
  /// Prints a sentence that says what to do instead, and stops the process.
  ///
  /// The process ends with a trap, so that Swift's backtrace shows the function with the mistake.
  @inline(never)
  static func stop(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("Cadastre: \(sentence)\n".utf8))
    Logger.writeFatal(sentence)
    cadastre_trap()
  }

  /// Returns the result of an operation that throws only where a predicate or key path in the program's text
  /// is wrong, which stops the process.
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
