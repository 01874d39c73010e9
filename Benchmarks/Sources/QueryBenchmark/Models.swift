import Cadastre

class Person: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted(indexed: true) var city = ""
  @Persisted var dogs: List<Dog>
  @Persisted var tags: MutableSet<String>
  @Persisted var scores: Map<String, Int>
  @Persisted var friend: Person?
  @Persisted(fullText: true) var story = ""
}

class Dog: Object {
  @Persisted(indexed: true) var name = ""
  @Persisted var age = 0
  @Persisted(originProperty: "dogs") var owners: LinkingObjects<Person>
}
