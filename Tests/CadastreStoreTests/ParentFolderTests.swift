import CadastreStore
import CadastreTestSupport
import Foundation
import Testing

@Suite struct ParentFolderTests {
  /// The folder of a path by the function of POSIX, which leaves open whether `//` is another root.
  private static func posixFolder(_ path: String) -> String {
    var bytes = Array(path.utf8CString)
    let folder = String(cString: dirname(&bytes))
    return folder == "//" ? "/" : folder
  }

  @Test(arguments: [
    "é", " ", "a", "/", "//", "///a", "a/", "a//", "a/b", "a//b", "/a", "/a/", "/a/b//", "", ".",
    "..", "é/ü",
    "💥/x", "./é", "/é", "e\u{301}", "\u{a0}", "a\\b", "x/é/",
  ])
  func `the folder of a path is that of POSIX`(path: String) {
    #expect(path.parentFolder == Self.posixFolder(path))
  }

  @Test func `the folder of a random path is that of POSIX`() {
    var random = SeededGenerator(seed: 24)
    for _ in 0..<5000 {
      let path = String(
        (0..<Int.random(in: 0...8, using: &random)).map { _ in
          "//ab.é 💥".randomElement(using: &random) ?? "/"
        })
      #expect(path.parentFolder == Self.posixFolder(path), "seed 24, path '\(path)'")
    }
  }
}
