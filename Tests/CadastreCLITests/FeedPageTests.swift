import Foundation
import Testing
import TestingSupport

/// The commands of `Documentation/Feed.md`, which imports a feed of five days.
@Suite struct FeedPageTests {
  @Test func `the commands print what the page shows`() throws {
    let shell = try ShellSample()
    let samples = try ShellSample.samples(of: Article("Feed.md", in: "Documentation"))
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

  @Test func `every file of the feed is imported`() throws {
    let page = try Article("Feed.md", in: "Documentation").text
    let folder = Article.file("Datasets/feed").path
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      #expect(page.contains("Datasets/feed/\(name)"), "\(name)")
    }
  }
}
