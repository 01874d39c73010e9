import Cadastre

class Sample: EmbeddedObject {
  @Persisted var value = 0
  @Persisted var time = 0
}

class Station: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var level = 0
  @Persisted var name = ""
  @Persisted var warden: Person?
  @Persisted var marks: List<Int>
  @Persisted var samples: List<Sample>
}

class Person: Object {
  @Persisted(primaryKey: true) var id: Int
  @Persisted var age = 0
  @Persisted var name = ""
  @Persisted var friend: Person?
  @Persisted var marks: List<Int>
  @Persisted var friends: List<Person>
  @Persisted var words: MutableSet<String>
  @Persisted var parks: Map<String, Int>
}
