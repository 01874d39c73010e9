package import Testing

/// Expects that a process stopped with a message that contains a sentence.
///
/// - Parameters:
///   - result: The result of an exit test that observed `\.standardErrorContent`.
///   - sentence: A part of the message.
///   - sourceLocation: The location of the issue.
package func expectStop(
  _ result: ExitTest.Result?, says sentence: String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  let text = standardError(of: result)
  #expect(text.contains(sentence), "\(text)", sourceLocation: sourceLocation)
}

/// Returns what the process of an exit test wrote to standard error.
package func standardError(of result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
