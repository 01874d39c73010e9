import Cadastre
import Foundation
import Testing
import TestingSupport

/// Where a Realm may be used, and what stops those who use it wrongly.
@Suite struct ConfinementTests {
  actor Holder {
    private var realm: Realm?
    private var token: NotificationToken?
    private(set) var told: [String] = []

    func open(_ configuration: Realm.Configuration) async throws {
      realm = try await Realm.open(configuration: configuration)
    }

    /// Opens a Realm in a function without isolation.
    func openByHelper(_ configuration: Realm.Configuration) throws {
      realm = try ConfinementTests.opened(configuration)
    }

    func openHere(_ configuration: Realm.Configuration) throws -> Bool {
      let opened = try Realm(configuration: configuration)
      return realm == opened
    }

    func write(_ age: Int) throws {
      try realm?.write { realm?.create(Keeper.self, value: ["id": age, "age": age]) }
    }

    func writeLater(_ age: Int) async throws -> Int {
      guard let realm else { return 0 }
      return try await realm.asyncWrite {
        realm.create(Keeper.self, value: ["id": age, "age": age])
        return realm.objects(Keeper.self).count
      }
    }

    var count: Int { realm?.objects(Keeper.self).count ?? -1 }

    /// Ends the observer of `watch`, which retains the actor.
    func stop() { token = nil }

    /// A token that keeps the Realm alive.
    func anotherToken() -> NotificationToken? { realm?.objects(Keeper.self).observe { _ in } }

    func watch() {
      token = realm?.objects(Keeper.self).observe { change in
        switch change {
        case .initial(let all): self.told.append("\(all.count)")
        case .update(let all, _, let insertions, _): self.told.append("\(insertions) \(all.count)")
        case .error: break
        }
      }
    }
  }

  @Test func `an actor has a Realm of its own`() async throws {
    let configuration = Shelter.configuration()
    let (first, second) = (Holder(), Holder())
    try await first.open(configuration)
    try await second.open(configuration)
    #expect(try await first.openHere(configuration))
    await second.watch()
    try await waitUntil("the first notification") { await !second.told.isEmpty }
    try await first.write(1)
    #expect(try await first.writeLater(2) == 2)
    // Autorefresh: the other actor moves on by itself.
    try await waitUntil("the next notification") { await second.count >= 2 }
    #expect(await second.count == 2)
    try await waitUntil("the first notification") { await !second.told.isEmpty }
    #expect(await !second.told.isEmpty)
  }

  private static func opened(_ configuration: Realm.Configuration) throws -> Realm {
    try Realm(configuration: configuration)
  }

  @Test func `a function without isolation opens the Realm of its caller`() async throws {
    let configuration = Shelter.configuration()
    let holder = Holder()
    try await holder.openByHelper(configuration)
    #expect(try await holder.openHere(configuration))
    await holder.watch()
    try await waitUntil("the first notification") { await !holder.told.isEmpty }
    try await Task.detached {
      let realm = try Self.opened(configuration)
      try realm.write { realm.create(Keeper.self, value: ["id": 1]) }
    }.value
    try await waitUntil("the next notification") { await holder.told.count >= 2 }
    #expect(await holder.told == ["0", "[0] 1"])
  }

