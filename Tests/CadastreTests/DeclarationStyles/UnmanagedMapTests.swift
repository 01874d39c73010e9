import Cadastre
import Testing

/// Aggregates of maps, in objects that no Realm manages and in managed ones.
@Suite struct UnmanagedMapTests {
  @Test func `maps of values and of objects have aggregates`() throws {
    let realm = try Conforming.realm()
    let person = Conforming.Person(
      value: [
        "id": 1, "scores": ["a": 3, "b": -1],
        "pets": ["x": ["age": 4], "y": ["age": 6], "z": nil] as [String: Any?],
      ] as [String: Any])
    for _ in 0..<2 {
      #expect(person.scores.min() == -1 && person.scores.max() == 3 && person.scores.sum() == 2)
      #expect(person.scores.average() == 1.0)
      #expect(person.pets.sum(of: \.age) == 10 && person.pets.max(ofProperty: "age") == 6)
      #expect(person.pets.average(ofProperty: "age") == 5.0 && person.pets.min(of: \.age) == 4)
      if person.realm == nil { try realm.write { realm.add(person) } }
    }
    #expect(Map<String, Int>().min() == nil && Map<String, Int>().sum() == 0)
  }
}
