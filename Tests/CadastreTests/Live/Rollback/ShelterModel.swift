/// The content of a shelter as plain arrays, which say what a store must contain.
struct ShelterModel {
  /// A hound.
  struct Pet {
    var id: Int
    var age: Int
  }

  /// A keeper, with hounds by their numbers.
  struct Owner {
    var id: Int
    var age = 0
    var best: Int?
    var dogs: [Int] = []
    var tags: [String] = []
    var marks: [String: Int] = [:]
    var city: String?

    /// The keeper as text, in the form of `ShelterText.text(_:)`.
    var text: String {
      "\(id) \(age) \(best ?? 0) \(dogs) \(tags.sorted()) \(marksText) \(city ?? "-")"
    }

    var marksText: String { "\(marks.keys.sorted().map { "\($0)=\(marks[$0] ?? 0)" })" }
  }

  var owners = [
    Owner(id: 1, age: 10, best: 1, dogs: [1, 2], tags: ["a", "b"], marks: ["m": 7], city: "Oslo"),
    Owner(id: 2, age: 20, best: 2, dogs: [2]),
    Owner(id: 3, age: 30),
    Owner(id: 4, age: 40, best: 1, dogs: [1]),
  ]
  var pets = [Pet(id: 1, age: 3), Pet(id: 2, age: 7)]

  func owner(_ id: Int) -> Owner? { owners.first { $0.id == id } }

  func pet(_ id: Int?) -> Pet? { pets.first { $0.id == id } }

  /// Changes a keeper, if it exists.
  mutating func change(_ id: Int, _ body: (inout Owner) -> Void) {
    guard let index = owners.firstIndex(where: { $0.id == id }) else { return }
    body(&owners[index])
  }

  /// Deletes all hounds, and the links to them.
  mutating func deletePets() {
    pets = []
    for index in owners.indices {
      owners[index].best = nil
      owners[index].dogs = []
    }
  }

  /// The numbers of the keepers that match a condition, in their order.
  func ids(where condition: (Owner) -> Bool = { _ in true }) -> String {
    "\(owners.filter(condition).map(\.id))"
  }

  /// The numbers of the keepers by their ages.
  func ids(byAge isBefore: (Int, Int) -> Bool, limit: Int = .max) -> String {
    "\(owners.sorted { isBefore($0.age, $1.age) }.prefix(limit).map(\.id))"
  }

  /// The sections of keepers of similar ages.
  var sections: String {
    let ascending = owners.sorted { $0.age < $1.age }
    var sections: [(key: Int, ids: [Int])] = []
    for owner in ascending {
      if sections.last?.key != owner.age / 20 { sections.append((owner.age / 20, [])) }
      sections[sections.count - 1].ids.append(owner.id)
    }
    return "\(sections.map { "\($0.key): \($0.ids)" })"
  }
}
