internal import Glibc

/// Options of a durable consumer. It has a record of its own, beside the cursor, which is written far more often; a
/// name without one has the defaults.
public struct DurableOptions: Sendable, Hashable {
    /// A message that was handed out so often is a dead letter; 0: never.
    public var maximumDeliveries: UInt32 = 0
    /// The identifier of dead letters; empty: the message's own, followed by `.dead`.
    package var deadLetter: [UInt8] = []
    public var backOff = BackOff()
    /// Messages, and bytes of their values, that wait to be handed out for the first time; 0: the group's limits.
    public var maximumMessages: UInt64 = 0
    public var maximumSize: UInt64 = 0
    public var whenFull = WhenFull.dropOldest
    /// Nanoseconds without a listener after which a consumer is removed; 0: never.
    package var expiry: UInt64 = 0

    /// The identifier of dead letters; empty: the message's own, followed by `.dead`.
    public var deadLetterIdentifier: String {
        get { String(decoding: deadLetter, as: UTF8.self) }
        set { deadLetter = Array(newValue.utf8) }
    }

    /// The time without a listener after which a consumer is removed; nil: never.
    public var expires: Duration? {
        get { expiry == 0 ? nil : Duration(nanoseconds: expiry) }
        set { expiry = newValue.map { max($0.wholeNanoseconds, 1) } ?? 0 }
    }

    public init() {}

    /// The delay before a rejected message is redelivered.
    public struct BackOff: Sendable, Hashable {
        /// Nanoseconds after the first delivery, and at most.
        package var first: UInt64 = 100_000_000
        package var most: UInt64 = 60_000_000_000
        /// By which it grows with each further delivery: 1 to 1,000.
        public var factor = 2.0
        /// The largest share by which it is shortened at random: 0 to 1.
        public var jitter = 0.0

        /// The delay after the first delivery.
        public var initial: Duration {
            get { Duration(nanoseconds: first) }
            set { first = newValue.wholeNanoseconds }
        }

        /// The longest delay.
        public var maximum: Duration {
            get { Duration(nanoseconds: most) }
            set { most = newValue.wholeNanoseconds }
        }

        public init() {}

        /// The pause of a message after so many deliveries.
        func pause(afterAttempts attempts: UInt32) -> UInt64 {
            guard first > 0 else { return 0 }
            let pause = Double(first) * pow(factor, Double(max(attempts, 1) - 1))
            // Also for an infinite one.
            let whole = pause < Double(most) ? UInt64(pause) : most
            guard jitter > 0 else { return whole }
            return whole &- min(UInt64(Double(whole) * jitter * Double.random(in: 0..<1)), whole)
        }
    }

    /// The policy for a message without room. The numbers are those of `CTIE_FULL_…` and of the record.
    public enum WhenFull: UInt32, Sendable {
        /// The oldest ones are dropped, and the consumer's listener gets the number of them.
        case dropOldest = 0
        /// Sending it fails.
        case refuse = 1
        /// Sending it waits for room, until its timeout.
        case wait = 2
    }

    /// - Throws: *invalidArgument* for a number out of range, *invalidIdentifier* for that of dead letters.
    func check() throws(CrosstieError) {
        guard (1...1000).contains(backOff.factor) else {
            throw CrosstieError(.invalidArgument, "a factor is 1 to 1000", at: "options.backoff_factor")
        }
        guard (0...1).contains(backOff.jitter) else {
            throw CrosstieError(.invalidArgument, "a jitter is 0 to 1", at: "options.backoff_jitter")
        }
        guard backOff.first <= backOff.most else {
            throw CrosstieError(
                .invalidArgument, "the first pause is longer than the longest", at: "options.backoff_first_ms")
        }
        let isIdentifier = deadLetter.withUnsafeBytes { Identifier($0) != nil }
        guard deadLetter.isEmpty || isIdentifier else {
            throw CrosstieError(.invalidIdentifier, "no identifier of dead letters", at: "options.dead_letter")
        }
    }

    /// - Throws: *invalidIdentifier* for that of dead letters, where the name would be given those instead of what it is for.
    func check(for topic: Topic) throws(CrosstieError) {
        try check()
        guard topic.isPrefix || deadLetter.isEmpty || deadLetter != topic.text else {
            throw CrosstieError(
                .invalidIdentifier, "a name's own identifier for its dead letters", at: "options.dead_letter")
        }
    }

    /// Whether a message with so many deliveries is a dead letter.
    func areEnough(_ attempts: UInt32) -> Bool { maximumDeliveries > 0 && attempts >= maximumDeliveries }

    private static var deadSuffix: [UInt8] { [0x2E, 0x64, 0x65, 0x61, 0x64] }

    /// The identifier under which a dead letter is forwarded; nil for none.
    func deadLetter(of identifier: UnsafeRawBufferPointer) -> [UInt8]? {
        let text = deadLetter.isEmpty ? Array(identifier) + DurableOptions.deadSuffix : deadLetter
        return text.withUnsafeBytes { Identifier($0) != nil } ? text : nil
    }

