import Cadastre
import Foundation

/// A point in the shape of GeoJSON.
class WriteSpot: EmbeddedObject {
  @Persisted var type = "Point"
  @Persisted var coordinates: List<Double>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Stored in the row of its owner, or in a list.
class WritePart: EmbeddedObject {
  @Persisted var text = ""
  @Persisted var weight = 0

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An object with a primary key and a property of each kind.
class WritePlot: Object {
  @Persisted(primaryKey: true) var id = 0
  @Persisted(indexed: true) var rank = 0
  @Persisted var number = 0
  @Persisted var name: String?
  @Persisted(fullText: true) var words = ""
  @Persisted var size = 0.0
  @Persisted var date = Date(timeIntervalSince1970: 0)
  @Persisted var bytes = Data()
  @Persisted var flag = false
  @Persisted var any: AnyRealmValue
  @Persisted var spot: WriteSpot?
  @Persisted var best: WritePlot?
  @Persisted var links: List<WritePlot>
  @Persisted var numbers: List<Int>
  @Persisted var tags: MutableSet<String>
  @Persisted var marks: Map<String, Int>
  @Persisted var cover: WritePart?
  @Persisted var parts: List<WritePart>
  @Persisted(originProperty: "best") var bestOf: LinkingObjects<WritePlot>
  @Persisted(originProperty: "links") var linkedBy: LinkingObjects<WritePlot>

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// An object without a primary key, whose initializer may read a Realm.
class WriteLeaf: Object {
  @Persisted var serial = 0
  @Persisted var value = 0
  @Persisted var plot: WritePlot?

  required init() {
    super.init()
    InitializerReads.current?.read()
  }

  override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// The classes of the next version of the schema: `number` is called `amount`.
enum NextWriteClasses {
  class WriteSpot: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class WritePart: EmbeddedObject {
    @Persisted var text = ""
    @Persisted var weight = 0

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class WritePlot: Object {
    @Persisted(primaryKey: true) var id = 0
    @Persisted(indexed: true) var rank = 0
    @Persisted var amount = 0
    @Persisted var name: String?
    @Persisted(fullText: true) var words = ""
    @Persisted var size = 0.0
    @Persisted var date = Date(timeIntervalSince1970: 0)
    @Persisted var bytes = Data()
    @Persisted var flag = false
    @Persisted var any: AnyRealmValue
    @Persisted var spot: WriteSpot?
    @Persisted var best: WritePlot?
    @Persisted var links: List<WritePlot>
    @Persisted var numbers: List<Int>
    @Persisted var tags: MutableSet<String>
    @Persisted var marks: Map<String, Int>
    @Persisted var cover: WritePart?
    @Persisted var parts: List<WritePart>

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  class WriteLeaf: Object {
    @Persisted var serial = 0
    @Persisted var value = 0
    @Persisted var plot: WritePlot?

    override class func shouldIncludeInDefaultSchema() -> Bool { false }
  }

  static let types: [ObjectBase.Type] = [
    WritePlot.self, WriteLeaf.self, WriteSpot.self, WritePart.self,
  ]
}

/// What the initializers of `WriteLeaf` read on this thread: the number of plots.
final class InitializerReads {
  private let realm: Realm
  private(set) var counts: [Int] = []

  init(_ realm: Realm) { self.realm = realm }

  fileprivate func read() { counts.append(realm.objects(WritePlot.self).count) }

  private static let key = "cadastre.write-model"

  fileprivate static var current: InitializerReads? {
    Thread.current.threadDictionary[key] as? InitializerReads
  }

  /// Lets the initializers that run in a function read.
  func run(_ body: () throws -> Void) rethrows {
    Thread.current.threadDictionary[Self.key] = self
    defer { Thread.current.threadDictionary[Self.key] = nil }
    try body()
  }
}
