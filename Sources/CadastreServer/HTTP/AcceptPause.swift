#if Server
  import Foundation
  import NIOCore

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
