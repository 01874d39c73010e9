import Foundation
import Testing
import TestingSupport

/// The shell commands, the links and the names of files in the README.
@Suite struct ReadmeCommandTests {
  private let readme = Article("README.md", in: ".")

  @Test func `the commands print what the README shows`() throws {
    let shell = try ShellSample()
    let samples = try ShellSample.samples(of: readme)
    #expect(samples.count == 3)
    for sample in samples {
      let outcome = try shell.run(sample.command)
      #expect(outcome.status == 0, "\(sample.command)\n\(outcome.stdout)")
      // The table of the last command is left out, because the map is its result.
      guard !sample.output.isEmpty else { continue }
      #expect(
        ShellSample.withoutTimes(outcome.stdout) == ShellSample.withoutTimes(sample.output),
        "\(sample.command)")
    }
    let map = shell.folder.appendingPathComponent("paris.svg")
    let drawn = try String(contentsOf: map, encoding: .utf8)
    let shown = try String(contentsOf: Article.file("Documentation/paris.svg"), encoding: .utf8)
    #expect(drawn == shown)
    #expect(try shell.run("cadastre check --repair a.cadastre").status == 0)
    try runSQL(in: shell)
  }

  /// Runs the query of the README in the shell of SQLite, if that is installed.
  private func runSQL(in shell: ShellSample) throws {
    let text = try readme.text
    let command = try #require(text.firstMatch(of: /`(sqlite3 a\.cadastre '[^`]*')`/)).1
    guard try shell.run("command -v sqlite3").status == 0 else { return }
    let outcome = try shell.run(String(command))
    #expect(outcome.status == 0 && outcome.stdout.contains("LFPG|49.0128\n"))
  }

  /// Scripts are named, not run: they build the package, install packages, or take long.
  @Test func `scripts exist, with the options that the README names`() throws {
    let text = try readme.text
    let commands = text.matches(of: /(?m)(?:`|^)((?:Scripts|Benchmarks)\/[a-z-]+)((?: [\w-]+)*)/)
    let names = Set(commands.map { String($0.1) })
    let expected: Set = ["Scripts/install", "Scripts/demo", "Scripts/test", "Benchmarks/run"]
    #expect(names.isSuperset(of: expected), "\(names)")
    for match in commands {
      let file = Article.file(String(match.1))
      #expect(FileManager.default.isExecutableFile(atPath: file.path), "\(match.1)")
      for option in match.2.split(separator: " ") where option.hasPrefix("--") {
        let folder = Article.file("Benchmarks/runner").path
        let sources =
          [file]
          + (try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasSuffix(".py")
          }.map { Article.file("Benchmarks/runner/\($0)") })
        let isKnown = try sources.contains {
          try String(contentsOf: $0, encoding: .utf8).contains(option)
        }
        #expect(isKnown, "\(match.1) \(option)")
      }
    }
  }

  @Test func `files and sections that the README links to exist`() throws {
    let text = try readme.text
    let links = text.matches(of: /\]\(([^):]+)\)/).map { String($0.1) }
    #expect(links.count > 10)
    let headings = Set(
      text.matches(of: /(?m)^##+ (.+)$/).map { match in
        match.1.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " }
          .replacing(" ", with: "-")
      })
    for section in links where section.hasPrefix("#") {
      #expect(headings.contains(String(section.dropFirst())), "\(section)")
    }
    let paths = links.filter { !$0.hasPrefix("#") }
    for path in paths + ["Documentation/man/cadastre.1"] {
      #expect(FileManager.default.fileExists(atPath: Article.file(path).path), "\(path)")
    }
  }

  @Test func `products and programs have the names of the README`() throws {
    let (text, manifest) = (
      try readme.text, try String(contentsOf: Article.file("Package.swift"), encoding: .utf8)
    )
    for product in ["Cadastre", "RealmSwift"] {
      #expect(manifest.contains(".library(name: \"\(product)\""))
    }
    #expect(text.contains(".product(name: \"Cadastre\", package: \"cadastre\")"))
    #expect(manifest.contains("name: \"cadastre\","))
    let programs = try FileManager.default.contentsOfDirectory(
      atPath: Article.file("Examples").path)
    for program in programs {
      #expect(text.contains("`\(program)`"))
      // A program with dependencies of its own is a package.
      let package = Article.file("Examples/\(program)/Package.swift").path
      #expect(
        manifest.contains("name: \"\(program)\"") != FileManager.default.fileExists(atPath: package)
      )
    }
  }
}
