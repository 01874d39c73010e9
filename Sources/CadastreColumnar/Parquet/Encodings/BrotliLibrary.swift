import Foundation

/// The library libbrotlidec, which is loaded when it is first needed.
///
/// Source: `brotli/decode.h` of github.com/google/brotli, version 1.0.9.
package enum BrotliLibrary {
  private typealias Decompress =
    @convention(c) (
      Int, UnsafePointer<UInt8>?, UnsafeMutablePointer<Int>, UnsafeMutablePointer<UInt8>?
    ) -> Int32

  #if canImport(Darwin)
    private static let names = ["", "/opt/homebrew/lib/", "/usr/local/lib/"].map {
      $0 + "libbrotlidec.1.dylib"
    }
  #else
    private static let names = ["libbrotlidec.so.1"]
  #endif

  private static let decompress: Decompress? = {
    for name in names {
      guard let library = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
      guard let function = dlsym(library, "BrotliDecoderDecompress") else { return nil }
      return unsafeBitCast(function, to: Decompress.self)
    }
    return nil
  }()

  /// Whether the library is installed.
  package static var isInstalled: Bool { decompress != nil }

  /// Decompresses bytes.
  ///
  /// - Parameters:
  ///   - input: The compressed bytes.
  ///   - count: The size of the result in bytes.
  /// - Returns: Exactly `count` bytes; nil for invalid data.
  /// - Throws: ``ColumnarError`` if the library is not installed.
  static func decompress(
    _ input: ArraySlice<UInt8>, to count: Int
  ) throws(ColumnarError) -> [UInt8]? {
    guard let decompress else {
      throw .unsupported(
        "the data is compressed with Brotli, and the library libbrotlidec is not installed "
          + "(package libbrotli1)")
    }
    var produced = count
    let output = [UInt8](unsafeUninitializedCapacity: count) { output, filled in
      let isComplete = input.withUnsafeBufferPointer { input in
        decompress(input.count, input.baseAddress, &produced, output.baseAddress) == success
      }
      if !isComplete { produced = 0 }
      filled = produced
    }
    return produced == count ? output : nil
  }

  /// `BROTLI_DECODER_RESULT_SUCCESS`.
  private static let success: Int32 = 1
}
