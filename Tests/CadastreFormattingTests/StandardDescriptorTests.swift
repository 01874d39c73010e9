import CadastreFormatting
import Foundation
import Testing

@Suite struct StandardDescriptorTests {
  @Test func `closed descriptors are opened so that no file gets their numbers`() async {
    await #expect(processExitsWith: .success) {
      for descriptor: Int32 in 0...2 { close(descriptor) }
      StandardDescriptors.openMissing()
      var byte: UInt8 = 0
      let isUsed = (0...2).allSatisfy { fcntl(Int32($0), F_GETFD) >= 0 }
      let isUnusable = read(0, &byte, 1) < 0 && write(1, &byte, 1) < 0 && write(2, &byte, 1) < 0
      let next = open("/dev/null", O_RDONLY)
      exit(isUsed && isUnusable && next > 2 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test func `open descriptors stay`() async {
    await #expect(processExitsWith: .success) {
      var pipes: [Int32] = [0, 0]
      guard pipe(&pipes) == 0, dup2(pipes[1], 1) == 1 else { exit(EXIT_FAILURE) }
      close(2)
      StandardDescriptors.openMissing()
      var byte: UInt8 = 7
      var received: UInt8 = 0
      let isPassed = write(1, &byte, 1) == 1 && read(pipes[0], &received, 1) == 1
      exit(isPassed && received == 7 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }
}
