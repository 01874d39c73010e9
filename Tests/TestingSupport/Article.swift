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

  /// The text of the article.
  package var text: String {
    get throws { try String(contentsOf: Self.file(path), encoding: .utf8) }
  }

  /// Returns the blocks of code in a language; the language of a plain block is empty.
  package func blocks(of language: String) throws -> [String] {
    var blocks: [(language: Substring, lines: [Substring])] = []
    var isInBlock = false
    for line in try text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        isInBlock.toggle()
        if isInBlock { blocks.append((line.dropFirst(3), [])) }
      } else if isInBlock {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    return blocks.filter { $0.language == language }.map { $0.lines.joined(separator: "\n") }
  }

  /// Expects that the test file contains every Swift sample of the article.
  ///
  /// The paragraphs of a sample may be in any order and apart from each other. White space is
  /// ignored, because the lines of articles may be longer than those of code.
  ///
  /// - Parameters:
  ///   - count: The number of samples in the article.
  ///   - isCode: Whether a sample is to be compiled; by default all are.
  ///   - sourceLocation: The location of issues.
  /// - Throws: An error of the file system.
  package func expectSamplesAreCompiled(
    count: Int, where isCode: (String) -> Bool = { _ in true },
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let samples = try blocks(of: "swift").filter(isCode)
    #expect(samples.count == count, sourceLocation: sourceLocation)
    for sample in samples { try expectIsCompiled(sample, sourceLocation: sourceLocation) }
  }

  /// Expects that the test file contains the samples in the documentation comments of the file.
  ///
  /// A sample is indented by five spaces and follows an empty line of the comment.
  ///
  /// - Throws: An error of the file system.
  package func expectDocumentationIsCompiled(
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    var samples: [String] = []
    var isInSample = false
    var isAfterEmptyLine = false
    for line in try text.split(separator: "\n") {
      let comment = line.trimmingPrefix(while: \.isWhitespace)
      let isCode = comment.hasPrefix("///     ")
      if isCode, isAfterEmptyLine || isInSample {
        if !isInSample { samples.append("") }
        samples[samples.count - 1] += comment.dropFirst(8) + "\n"
        isInSample = true
      } else if comment == "///", isInSample {
        samples[samples.count - 1] += "\n"
      } else {
        isInSample = false
      }
      isAfterEmptyLine = comment == "///"
    }
    #expect(!samples.isEmpty, "no sample in \(path)", sourceLocation: sourceLocation)
    for sample in samples { try expectIsCompiled(sample, sourceLocation: sourceLocation) }
  }

  /// Expects that the test file contains a piece of code.
  package func expectIsCompiled(
    _ sample: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let compiled = Self.withoutSpace(
      try String(contentsOf: URL(fileURLWithPath: source), encoding: .utf8))
    for paragraph in sample.components(separatedBy: "\n\n") {
      let code = Self.withoutSpace(paragraph)
      let isCompiled = code.isEmpty || compiled.contains(code)
      #expect(isCompiled, "not compiled:\n\(paragraph)", sourceLocation: sourceLocation)
    }
  }

  private static func withoutSpace(_ text: String) -> String {
    text.components(separatedBy: "\n")
      .filter { line in
        !["func shouldIncludeInDefaultSchema()", "// swift-format-ignore"].contains {
          line.contains($0)
        }
      }
      .joined().filter { !$0.isWhitespace }
  }

  /// The URL of a file in the repository.
  package static func file(_ path: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent(path)
  }
}
