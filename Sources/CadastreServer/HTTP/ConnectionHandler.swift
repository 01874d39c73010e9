#if Server
  import Foundation
  import NIOCore
  import NIOHTTP1

  /// Closes a connection whose client is too slow, and adds the header fields that every reply has.
  ///
  /// The handler is next to the parser, so replies that the HTTP library makes itself pass it too.
  final class ConnectionHandler: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var deadlines = ConnectionDeadlines(start: .now)
    private var timer: (end: ContinuousClock.Instant, task: Scheduled<Void>)?
    /// Whether the connection reads no further requests.
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
        // The parser of NIO stops after a request for another protocol, and would collect all further bytes.
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

    /// Writes a part of a reply, and notes when the system has taken it.
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

    /// Lets the timer run at the next deadline; one that runs earlier sets itself again.
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

    /// Adds the handler to a connection.
    ///
    /// The HTTP library adds its own handlers behind the translation from HTTP/1.1, where heads that it cannot
    /// translate and the form of the target are not seen.
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

  /// Pauses the acceptance of connections where the process has no descriptor, or the system no memory, for another.
  ///
  /// The first handler of a server's socket. After an `accept` that failed, NIO waits for the socket again, which
  /// still has a connection, so that the event loop would run without an end: `AcceptBackoffHandler` delays only new
  /// reads, and the failed one is still pending. Without the option `autoRead`, the event loop ignores the socket.
  final class AcceptPause: ChannelDuplexHandler {
    typealias InboundIn = NIOAny
    typealias OutboundIn = NIOAny

    /// The length of a pause.
    private static let duration = TimeAmount.milliseconds(100)
    private static let exhaustion: Set<CInt> = [EMFILE, ENFILE, ENOBUFS, ENOMEM]

    private var isPaused = false

    func read(context: ChannelHandlerContext) {
      // The end of a pause begins a read.
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
        // Fails only where the server has ended meanwhile.
        try? channel.syncOptions?.setOption(ChannelOptions.autoRead, value: true)
      }
    }
  }
#endif
