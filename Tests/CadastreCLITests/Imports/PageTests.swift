import Foundation
import Testing
import TestingSupport

/// The commands of pages that import a folder of files.
@Suite struct PageTests {
  private static let pages = [
    (page: "Feed.md", folder: "Datasets/feed"), (page: "MessyFiles.md", folder: "Datasets/messy"),
    (page: "Rivers.md", folder: "Datasets/rivers"),
  ]

  @Test(arguments: pages)
  func `the commands print what the page shows`(page: String, folder: String) throws {
    let shell = try ShellSample()
    let samples = try ShellSample.samples(of: Article(page, in: "Documentation"))
    #expect(samples.count > 15)
    for (command, output) in samples {
      let outcome = try shell.run(command)
      #expect(
        ShellSample.withoutTimes(outcome.stdout) == ShellSample.withoutTimes(output), "\(command)")
      // A refused command says why; rejected rows end with a status of their own.
      let status: Int32 = output.hasPrefix("Error: ") ? 1 : output.contains("rejected") ? 2 : 0
      #expect(outcome.status == status, "\(command)")
    }
  }

  @Test(arguments: pages)
  func `every file of the folder is on the page`(page: String, folder: String) throws {
    let text = try Article(page, in: "Documentation").text
    let names = try FileManager.default.contentsOfDirectory(atPath: Article.file(folder).path)
    for name in names { #expect(text.contains("\(folder)/\(name)"), "\(name)") }
  }
}
