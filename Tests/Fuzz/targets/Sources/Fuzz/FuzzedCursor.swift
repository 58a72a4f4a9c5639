@testable import Crosstie

/// The record of a durable name, then what its listeners do with it, two bytes for each step. What is given out is in
/// order and bounded, whatever is answered, and each state can be stored.
enum FuzzedCursor {
    private static let boot: UInt64 = 7
    private static let owners: [UInt64] = [1, 0x2200]

    static func run(_ input: UnsafeRawBufferPointer) {
        let pieces = Pieces.of(input, limit: 2)
        guard let record = pieces.first else { return }
        do throws(CrosstieError) {
            var cursor = try CursorState(record, boot: boot)
            checkRecord(cursor, record)
            for step in pieces.dropFirst().flatMap({ $0.prefix(128) }).enumerated() {
                take(step.element, step.offset, &cursor)
                checkState(cursor)
            }
            demand(try stored(cursor) == cursor, "\(cursor) is not the same when it has been stored")
        } catch {
            demand(error.status == .corrupt, "\(error)")
        }
    }

    private static func stored(_ cursor: CursorState) throws(CrosstieError) -> CursorState {
        let bytes = written(cursor.encodedSize) { cursor.write(into: $0, boot: boot) }
        return try bytes.withBytes { bytes throws(CrosstieError) in try CursorState(bytes, boot: boot) }
    }

    /// A record of this boot comes out as it went in; in one of another nobody has anything.
    private static func checkRecord(_ cursor: CursorState, _ record: UnsafeRawBufferPointer) {
        let again = written(cursor.encodedSize) { cursor.write(into: $0, boot: boot) }
        if record.after(32).number() == boot {
            demand(again.elementsEqual(record), "written again it is \(again)")
        } else {
            demand(cursor.owners.isEmpty, "somebody of an earlier boot has messages")
        }
        checkState(cursor)
    }

    private static func checkState(_ cursor: CursorState) {
        demand(cursor.outstanding.count <= CursorState.maximumOutstanding, "\(cursor.outstanding.count) are given out")
        var last: UInt64 = 0
        for delivery in cursor.outstanding {
            demand(delivery.sequence > last && delivery.sequence <= cursor.next, "\(delivery) is out of order")
            demand(cursor.needs(delivery.sequence), "\(delivery) is not needed")
            last = delivery.sequence
        }
    }

    private static func missed(_ step: UInt8, _ owner: UInt64, _ cursor: inout CursorState) {
        let before = cursor.missed
        if step & 16 == 0 {
            let claimed = cursor.claimMissed(by: owner)
            demand(claimed == 0 || claimed == before && cursor.missedOwner == owner, "\(claimed) of \(before) are told")
        } else {
            _ = cursor.settle([Answer(sequence: 0, outcome: .missed(told: UInt64(step)))], of: owner)
            demand(cursor.missed <= before && cursor.missedOwner != owner, "an owner goes on telling")
        }
    }

    private static func take(_ step: UInt8, _ number: Int, _ cursor: inout CursorState) {
        let owner = owners[number % 2]
        let known =
            cursor.outstanding.isEmpty
            ? cursor.next : cursor.outstanding[Int(step >> 3) % cursor.outstanding.count].sequence
        switch step & 7 {
        case 0: _ = cursor.claim(cursor.next &+ UInt64(step >> 3), by: owner)
        case 1: cursor.pass(to: cursor.next &+ UInt64(step >> 3))
        case 2:
            let limit = Int(step >> 3)
            let claimed = cursor.claimDue(at: .max, by: owner, limit: limit)
            demand(claimed.count <= limit && claimed.allSatisfy { $0.owner == owner }, "too many are given out")
        case 3: _ = cursor.settle([Answer(sequence: known, outcome: .acknowledged)], of: owner)
        case 4: _ = cursor.settle([Answer(sequence: known, outcome: .rejected(notBefore: UInt64(step)))], of: owner)
        case 5: _ = cursor.settle([Answer(sequence: known, outcome: .gone(isMissed: step & 8 != 0))], of: owner)
        case 6 where step & 8 == 0: cursor.drop(cursor.next &+ 1)
        case 6: missed(step, owner, &cursor)
        default:
            cursor.free { $0 == owner }
            demand(!cursor.owners.contains(owner), "the dead have messages")
        }
    }
}
