import Testing

@testable import Crosstie

@Suite struct RouteBlockTests {
    private let text = "a segment of more than sixteen bytes"
    private let other = "A SEGMENT OF MORE THAN SIXTEEN BYTES"

    /// A long segment whose hash equals another one's is still another segment.
    @Test func longSegmentsAreComparedAsText() throws {
        let block = try #require(RouteBlock.create(RouteCapacity(routes: 0), seeds: RouteSeeds(start: 1, factor: 2)))
        let (bytes, forged) = (padded(text), padded(other))
        let key = try #require(longKey(of: bytes))
        let start = bytes.withUnsafeBytes {
            block.pointee.addText(UnsafeRawBufferPointer(rebasing: $0.prefix(text.utf8.count)))
        }
        block.pointee.add(key, high: UInt64(start), hash: PathHash(word: 7), from: 0, to: NodeReference(leaf: 1).word)
        #expect(find(key, bytes, in: block) != nil)
        #expect(find(key, forged, in: block) == nil)
        RouteBlock.destroy(block)
    }

    /// A short segment made of the bytes of a long one's hash has another key.
    @Test func longKeysAreNoText() throws {
        let long = try #require(longKey(of: padded(text)))
        let short = withUnsafeBytes(of: (long.low.littleEndian, UInt64(0))) { bytes in
            bytes.baseAddress.map { SegmentKey($0, 8, seeds: RouteSeeds(start: 1, factor: 2)) }
        }
        #expect(short?.low == long.low && short?.size != long.size)
    }

    @Test func keysEndWithTheirSegment() {
        let bytes = padded("0123456789abcdefX")
        for length in 0...16 {
            let key = bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { SegmentKey($0, length, seeds: RouteSeeds(start: 1, factor: 2)) }
            }
            var words = (UInt64(0), UInt64(0))
            withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes.prefix(length)) }
            #expect(key?.low.littleEndian == words.0 && key?.high.littleEndian == words.1, "\(length)")
            #expect(key?.isLong == false)
        }
    }

    private func padded(_ text: String) -> [UInt8] { Array(text.utf8) + Array(repeating: 0xFF, count: 16) }

    private func longKey(of bytes: [UInt8]) -> SegmentKey? {
        bytes.withUnsafeBytes { text in
            text.baseAddress.map { SegmentKey($0, text.count - 16, seeds: RouteSeeds(start: 1, factor: 2)) }
        }
    }

    private func find(
        _ key: SegmentKey, _ bytes: [UInt8], in block: UnsafeMutablePointer<RouteBlock>
    ) -> UnsafeMutablePointer<RouteEntry>? {
        bytes.withUnsafeBytes { bytes in bytes.baseAddress.flatMap { block.find(0, key, PathHash(word: 7), $0) }
        }
    }
}
