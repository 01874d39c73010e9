import Cadastre
import Dispatch

class Item: Object {
  @Persisted(primaryKey: true) var id: Int
}

/// An open Realm and the work on it.
package final class Job {
  private let assignment: Assignment
  private let realm: Realm
  private let queue: DispatchQueue?
  private var token: NotificationToken?

  init(_ assignment: Assignment, _ realm: Realm, _ queue: DispatchQueue?) throws {
    self.assignment = assignment
    self.realm = realm
    self.queue = queue
    try realm.write { for id in 0..<3 { create(id) } }
  }

  private func create(_ id: Int) { realm.create(Item.self, value: ["id": id]) }

  private var items: Results<Item> { realm.objects(Item.self) }

  /// Does the work without `await`; callbacks end the program if there are any.
  package func begin() {
    do {
      switch assignment.work {
      case .read:
        require(items.map(\.id).sorted() == [0, 1, 2])
        end()
      case .write:
        try realm.write { create(3) }
        require(items.count == 4)
        end()
      case .writeAsync:
        realm.writeAsync({ self.create(3) }) { error in
          require(error == nil && self.items.count == 4)
          end()
        }
      case .observe: observe()
      case .freeze: try freeze()
      case .helper:
        try realm.write { create(3) }
        require(try assignment.openInHelper(queue) == realm)
        observe()
      case .elsewhere: useElsewhere()
      case .asyncWrite, .changes: fail("this work needs an asynchronous entry")
      }
    } catch {
      fail("\(error)")
    }
  }

  /// Does the work after a suspension.
  package func perform(isolation: isolated (any Actor)? = #isolation) async {
    // Afterwards the main actor of an asynchronous program is on another thread than the main one.
    await Task.detached {}.value
    do {
      switch assignment.work {
      case .asyncWrite:
        let count = try await realm.asyncWrite {
          create(3)
          return items.count
        }
        require(count == 4 && items.count == 4)
        end()
      case .changes:
        for await change in items.changes() {
          switch change {
          case .initial: writeElsewhere()
          case .update(let items, _, let insertions, _):
            require(insertions.count == 1 && items.count == 4)
            end()
          case .error(let error): fail("\(error)")
          }
        }
        fail("the changes have ended")
      default:
        begin()
        while true { try await Task.sleep(for: .seconds(60)) }
      }
    } catch {
      fail("\(error)")
    }
  }

  /// Ends the program with the first change after the initial state.
  private func observe() {
    let count = items.count
    token = items.observe { change in
      switch change {
      case .initial(let items):
        require(items.count == count && self.items.count == count)
        self.writeElsewhere()
      case .update(let items, _, let insertions, _):
        require(insertions.count == 1 && items.count == count + 1)
        end()
      case .error(let error): fail("\(error)")
      }
    }
  }

  /// Adds an object in another task.
  private func writeElsewhere() {
    let configuration = assignment.configuration
    Task.detached {
      do {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(Item.self, value: ["id": 100]) }
      } catch {
        fail("\(error)")
      }
    }
  }

  private func freeze() throws {
    let frozen = items.freeze()
    try realm.write { create(3) }
    let thawed = frozen.thaw()
    require(frozen.count == 3 && thawed?.count == 4 && items.count == 4)
    // Without the name of its queue a Realm belongs to the thread.
    require(queue != nil || thawed?.realm == realm)
    let carried = Frozen(items)
    Task.detached {
      require(carried.value.count == 4 && carried.thaw()?.count == 4)
      end()
    }
  }

  private func useElsewhere() {
    nonisolated(unsafe) let realm = realm
    Task.detached { fail("used in another task, where it is empty: \(realm.isEmpty)") }
  }
}
