import Cadastre

class Counter: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted var value = 0
}

class Item: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted(indexed: true) var group = 0
  @Persisted var name = ""
  @Persisted var amount = 0.0
}
