import Cadastre
import Foundation
import Testing
import TestingSupport

/// Every sentence of `ProgrammingErrors.md`, in a process that makes the mistake.
@Suite struct StopTests {
  /// A case, by its position under the headings of the page.
  struct Position: Codable, CustomTestStringConvertible, Sendable {
    let section: Int
    let index: Int

    var stop: StopCase { StopCase.sections[section].value[index] }
    var testDescription: String { stop.sentence }
  }

  private static let positions = StopCase.sections.indices.flatMap { section in
    StopCase.sections[section].value.indices.map { Position(section: section, index: $0) }
  }

  @Test(arguments: positions) func `a mistake stops the process`(_ position: Position) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [position = position as Position] in
      try await position.stop.mistake()
    }
    let message = standardError(of: result)
    #expect(message.contains("Cadastre: ") && position.stop.matches(message), "\(message)")
  }

  @Test func `a write of a Realm that nothing retains is named as the cause`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let configuration = Shelter.configuration()
      let keeper = try Realm(configuration: configuration)
      try Corner(configuration).enter { $0.beginWrite() }
      try withExtendedLifetime(keeper) { try Realm(configuration: configuration).commitWrite() }
    }
    let message = standardError(of: result)
    #expect(
      message.contains("non-existing write transaction")
        && message.contains("rolled back when its Realm was released: keep the Realm in a variable"),
      "\(message)")
  }

  @Test func `every sentence of the page has a case`() throws {
    var sections: [(heading: String, sentences: [String])] = []
    for line in try TestingSupport.Article("ProgrammingErrors.md").text.split(separator: "\n") {
      if line.hasPrefix("## ") { sections.append((String(line.dropFirst(3)), [])) }
      if line.hasPrefix("- `") {
        sections[sections.count - 1].sentences.append(String(line.dropFirst(3).dropLast()))
      }
    }
    #expect(sections.popLast()?.heading == "Sentences that no program can cause")
    for (heading, sentences) in sections {
      let cases = StopCase.sections.first { $0.key == heading }.map(\.value) ?? []
      #expect(sentences.sorted() == cases.map(\.sentence).sorted(), "\(heading)")
    }
    #expect(sections.map(\.heading) == StopCase.sections.map(\.key))
  }
}
