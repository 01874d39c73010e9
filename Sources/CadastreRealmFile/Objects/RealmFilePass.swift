/// One pass over objects of a file, in which each value can be read once.
///
/// Two references to one collection are corruption; without this check a small file could have
/// arbitrarily many elements.
package final class RealmFilePass {
  let pass: ReadingPass

  init(_ context: FileContext, _ path: String) throws(RealmFileError) {
    pass = ReadingPass(context, try Self.visitedNodes(context, path))
  }

  static func visitedNodes(
    _ context: FileContext, _ path: String
  ) throws(RealmFileError) -> VisitedNodes {
    guard let visited = VisitedNodes(fileSize: context.space.limit) else {
      throw RealmFileError(path, .unreadable(reason: "there is not enough memory"))
    }
    return visited
  }
}