  /// Runs the jobs of several actors.
  private final class SharedExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "shared")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private actor Sharing {
    private let executor: SharedExecutor
    private var token: NotificationToken?
    private(set) var counts: [Int] = []

    init(_ executor: SharedExecutor) { self.executor = executor }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func open(_ configuration: Realm.Configuration) throws -> NotificationToken {
      try Realm(configuration: configuration).objects(Keeper.self).observe { _ in }
    }

    func watch(_ configuration: Realm.Configuration) throws {
      token = try ConfinementTests.opened(configuration).objects(Keeper.self).observe { change in
        switch change {
        case .initial(let all), .update(let all, _, _, _): self.counts.append(all.count)
        case .error: break
        }
      }
    }
  }

  // The first actor opened the Realm that the second one uses.
  @Test func `an actor is notified after the end of another one on its executor`() async throws {
    let configuration = Shelter.configuration()
    let executor = SharedExecutor()
    weak var weakly: Sharing?
    let second = Sharing(executor)
    let first: NotificationToken
    do {
      let sharing = Sharing(executor)
      weakly = sharing
      first = try await sharing.open(configuration)
      try await second.watch(configuration)
    }
    try await waitUntil("the end of the actor") { weakly == nil }
    #expect(weakly == nil)
    try await waitUntil("the first notification") { await !second.counts.isEmpty }
    try await Task.detached {
      let realm = try Self.opened(configuration)
      try realm.write { realm.create(Keeper.self, value: ["id": 1]) }
    }.value
    try await waitUntil("the next notification") { await second.counts.count >= 2 }
    #expect(await second.counts == [0, 1])
    first.invalidate()
  }

  // A new actor often has the address of one that was released, whose Realm a token keeps.
  @Test func `an actor in the place of a released one is notified`() async throws {
    let configuration = Shelter.configuration()
    var tokens: [NotificationToken] = []
    for _ in 0..<20 {
      let holder = Holder()
      try await holder.open(configuration)
      tokens.append(try #require(await holder.anotherToken()))
      await holder.watch()
      try await waitUntil("the first notification") { await !holder.told.isEmpty }
      #expect(await holder.told == ["0"])
      await holder.stop()
    }
  }

  @Test func `a Realm does not keep its actor alive`() async throws {
    weak var weakly: Holder?
    do {
      let holder = Holder()
      weakly = holder
      try await holder.open(Shelter.configuration())
      try await holder.write(1)
      #expect(await holder.count == 1)
    }
    try await waitUntil("the end of the actor") { weakly == nil }
    #expect(weakly == nil)
  }

  @Test @MainActor func `the main actor is notified`() async throws {
    let configuration = Shelter.configuration()
    let realm = try await Realm(configuration: configuration, downloadBeforeOpen: .never)
    #expect(try Realm(configuration: configuration) == realm)
    var told: [Int] = []
    let token = realm.objects(Keeper.self).observe { change in
      switch change {
      case .initial(let all), .update(let all, _, _, _): told.append(all.count)
      case .error: break
      }
    }
    try await waitUntil("the first notification") { !told.isEmpty }
    try await Task.detached {
      let realm = try Realm(configuration: configuration)
      try realm.write { realm.create(Keeper.self, value: ["id": 1]) }
    }.value
    try await waitUntil("the next notification") { told.count >= 2 }
    #expect(told == [0, 1])
    token.invalidate()
  }

  // After the first suspension of the program the main actor is on other threads than the main one.
  @Test @MainActor func `a helper opens the Realm of the main actor`() async throws {
    let configuration = Shelter.configuration()
    let realm = try Self.opened(configuration)
    #expect(try Realm(configuration: configuration) == realm)
    #expect(try Realm(configuration: configuration, queue: .main) == realm)
    try await Task.sleep(for: .milliseconds(1))
    try realm.write { realm.create(Keeper.self, value: ["id": 1]) }
    let count = try await realm.asyncWrite { realm.objects(Keeper.self).count }
    #expect(count == 1)
    var told: [Int] = []
    let token = realm.objects(Keeper.self).observe { change in
      switch change {
      case .initial(let all), .update(let all, _, _, _):
        MainActor.assumeIsolated {}
        // The main actor keeps its Realms in a closure that it runs on another queue.
        told.append(DispatchQueue(label: "other").sync { all.count })
      case .error: break
      }
    }
    try await waitUntil("the first notification") { !told.isEmpty }
    try await Task.detached {
      let realm = try Self.opened(configuration)
      try realm.write { realm.create(Keeper.self, value: ["id": 2]) }
    }.value
    try await waitUntil("the next notification") { told.count >= 2 }
    #expect(told == [1, 2])
    token.invalidate()
  }

  @Test @MainActor func `a block on the main queue is on the main actor`() async throws {
    let configuration = Shelter.configuration()
    let realm = try Self.opened(configuration)
    let carried = Smuggled(realm)
    let isSame: Bool = await withCheckedContinuation { continuation in
      DispatchQueue.main.async {
        let opened = try? Self.opened(configuration)
        continuation.resume(returning: carried.value.isEmpty && opened == carried.value)
      }
    }
    #expect(isSame)
  }

  @Test func `observers on an actor`() async throws {
    actor Counter {
      var lines: [String] = []
      func note(_ line: String) { lines.append(line) }
      func wait(for count: Int) async throws -> [String] {
        try await waitUntil("the next notification") { lines.count >= count }
        return lines
      }
    }
    let configuration = Shelter.configuration()
    let realm = try await Realm.open(configuration: configuration)
    let counter = Counter()
    let token = await realm.objects(Keeper.self).observe(on: counter) { counter, change in
      switch change {
      case .initial(let all): counter.note("\(all.count)")
      case .update(let all, _, let insertions, _): counter.note("\(insertions.map { all[$0].age })")
      case .error: break
      }
    }
    #expect(try await counter.wait(for: 1) == ["0"])
    let keeper = try realm.write { realm.create(Keeper.self, value: ["id": 1, "age": 4]) }
    #expect(try await counter.wait(for: 2) == ["0", "[4]"])
    let other = await keeper.observe(on: counter) { counter, change in
      if case .change(_, let properties) = change {
        counter.note("\(properties.map { "\($0.name) \($0.oldValue ?? "-")" })")
      }
    }
    try realm.write { keeper.age = 5 }
    #expect(try await counter.wait(for: 4).sorted() == ["0", "[\"age 4\"]", "[4]", "[]"].sorted())
    token.invalidate()
    other.invalidate()
  }

  @Test func `an observer that begins in a cancelled task is never called`() async throws {
    actor Counter {
      var count = 0
      func note() { count += 1 }
    }
    let configuration = Shelter.configuration()
    let (counter, control) = (Counter(), Counter())
    let task = Task { () -> Bool in
      let realm = try await Realm.open(configuration: configuration)
      withUnsafeCurrentTask { $0?.cancel() }
      let token = await realm.objects(Keeper.self).observe(on: counter) { counter, _ in
        counter.note()
      }
      return token.invalidate()
    }
    #expect(try await !task.value)
    let realm = try await Realm.open(configuration: configuration)
    let token = await realm.objects(Keeper.self).observe(on: control) { control, _ in
      control.note()
    }
    try await waitUntil("the first state") { await control.count == 1 }
    #expect(await counter.count == 0)
    token.invalidate()
  }

  @Test func `a thread with a run loop is notified`() throws {
    let configuration = Shelter.configuration()
    let (told, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    Thread.detachNewThread {
      let loop = RunLoop.current
      let state = Smuggled<(token: NotificationToken?, isOver: Bool)>((nil, false))
      // Observers need a run loop that runs.
      let timer = Timer(timeInterval: 0, repeats: false) { _ in
        let realm = try? Realm(configuration: configuration)
        state.value.token = realm?.objects(Keeper.self).observe { change in
          if case .update = change { state.value.isOver = true }
          told.signal()
        }
      }
      loop.add(timer, forMode: .default)
      while !state.value.isOver {
        _ = loop.run(mode: .default, before: Date(timeIntervalSinceNow: 0.05))
      }
      state.value.token = nil
      done.signal()
    }
    told.waitForEvent("a notification")
    let realm = try Realm(configuration: configuration)
    try realm.write { realm.create(Keeper.self, value: ["id": 1]) }
    told.waitForEvent("a notification")
    done.waitForEvent("a notification")
  }

  /// Carries past the compiler what must stay where it is.
  private final class Smuggled<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  @Test func `changes as a sequence`() async throws {
    let configuration = Shelter.configuration()
    let realm = try await Realm.open(configuration: configuration)
    let writer = Task.detached {
      for id in 1...20 {
        let realm = try Realm(configuration: configuration)
        try realm.write { realm.create(Keeper.self, value: ["id": id]) }
        if id % 5 == 0 { try await Task.sleep(for: .milliseconds(3)) }
      }
    }
    var (counts, inserted) = ([Int](), 0)
    for await change in realm.objects(Keeper.self).changes() {
      switch change {
      case .initial(let all):
        counts.append(all.count)
        inserted = all.count
      case .update(let all, _, let insertions, _):
        counts.append(all.count)
        inserted += insertions.count
      case .error: break
      }
      if inserted == 20 { break }
    }
    try await writer.value
    #expect(counts.last == 20 && counts == counts.sorted())
    let keeper = realm.objects(Keeper.self)[3]
    let deleter = Task.detached {
      let realm = try Realm(configuration: configuration)
      let keeper = realm.objects(Keeper.self)[3]
      try realm.write { keeper.age = 9 }
      try await Task.sleep(for: .milliseconds(5))
      try realm.write { realm.delete(keeper) }
    }
    var lines: [String] = []
    for await change in keeper.changes() {
      switch change {
      case .change(_, let properties):
        lines += properties.map { "\($0.name) \($0.newValue ?? "-")" }
      case .deleted: lines.append("deleted")
      case .error: break
      }
    }
    try await deleter.value
    #expect(lines.last == "deleted" && Set(lines).isSubset(of: ["age 9", "deleted"]))
  }

  @Test func `asynchronous writes run in order`() throws {
    let configuration = Shelter.configuration()
    let corner = try Corner(configuration)
    let done = DispatchSemaphore(value: 0)
    var lines: [String] = []
    corner.enter { realm in
      realm.writeAsync({
        realm.create(Keeper.self, value: ["id": 1])
        lines.append("first")
      }) { error in lines.append("committed \(error == nil)") }
      let cancelled = realm.writeAsync({ lines.append("never") })
      realm.beginAsyncWrite {
        realm.create(Keeper.self, value: ["id": 2])
        lines.append("undone")
      }
      realm.beginAsyncWrite {
        realm.create(Keeper.self, value: ["id": 3])
        realm.commitAsyncWrite { _ in
          lines.append("completed")
          done.signal()
        }
      }
      try? realm.cancelAsyncWrite(cancelled)
      #expect(realm.isPerformingAsynchronousWriteOperations && lines.isEmpty)
      // A write in between delivers the pending notification.
      _ = try? realm.write { realm.create(Keeper.self, value: ["id": 4]) }
    }
    done.waitForEvent("a notification")
    corner.enter { realm in
      #expect(lines == ["first", "committed true", "undone", "completed"])
      #expect(realm.objects(Keeper.self).map(\.id).sorted() == [1, 3, 4])
      #expect(!realm.isPerformingAsynchronousWriteOperations)
    }
  }

  // MARK: ProgrammingError

  @Test func `on another thread`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let corner = try Corner(Shelter.configuration())
      _ = corner.realm.objects(Keeper.self).count
    }
    expectStop(
      result, says: "Realm accessed from incorrect thread: it was opened on the dispatch queue")
  }

  @Test func `in another task`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let task = Task.detached {
        Smuggled(try Realm(configuration: Shelter.configuration()))
      }
      _ = try await task.value.value.isEmpty
    }
    expectStop(result, says: "in another task")
  }

  @Test func `the main actor's in a task`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let carried = await MainActor.run {
        Smuggled(try? Self.opened(Shelter.configuration()))
      }
      // Also on the thread that ran the main actor last.
      for _ in 0..<100 { await Task.detached { _ = carried.value?.isEmpty }.value }
    }
    expectStop(result, says: "it was opened on the main actor.")
  }

  @Test func `off the queue that is given`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Realm(configuration: Shelter.configuration(), queue: DispatchQueue(label: "other"))
    }
    expectStop(result, says: "Realm opened from incorrect dispatch queue")
  }

  @Test func `writing to what is frozen`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let corner = try Corner(Shelter.configuration())
      try corner.write { $0.create(Keeper.self, value: ["id": 1]) }
      let keeper = corner.enter { $0.objects(Keeper.self)[0].freeze() }
      keeper.age = 3
    }
    expectStop(result, says: "Attempting to modify a frozen object")
  }

  @Test func `a transaction of a frozen Realm`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let corner = try Corner(Shelter.configuration())
      corner.enter { $0.freeze() }.beginWrite()
    }
    expectStop(result, says: "Can't perform transactions on a frozen Realm")
  }

  @Test func `observing what is frozen`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let corner = try Corner(Shelter.configuration())
      _ = corner.enter { $0.freeze() }.objects(Keeper.self).observe { _ in }
    }
    expectStop(result, says: "Frozen Realms do not change and do not have change notifications")
  }

  @Test func `freezing what was just created`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let corner = try Corner(Shelter.configuration())
      try corner.write { _ = $0.create(Keeper.self, value: ["id": 1]).freeze() }
    }
    expectStop(
      result, says: "Cannot freeze an object in the same write transaction as it was created in")
  }

  @Test func `freezing what no Realm manages`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Keeper().freeze()
    }
    expectStop(result, says: "Unmanaged objects cannot be frozen")
  }

  @Test func `resolving twice`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let corner = try Corner(Shelter.configuration())
      try corner.write { $0.create(Keeper.self, value: ["id": 1]) }
      corner.enter { realm in
        let reference = ThreadSafeReference(to: realm.objects(Keeper.self)[0])
        _ = realm.resolve(reference)
        _ = realm.resolve(reference)
      }
    }
    expectStop(result, says: "Can only resolve a thread safe reference once")
  }

  @Test func `a key path that leads nowhere`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let corner = try Corner(Shelter.configuration())
      _ = corner.enter { $0.objects(Keeper.self).observe(keyPaths: ["dogs.colour"]) { _ in } }
    }
    expectStop(
      result,
      says: "Property 'colour' in KeyPath 'dogs.colour' is not a valid property in Greyhound")
  }

  @Test func `observing where no notification can be delivered`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await Task.detached {
        let realm = try Realm(configuration: Shelter.configuration())
        _ = realm.objects(Keeper.self).observe { _ in }
      }.value
    }
    expectStop(result, says: "Can only add notification blocks from within runloops")
  }

  @Test func `observing amid changes`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let corner = try Corner(Shelter.configuration())
      try corner.write { realm in
        realm.create(Keeper.self, value: ["id": 1])
        _ = realm.objects(Keeper.self).observe { _ in }
      }
    }
    expectStop(
      result, says: "Cannot create asynchronous query after making changes in a write transaction")
  }

  @Test func `too many versions`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      var configuration = Shelter.configuration()
      configuration.maximumNumberOfActiveVersions = 3
      let corner = try Corner(configuration)
      var held: [Realm] = []
      for id in 0..<10 {
        try corner.write { $0.create(Keeper.self, value: ["id": id]) }
        held.append(corner.enter { $0.freeze() })
      }
    }
    expectStop(result, says: "in the Realm exceeded the limit of 3")
  }

  @Test func `the wrong token`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (first, second) = (
        try Corner(Shelter.configuration()), try Corner(Shelter.configuration())
      )
      let token = first.enter { $0.objects(Keeper.self).observe { _ in } }
      try second.enter { try $0.write(withoutNotifying: [token]) {} }
    }
    expectStop(result, says: "only notifications for the Realm being modified can be skipped")
  }
}
