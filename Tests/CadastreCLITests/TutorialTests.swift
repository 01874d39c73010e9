import Foundation
import Testing
import TestingSupport

/// The code files of the tutorial, in `Tutorials/Resources` of the catalogue.
///
/// `Scripts/programs` runs its program.
@Suite struct TutorialTests {
  private static let resources = "Sources/Cadastre/Cadastre.docc/Tutorials/Resources"

  private static func files(_ ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: Article.file(resources).path)
      .filter { $0.hasSuffix(ending) }.sorted()
  }

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: Article.file("\(resources)/\(name)"), encoding: .utf8)
  }

  @Test func `the commands make the store of the tutorial`() throws {
    let shell = try ShellSample()
    for name in ["airports-import.sh", "airports-schema.sh", "airports-query.sh"] {
      let lines = try Self.text(name).split(separator: "\n")
      let commands = lines.filter { $0.hasPrefix("cadastre ") }.joined(separator: "\n")
      let outcome = try shell.run(commands)
      #expect(outcome.status == 0, "\(outcome.stdout)")
      let shown = lines.filter { $0.hasPrefix("# ") }.map { $0.dropFirst(2) + "\n" }.joined()
      if shown.isEmpty { continue }
      #expect(
        ShellSample.withoutTimes(outcome.stdout) == ShellSample.withoutTimes(shown), "\(name)")
    }
  }

  @Test func `the tutorial shows each file`() throws {
    let tutorial = try String(
      contentsOf: Article.file("Sources/Cadastre/Cadastre.docc/Tutorials/Airports.tutorial"),
      encoding: .utf8)
    for file in try Self.files(".swift") + Self.files(".sh") {
      #expect(tutorial.contains("file: \"\(file)\""))
    }
  }

  @Test func `the package of the tutorial names a product`() throws {
    let manifest = try String(contentsOf: Article.file("Package.swift"), encoding: .utf8)
    #expect(manifest.contains(".library(name: \"Cadastre\", targets: [\"Cadastre\"])"))
    #expect(
      try Self.text("airports-package.swift")
        .contains(".product(name: \"Cadastre\", package: \"cadastre\")"))
  }
}
