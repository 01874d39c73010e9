package import Foundation
package import Testing

/// An article of the documentation, and the test file with its samples.
///
/// A class in the test file differs from the article by one line at most,
/// `shouldIncludeInDefaultSchema()`, because articles give one name to several classes.
package struct Article {
  /// The path of the article in the repository.
  private let path: String
  /// The path of the test file.
  private let source: String

  /// An article, by default in the catalogue of `Cadastre`.
  package init(
    _ name: String, in folder: String = "Sources/Cadastre/Cadastre.docc",
    source: String = #filePath
  ) {
    path = "\(folder)/\(name)"
    self.source = source
  }

  /// Expects that the test file contains every Swift sample of the article.
  ///
  /// The paragraphs of a sample may be in any order and apart from each other; each is compared
  /// line by line, without indentation.
  package func expectSamplesAreCompiled(
    count: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let page = try String(contentsOf: Self.file(path), encoding: .utf8)
    let samples = page.components(separatedBy: "```swift\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
    #expect(samples.count == count, sourceLocation: sourceLocation)
    for sample in samples { try expectIsCompiled(sample, sourceLocation: sourceLocation) }
  }

  /// Expects that the test file contains a piece of code.
  package func expectIsCompiled(
    _ sample: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let compiled = Self.lines(
      try String(contentsOf: URL(fileURLWithPath: source), encoding: .utf8))
    for paragraph in sample.components(separatedBy: "\n\n") {
      let lines = Self.lines(paragraph)
      guard let first = lines.first else { continue }
      let isCompiled = compiled.indices.contains { start in
        compiled[start] == first && compiled[start...].starts(with: lines)
      }
      #expect(isCompiled, "not compiled:\n\(paragraph)", sourceLocation: sourceLocation)
    }
  }

  private static func lines(_ text: String) -> [String] {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.contains("func shouldIncludeInDefaultSchema()") }
  }

  /// The URL of a file in the repository.
  package static func file(_ path: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent(path)
  }
}
