import CadastreModel
import Testing

@Suite struct DistinctNamesTests {
  /// The names by the rule itself: the first free number, from 2.
  private func reference(_ names: [String], _ separator: String) -> [String] {
    var used: [String] = []
    for name in names {
      let candidates = [name] + (2...names.count + 1).map { "\(name)\(separator)\($0)" }
      used.append(candidates.first { !used.contains($0) } ?? "")
    }
    return used
  }

  // 100,000 equal names in the header of a table took minutes.
  @Test func `equal names take a number of steps proportional to their number`() {
    let count = 300_000
    var names = DistinctNames("_")
    let added = (0..<count).map { _ in names.add("a") }

    #expect(Set(added).count == count)
    #expect(added[0] == "a" && added[1] == "a_2" && added[count - 1] == "a_\(count)")
    #expect(names.attempts <= 2 * count)
  }

  @Test func `names that look like numbered ones take no more steps`() {
    let count = 20_000
    var names = DistinctNames("_")
    let numbered = (2...count).map { "a_\($0)" }
    #expect(numbered.map { names.add($0) } == numbered)

    let added = (0..<count).map { _ in names.add("a") }
    #expect(added == ["a"] + (1..<count).map { "a_\(count + $0)" })
    #expect(names.attempts <= 5 * count)
  }

  @Test(arguments: ["", "_", "#"])
  func `each name gets the first free number`(separator: String) {
    let given = ["a", "a2", "a", "a_2", "a", "a#2", "b", "a2", "a_2", "a#2", "a22", "a2", "a"]

    var names = DistinctNames(separator)
    #expect(given.map { names.add($0) } == reference(given, separator))
  }

  @Test func `a numbered name is no reserved one`() {
    var names = DistinctNames("_", used: ["x"], reserved: ["a", "a_2", "fid"])

    #expect(["a", "a", "a_2", "x"].map { names.add($0) } == ["a", "a_3", "a_2", "x_2"])
    #expect(["fid", "b"].map { names.addNew($0) } == ["fid_2", "b"])
    #expect(names.add("fid") == "fid")
  }

  @Test func `letter case is ignored on demand`() {
    var names = DistinctNames("#", ignoresCase: true, used: ["Key"], reserved: ["B#2"])
    let added = ["a", "A", "ä", "Ä", "key", "b", "b"].map { names.add($0) }

    #expect(added == ["a", "A#2", "ä", "Ä#2", "key#2", "b", "b#3"])
  }

  @Test func `a repeated name can have another base`() {
    var names = DistinctNames("#")

    #expect((0..<2).map { _ in names.add("#a", base: "a") } == ["#a", "a#2"])
  }

  @Test func `companions of a name are in use with it`() {
    var names = DistinctNames("_")
    let added = ["a", "_a", "__a", "a"].map { name in names.add(name) { ["_" + $0] } }

    // `_a_2` is in use, so `a` cannot become `a_2`.
    #expect(added == ["a", "_a_2", "__a", "a_3"])
  }
}
