import Foundation
import Testing

@testable import Cadastre
@testable import CadastreStore

/// Lists of each length, whose elements are inserted one by one or several with one statement.
@Suite struct ListLengthTests {
  class Leaf: EmbeddedObject {
    @Persisted var number = 0
  }

  class Branch: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: List<Int?>
    @Persisted var texts: List<String>
    @Persisted var leaves: List<Leaf>
    @Persisted var anything: List<AnyRealmValue>
  }

  private let configuration = Realm.Configuration(
    inMemoryIdentifier: UUID().uuidString, objectTypes: [Branch.self, Leaf.self])
  private let joint = CollectionSQL.jointRows

  /// A text that is too long to be inserted with others, at some of the indexes.
  private func text(_ index: Int) -> String {
    index % 13 == 9 ? String(repeating: "long ", count: 1000) + "\(index)" : "text \(index)"
  }

  private func number(_ index: Int) -> Int? { index % 5 == 3 ? nil : index }

  private func anything(_ index: Int) -> AnyRealmValue {
    index % 3 == 0 ? .string("\(index)") : index % 3 == 1 ? .int(index) : .none
  }

  private func add(_ range: Range<Int>, to branch: Branch) {
    branch.numbers.append(objectsIn: range.map(number))
    branch.texts.append(objectsIn: range.map(text))
    branch.leaves.append(objectsIn: range.map { Leaf(value: ["number": $0]) })
    branch.anything.append(objectsIn: range.map(anything))
  }

  private func check(_ branch: Branch, _ count: Int) {
    #expect(Array(branch.numbers) == (0..<count).map(number))
    #expect(Array(branch.texts) == (0..<count).map(text))
    #expect(branch.leaves.map(\.number) == Array(0..<count))
    #expect(Array(branch.anything) == (0..<count).map(anything))
    #expect(
      branch.numbers.count == count && branch.leaves.last?.number == (count > 0 ? count - 1 : nil))
  }

  @Test func `new objects have lists of each length`() throws {
    let realm = try Realm(configuration: configuration)
    let lengths = Array(0...3 * joint + 1) + [100]
    try realm.write {
      for length in lengths {
        let branch = Branch(value: ["id": length])
        add(0..<length, to: branch)
        realm.add(branch)
      }
    }
    for branch in try Realm(configuration: configuration).objects(Branch.self) {
      check(branch, branch.id)
    }
  }

  @Test func `elements are appended in each number`() throws {
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(Branch.self, value: ["id": 1]) }
    let branch = try #require(realm.object(ofType: Branch.self, forPrimaryKey: 1))
    var count = 0
    for number in [1, joint, joint - 1, 0, 2 * joint, joint + 1, 3] {
      try realm.write {
        // Twice, because the second time the end of the list is known.
        for _ in 0..<2 {
          add(count..<count + number, to: branch)
          count += number
        }
      }
      check(branch, count)
    }
  }

  @Test func `elements of a list are inserted with few statements`() throws {
    let realm = try Realm(configuration: configuration)
    realm.beginWrite()
    realm.create(Branch.self, value: ["id": 1]).numbers.append(1)
    let connection = try #require(realm.core.transaction).flush(.rows).connection
    let before = connection.statementsRun
    realm.create(Branch.self, value: ["id": 2, "numbers": Array(0..<10 * joint)])
    #expect(connection.statementsRun - before < 20)
    realm.cancelWrite()
  }
}
