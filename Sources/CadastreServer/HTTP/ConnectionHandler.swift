#if Server
  import Foundation
  import NIOCore
  import NIOHTTP1

  /// The handler that closes connections of slow clients, and adds the common header fields to every reply.
  ///
  /// The handler is next to the parser, so that it also processes replies of the HTTP library itself.
  final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var deadlines = ConnectionDeadlines(start: .now)
    private var timer: (end: ContinuousClock.Instant, task: Scheduled<Void>)?
    /// Whether the connection ends after the current requests.
    private var isEnding = false

    func channelActive(context: ChannelHandlerContext) {
      setTimer(context)
      context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
      timer?.task.cancel()
      timer = nil
      context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(var head):
        deadlines.receivedHead(at: .now)
        if head.method == .CONNECT || head.headers.contains(name: "Upgrade") { isEnding = true }
        if head.headers["Host"].count == 1,
          let authority = ServerRequest.authority(ofTarget: head.uri)
        {
          head.headers.replaceOrAdd(name: "Host", value: authority)
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
      case .body: context.fireChannelRead(data)
      case .end:
        deadlines.receivedEnd(at: .now)
        // After a request for another protocol, the parser of NIO would buffer all further bytes.
        if isEnding {
          try? context.channel.syncOptions?.setOption(ChannelOptions.autoRead, value: false)
        }
        context.fireChannelRead(data)
      }
      setTimer(context)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      switch unwrapOutboundIn(data) {
      case .head(var head):
        for (name, value) in ServerReply.protection where !head.headers.contains(name: name) {
          head.headers.add(name: name, value: value)
        }
        if isEnding, deadlines.openRequests <= 1 {
          head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        context.write(wrapOutboundOut(.head(head)), promise: promise)
      case .body(.byteBuffer(var buffer)):
        while buffer.readableBytes > ConnectionDeadlines.mostPartBytes,
          let part = buffer.readSlice(length: ConnectionDeadlines.mostPartBytes)
        {
          send(.body(.byteBuffer(part)), context, nil)
        }
        send(.body(.byteBuffer(buffer)), context, promise)
      case let part: send(part, context, promise)
      }
    }

    /// Writes a part of a reply, and records when the system has accepted it.
    private func send(
      _ part: HTTPServerResponsePart, _ context: ChannelHandlerContext,
      _ promise: EventLoopPromise<Void>?
    ) {
      deadlines.wrotePart(at: .now)
      let sent = context.eventLoop.makePromise(of: Void.self)
      sent.futureResult.cascade(to: promise)
      sent.futureResult.assumeIsolated().whenComplete { [self] _ in
        deadlines.sentPart(at: .now)
        if case .end = part { deadlines.sentReply(at: .now) }
        setTimer(context)
      }
      context.write(wrapOutboundOut(part), promise: sent)
      setTimer(context)
    }

    /// Schedules the timer for the next deadline; an earlier timer reschedules itself.
    private func setTimer(_ context: ChannelHandlerContext) {
      guard context.channel.isActive, let end = deadlines.next else { return }
      if let timer {
        guard end < timer.end else { return }
        timer.task.cancel()
      }
      let task = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(end - .now)) {
        [self] in
        timer = nil
        if let end = deadlines.next, end <= .now {
          context.close(promise: nil)
        } else {
          setTimer(context)
        }
      }
      timer = (end, task)
    }

    /// The handler that adds ``ConnectionHandler`` to a connection.
    ///
    /// The HTTP library adds handlers of the configuration after the conversion from HTTP/1.1, which drops invalid
    /// heads and the form of the target. So this handler inserts ``ConnectionHandler`` before the conversion.
    final class Installation: ChannelInboundHandler, RemovableChannelHandler {
      typealias InboundIn = NIOAny

      func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
          let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
          try pipeline.addHandler(ConnectionHandler(), position: .after(parser))
        } catch {
          context.close(promise: nil)
        }
      }
    }
  }

  /// The handler that pauses accepting connections when descriptors or memory are exhausted.
  ///
  /// The handler is the first one of the server's socket. After a failed `accept`, the socket still has a pending
  /// connection, so that the event loop of NIO would retry without a pause: `AcceptBackoffHandler` delays only new
  /// reads. While the option `autoRead` is off, the event loop ignores the socket.
  final class AcceptPause: ChannelDuplexHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    /// The length of a pause.
    private static let duration = TimeAmount.milliseconds(100)
    private static let exhaustion: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private var isPaused = false

    func read(context: ChannelHandlerContext) {
      // Setting `autoRead` at the end of the pause triggers a read.
      if !isPaused { context.read() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      guard let failure = error as? IOError, Self.exhaustion.contains(failure.errnoCode) else {
        context.fireErrorCaught(error)
        return
      }
      guard !isPaused else { return }
      isPaused = true
      let channel = context.channel
      try? channel.syncOptions?.setOption(ChannelOptions.autoRead, value: false)
      context.eventLoop.assumeIsolated().scheduleTask(in: Self.duration) { [self] in
        isPaused = false
        // Fails only if the server has ended.
        try? channel.syncOptions?.setOption(ChannelOptions.autoRead, value: true)
      }
    }
  }
#endif
