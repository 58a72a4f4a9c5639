/// 16 bytes that tell a step, or a message of the host, from every other one.
package struct StepToken: Equatable {
    private let words: (UInt64, UInt64)

    package static var size: Int { 16 }

    /// A new one.
    init() { words = (.random(in: .min ... .max), .random(in: .min ... .max)) }

    /// Nil for bytes of another number.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == StepToken.size else { return nil }
        words = (
            bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        )
    }

    package static func == (left: StepToken, right: StepToken) -> Bool { left.words == right.words }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words) { body($0) }
    }
}

/// The record of a member's newest step: `StoreKey.token`.
extension StepToken {
    private static var format: UInt8 { 1 }
    private static var headerSize: Int { 8 }

    var encoded: [UInt8] {
        [StepToken.format] + [UInt8](repeating: 0, count: StepToken.headerSize - 1) + withBytes { Array($0) }
    }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    init?(record: UnsafeRawBufferPointer) {
        let size = StepToken.headerSize + StepToken.size
        guard record.count == size, record.first == StepToken.format else { return nil }
        self.init(UnsafeRawBufferPointer(rebasing: record[StepToken.headerSize...]))
    }
}
