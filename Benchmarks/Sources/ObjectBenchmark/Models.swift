import Cadastre

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
