import CadastrePredicate
import CadastreStore
import Foundation

/// I/O errors in operations whose signatures cannot throw.
///
/// In a write transaction the first error makes the transaction fail: later writes are ignored, and `write`
/// rolls back and throws the error. Outside of transactions a read returns an empty value, and the error is
/// passed to `Realm.Configuration.readErrorHandler` and recorded in `Realm.readError`.
extension RealmCore {
  /// Runs an operation on the store; if it throws, reports the error and returns a fallback.
  ///
  /// A predicate or a key path that does not fit the classes is a programmer's error, and stops the
  /// process.
  func attempt<Result>(
    or fallback: @autoclosure () -> Result, _ operation: () throws -> Result
  ) -> Result {
    do {
      return try operation()
    } catch let error as QueryPredicateError {
      ProgrammingError.stop("\(error)")
    } catch {
      report(error)
      return fallback()
    }
  }

  /// Runs an operation that reads the store; see ``attempt(or:_:)``.
  ///
  /// - Parameters:
  ///   - extent: The changes of the write transaction that the operation reads.
  ///   - fallback: The result after an error.
  ///   - body: The operation.
  /// - Returns: The result of the operation.
  func read<Result>(
    _ extent: FlushExtent, or fallback: @autoclosure () -> Result,
    _ body: (any StoreReader) throws -> Result
  ) -> Result {
    exclusively { attempt(or: fallback()) { try body(try reader(extent)) } }
  }

  /// Runs an operation that reads single rows; see ``attempt(or:_:)``.
  func readRow<Result>(
    or fallback: @autoclosure () -> Result, _ body: (any RowReader) throws -> Result
  ) -> Result {
    exclusively { attempt(or: fallback()) { try body(try rowReader()) } }
  }

  /// Reports an error that cannot be thrown.
  func report(_ error: any Error) {
    let error =
      (error as? StoreError).map { Realm.Error($0) } ?? (error as? Realm.Error)
      ?? Realm.Error(.fail, "\(error)", configuration.fileURL)
    switch write {
    case .begun(let transaction): return transaction.fail(error)
    case .refused: return
    case .none: break
    }
    guard readError == nil else { return }
    readError = error
    configuration.readErrorHandler(error)
  }

  /// Reports a stored value that its Swift type cannot represent.
  func reportUnfit(_ place: String, _ type: Any.Type) {
    report(
      Realm.Error(
        .invalidDatabase,
        "\(place) holds a value that type '\(type)' cannot hold, in '\(file.path)': another version of the "
          + "program or another program wrote it. Set it by name in a migration block, or make it optional",
        URL(fileURLWithPath: file.path)))
  }

  /// Reports a link in a collection to a missing object.
  func reportLostElement(_ type: Any.Type) {
    report(
      StoreError(
        .corrupt("a collection holds a link that leads to no object of type '\(type)'"),
        path: file.path))
  }

  /// Whether a read has returned an empty value because of an error.
  var hasReadError: Bool { readError != nil || failure != nil }

  /// The error of the write of the Realm; nil if there is none.
  var failure: (any Error)? {
    switch write {
    case .none: nil
    case .refused(let error): error
    case .begun(let transaction): transaction.failure
    }
  }

  /// Whether the write of the Realm has failed; later changes are ignored.
  var hasFailed: Bool { failure != nil }
}

extension ObjectBase {
  /// Reports a stored value that the type of the property cannot represent.
  func reportUnfit(_ property: Int, _ type: Any.Type) {
    position?.row.core.reportUnfit("'\(classInfo.name(of: property))'", type)
  }
}

extension Realm {
  /// The first error of reads that cannot throw, since the Realm was opened or last refreshed; nil if there
  /// was none.
  ///
  /// Reads such as `count`, `first` and property access cannot throw. If the disk fails or the file is
  /// damaged, they return an empty value (nil, zero, or no elements) and record the error here.
  public var readError: Realm.Error? { core.readError }

  /// Runs a block, and throws the first error of reads that cannot throw.
  ///
  ///     let names = try realm.throwingReadErrors { realm.objects(Airport.self).map(\.name) }
  ///
  /// - Parameter block: Reads objects and results of this Realm.
  /// - Returns: The result of the block.
  /// - Throws: The error of the block, or ``Realm/Error``.
  public func throwingReadErrors<Result>(_ block: () throws -> Result) throws -> Result {
    core.checkThread()
    return try core.throwingReadErrors(block)
  }
}

extension RealmCore {
  /// Runs a block, and throws the first error of reads that cannot throw.
  func throwingReadErrors<Result>(_ block: () throws -> Result) throws -> Result {
    let earlier = exchangeReadError(nil)
    defer { exclusively { readError = readError ?? earlier } }
    let result = try block()
    if let error = exclusively({ readError }) { throw error }
    return result
  }

  /// Replaces the recorded read error, and returns the previous one.
  private func exchangeReadError(_ error: Realm.Error?) -> Realm.Error? {
    exclusively {
      defer { readError = error }
      return readError
    }
  }
}

extension Realm.Configuration {
  /// Logs an error of a read.
  static let logReadError: @Sendable (Realm.Error) -> Void = { error in
    Logger.write(.error, .storage, "a read failed: \(error)")
  }
}