    /// Whether an identifier below the name's prefix is that of its dead letters, which it is not given.
    func isOfDeadLetters(_ identifier: UnsafeRawBufferPointer) -> Bool {
        guard maximumDeliveries > 0 else { return false }
        if !deadLetter.isEmpty { return identifier.elementsEqual(deadLetter) }
        return identifier.suffix(5).elementsEqual(DurableOptions.deadSuffix)
    }

    /// The first option by its name in C that is another one; nil if none is.
    func difference(from other: DurableOptions) -> String? {
        if maximumDeliveries != other.maximumDeliveries { return "max_deliveries" }
        if deadLetter != other.deadLetter { return "dead_letter" }
        if backOff != other.backOff { return "backoff" }
        if maximumMessages != other.maximumMessages { return "max_messages" }
        if maximumSize != other.maximumSize { return "max_size" }
        if whenFull != other.whenFull { return "when_full" }
        return expiry == other.expiry ? nil : "expires"
    }
}

/// The record: 72 bytes, and the identifier of dead letters.
extension DurableOptions {
    /// The fields of the header.
    enum Layout {
        static var format: RecordField<UInt32> { RecordField(0) }
        static var maximumDeliveries: RecordField<UInt32> { RecordField(4) }
        static var whenFull: RecordField<UInt32> { RecordField(8) }
        static var deadLetterSize: RecordField<UInt32> { RecordField(12) }
        static var first: RecordField<UInt64> { RecordField(16) }
        static var most: RecordField<UInt64> { RecordField(24) }
        static var factor: RecordField<UInt64> { RecordField(32) }
        static var jitter: RecordField<UInt64> { RecordField(40) }
        static var maximumMessages: RecordField<UInt64> { RecordField(48) }
        static var maximumSize: RecordField<UInt64> { RecordField(56) }
        static var expiry: RecordField<UInt64> { RecordField(64) }
        static var size: Int { 72 }
    }

    private static var format: UInt32 { 1 }
    private static var headerSize: Int { Layout.size }

    var encodedSize: Int { DurableOptions.headerSize + deadLetter.count }

    /// Reads a record, of which every byte may be wrong; nil when it is none.
    @inline(never)
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= DurableOptions.headerSize, bytes[Layout.format] == DurableOptions.format,
            let whenFull = WhenFull(rawValue: bytes[Layout.whenFull]),
            bytes.count - DurableOptions.headerSize == Int(bytes[Layout.deadLetterSize])
        else { return nil }
        self.whenFull = whenFull
        maximumDeliveries = bytes[Layout.maximumDeliveries]
        backOff.first = bytes[Layout.first]
        backOff.most = bytes[Layout.most]
        backOff.factor = Double(bitPattern: bytes[Layout.factor])
        backOff.jitter = Double(bitPattern: bytes[Layout.jitter])
        maximumMessages = bytes[Layout.maximumMessages]
        maximumSize = bytes[Layout.maximumSize]
        expiry = bytes[Layout.expiry]
        deadLetter = Array(bytes[DurableOptions.headerSize...])
        if (try? check()) == nil { return nil }
    }

    /// Writes the record into room of ``encodedSize``.
    @inline(never)
    func write(into room: UnsafeMutableRawBufferPointer) {
        guard let base = room.baseAddress, room.count >= encodedSize else { return }
        base[Layout.format] = DurableOptions.format
        base[Layout.maximumDeliveries] = maximumDeliveries
        base[Layout.whenFull] = whenFull.rawValue
        base[Layout.deadLetterSize] = UInt32(clamping: deadLetter.count)
        base[Layout.first] = backOff.first
        base[Layout.most] = backOff.most
        base[Layout.factor] = backOff.factor.bitPattern
        base[Layout.jitter] = backOff.jitter.bitPattern
        base[Layout.maximumMessages] = maximumMessages
        base[Layout.maximumSize] = maximumSize
        base[Layout.expiry] = expiry
        UnsafeMutableRawBufferPointer(rebasing: room[DurableOptions.headerSize...]).copyBytes(from: deadLetter)
    }
}

extension StoreTransaction {
    /// The options that a durable consumer was declared with; the defaults if it was not declared. A damaged record
    /// stands for them, too.
    func durableOptions(_ key: CursorKey) throws(CrosstieError) -> DurableOptions {
        try key.bytes.withBytes { bytes throws(CrosstieError) in
            try get(StoreKey.declared, bytes).flatMap { DurableOptions($0) } ?? DurableOptions()
        }
    }

    func put(_ options: DurableOptions, _ key: CursorKey) throws(CrosstieError) {
        try key.bytes.withBytes { bytes throws(CrosstieError) in
            options.write(into: try reserve(StoreKey.declared, bytes, size: options.encodedSize))
        }
    }
}
