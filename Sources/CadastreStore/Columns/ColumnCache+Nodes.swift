import CadastreModel
import CadastreSQLite

/// Nodes of spatial indexes.
extension ColumnCache {
  /// The nodes that the commits after a reader's version up to another one have changed.
  typealias LaterNodes = (version: Int64, nodes: NodeSet)

  /// Returns the cached nodes of an index that are valid for a reader; a newer version advances the nodes.
  ///
  /// - Parameters:
  ///   - index: The name of the index.
  ///   - version: The reader's version, or the version that its transaction changes.
  ///   - history: The nodes that recent commits have changed.
  ///   - uncommitted: The nodes that the reader's transaction has changed.
  ///   - isUse: Whether to record a use of the index.
  ///   - later: The changes after the reader's version that its last call has found.
  /// - Returns: The nodes; nil where the budget is 0, or the changes after the reader's version are unknown.
  func openNodes(
    of index: String, at version: Int64, _ history: NodeHistory, _ uncommitted: NodeSet,
    isUse: Bool, _ later: inout LaterNodes?
  ) -> NodeView? {
    // The changes since the version of the image, where the reader's version is newer.
    var earlier: (version: Int64, nodes: NodeSet?)?
    while true {
      let (earlierNodes, laterNodes) = (earlier, later)
      let opened = state.withLock { state -> (view: NodeView?, version: Int64, isCheckDue: Bool)? in
        guard state.report.budget > 0 else { return nil }
        if state.nodes[index] == nil { state.nodes[index] = NodeImage(at: version) }
        guard let newest = state.nodes[index]?.version else { return nil }
        var excluded = uncommitted
        if newest < version {
          guard let earlierNodes, earlierNodes.version == newest else {
            return (nil, newest, false)
          }
          state.changeNodes(of: index) { $0.advance(to: version, earlierNodes.nodes) }
        } else if newest > version {
          guard let laterNodes, laterNodes.version == newest else { return (nil, newest, false) }
          excluded.formUnion(laterNodes.nodes)
        }
        if isUse { state.noteUse(of: index) }
        let view = state.nodes[index].map { image in
          NodeView(image, excluding: excluded, time: image.use.previous)
        }
        return (view, version, state.isMemoryCheckDue())
      }
      guard let opened else { return nil }
      if opened.isCheckDue { adaptToMemory() }
      if let view = opened.view { return view }
      let newest = opened.version
      if newest < version {
        earlier = (newest, history.changes(of: index, after: newest, through: version))
        continue
      }
      // The changes after the reader's version may be unknown.
      var known = later ?? (version, NodeSet())
      guard let next = history.changes(of: index, after: known.version, through: newest) else {
        return nil
      }
      known.nodes.formUnion(next)
      later = (newest, known.nodes)
    }
  }

  /// Caches nodes that a reader has read from the file, except those that later commits have changed.
  ///
  /// - Parameters:
  ///   - nodes: The nodes.
  ///   - index: The name of the index.
  ///   - nodeBytes: The size of a node in the file in bytes.
  ///   - version: The reader's version.
  ///   - history: The nodes that recent commits have changed.
  ///   - time: The time of the reader's ``NodeView``.
  /// - Returns: False where the cache has no room for the nodes.
  func insert(
    _ nodes: [NumberedNode], of index: String, nodeBytes: Int, at version: Int64,
    _ history: NodeHistory, time: UInt64
  ) -> Bool {
    while true {
      guard let newest = state.withLock({ $0.nodes[index]?.version }),
        let changed = history.changes(of: index, after: version, through: newest)
      else { return true }
      let inserted = state.withLock { state -> (isDone: Bool, isCheckDue: Bool)? in
        guard let image = state.nodes[index], image.version == newest else { return nil }
        guard Self.hasRoom(for: image.byteCount(adding: nodes), state, before: time) else {
          return (false, false)
        }
        state.changeNodes(of: index) { image in
          for (number, node) in nodes where !changed.contains(number) {
            image.insert(node, number, nodeBytes: nodeBytes)
          }
        }
        state.report.nodeFills += nodes.count
        Self.evict(&state, before: time)
        return (true, state.isMemoryCheckDue())
      }
      guard let inserted else { continue }
      if inserted.isCheckDue { adaptToMemory() }
      return inserted.isDone
    }
  }
}

extension ColumnCache.State {
  /// Records the use of the nodes of an index.
  fileprivate mutating func noteUse(of index: String) {
    clock += 1
    nodes[index]?.use.note(clock)
  }
}
