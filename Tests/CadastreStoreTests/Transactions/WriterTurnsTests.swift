import Testing

@testable import CadastreStore

/// Offers of the turn that their requests do not claim.
@Suite struct WriterTurnsTests {
  private let turns = WriterTurns()
  private let request = WriterTurns.Request(until: .now + .seconds(3600)) {}

  @Test func `a request keeps its position when its offer was passed on`() {
    turns.add(request)
    // The offer is passed to this thread.
    #expect(turns.wait(until: .now + .seconds(3600)))
    #expect(!turns.withdrawOffer(of: request))
    turns.release()
    #expect(turns.claim(request) == .waiting)
    #expect(turns.claim(request) == .granted)
  }

  @Test func `a request whose offer is withdrawn is the next one`() {
    turns.add(request)
    #expect(turns.withdrawOffer(of: request))
    #expect(!turns.withdrawOffer(of: request))
    #expect(turns.claim(request) == .waiting)
    turns.release()
    #expect(turns.claim(request) == .granted)
    #expect(!turns.withdrawOffer(of: request))
  }

  @Test func `a cancelled request is not offered the turn again`() {
    turns.add(request)
    #expect(turns.wait(until: .now + .seconds(3600)))
    #expect(!turns.cancel(request))
    turns.release()
    #expect(turns.claim(request) == .expired)
  }
}
