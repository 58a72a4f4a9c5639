@testable import Crosstie
@testable import CrosstieJoin

/// Memory that a peer has written: for each piece three bytes give the offset, and the rest the bytes. Frames and answers
/// have lengths within their places, and taking frames comes to an end.
enum FuzzedMemory {
    /// The fuzzer has one thread.
    nonisolated(unsafe) private static let shared = SharedMemory.make()?.memory
    /// The first pages of both directions, and of their data.
    private static let spoiled = 3 * SharedLayout.pageSize + 2 * SharedLayout.slotSize

    static func run(_ input: UnsafeRawBufferPointer) {
        guard let shared else { return demand(false, "there is no shared memory") }
        shared.bytes(0).initializeMemory(as: UInt8.self, repeating: 0, count: spoiled)
        let slots = AnswerSlots(shared, direction: 1)
        let tickets = (0..<SharedLayout.slots).compactMap { _ in slots.reserve() }
        demand(tickets.count == SharedLayout.slots && slots.reserve() == nil, "\(tickets.count) places for answers")
        for piece in Pieces.of(input, limit: 32) where piece.count > 3 {
            let place = Int(piece.number(3)) % spoiled
            let room = UnsafeMutableRawBufferPointer(start: shared.bytes(place), count: spoiled - place)
            room.copyBytes(from: piece.after(3).prefix(room.count))
        }
        takeFrames(shared)
        sendFrames(shared)
        checkAnswers(shared, slots, tickets)
    }

    private static func takeFrames(_ shared: SharedMemory) {
        let inbox = Inbox(shared, direction: 0)
        for taken in 0...SharedLayout.slots {
            guard case .entry(let entry) = inbox.next else { return }
            demand(taken < SharedLayout.slots, "more frames than there are slots")
            demand(entry.size <= entry.location.size, "a frame of \(entry.size) bytes in \(entry.location)")
            demand(entry.ticket.map { $0.index < SharedLayout.slots } ?? true, "a place for an answer that is none")
            demand(inbox.copy(entry).count == entry.size, "a copy of another size")
            if let ticket = entry.ticket { _ = shared.answer(UnsafeRawBufferPointer(shared.text), in: 0, ticket) }
            var outside = inbox.outside(entry, limit: SharedLayout.largeBlockSize)
            // A slot has no bytes beside its frame; there, any do.
            if outside.isEmpty { outside = OutsideBytes(UnsafeRawBufferPointer(shared.text)) }
            inbox.copy(entry).withUnsafeBytes { decode($0, &outside) }
            inbox.take(entry)
            inbox.giveBack(entry)
        }
    }

    /// Bytes that a value names are within its block.
    private static func decode(_ message: UnsafeRawBufferPointer, _ outside: inout OutsideBytes) {
        if let value = try? MessagePack.decode(message, [], &outside) { value.release() }
    }

    private static func sendFrames(_ shared: SharedMemory) {
        var outbox = Outbox(shared, direction: 1)
        for size in [1, SharedLayout.slotSize, SharedLayout.slotSize + 1, SharedLayout.largeBlockSize] {
            let frame = [UInt8](repeating: 7, count: size)
            _ = frame.withUnsafeBytes { outbox.send($0, nil) }
        }
        _ = (outbox.turnToSocket(), outbox.isHalfEmpty)
    }

    private static func checkAnswers(_ shared: SharedMemory, _ slots: AnswerSlots, _ tickets: [AnswerTicket]) {
        for ticket in tickets {
            if case .written(let frame) = slots.progress(ticket) {
                demand(frame.count <= SharedLayout.slotSize, "an answer of \(frame.count) bytes")
            }
            slots.giveBack(ticket)
        }
        var reserved = 0
        while reserved <= SharedLayout.slots, slots.reserve() != nil { reserved += 1 }
        demand(reserved <= SharedLayout.slots, "a place is there twice")
    }
}

extension SharedMemory {
    /// Any bytes.
    fileprivate var text: UnsafeBufferPointer<UInt8> { ("an answer" as StaticString).bytes }
}
