@testable import Crosstie
@testable import CrosstieWormhole

/// The memory that processes share, with pieces of it overwritten: three bytes say where, the rest what. Whatever
/// stands there, it is read within its bounds, and whoever waits for a bell or asks who is there gets an answer.
enum FuzzedBells {
    /// The fuzzer has one thread.
    nonisolated(unsafe) private static let base = UnsafeMutableRawPointer.allocate(
        byteCount: BellsLayout.size, alignment: 4096)
    private static let identifiers = ["a", "jobs.urgent.today"].map { Array($0.utf8) }

    static func run(_ input: UnsafeRawBufferPointer) {
        base.initializeMemory(as: UInt8.self, repeating: 0, count: BellsLayout.size)
        let pieces = Pieces.of(input, limit: 32)
        for piece in pieces where piece.count > 3 {
            let place = Int(piece.number(3)) % BellsLayout.size
            let room = UnsafeMutableRawBufferPointer(start: base + place, count: BellsLayout.size - place)
            room.copyBytes(from: piece.after(3).prefix(room.count))
        }
        let bells = Bells(base: base, file: -1)
        checkHeader(bells, fileSize: Int(input.number(3)))
        checkOccupants(bells)
        checkRinging(bells)
        checkNotes(bells, pieces.last?.number() ?? 0)
    }

    /// What an opener takes, it can use.
    private static func checkHeader(_ bells: Bells, fileSize: Int) {
        do throws(CrosstieError) {
            try BellsFile.check(magic: base.load(as: UInt64.self), version: bells.version, size: fileSize)
            demand(
                fileSize >= BellsLayout.size && bells.version == BellsLayout.version, "bells that are none are taken")
        } catch {
            demand([.corruptData, .incompatibleVersion, .unsafeFile].contains(error.status), "\(error)")
        }
        do throws(CrosstieError) {
            try Group.check(bells)
            demand(bells.storeSize <= bells.limits.mapSize, "a store larger than it may be is taken")
        } catch {
            demand(error.status == .corruptData, "\(error)")
        }
        _ = (bells.isClean, bells.boot)
    }

    private static func checkOccupants(_ bells: Bells) {
        var count = 0
        bells.everybody.forEach { slot in
            count += 1
            demand(bells.isLive(slot), "slot \(slot) is taken and is not")
            guard let occupant = bells.occupant(slot) else { return demand(false, "nobody has slot \(slot)") }
            // What is no UTF-8 is shown by characters of three bytes.
            demand(occupant.name.utf8.count <= 3 * Bells.maximumNameSize, "a name of \(occupant.name.utf8.count) bytes")
        }
        demand(count <= BellsLayout.slotCount, "\(count) slots")
    }

    /// Who is rung is who listens, and who sleeps is of them.
    private static func checkRinging(_ bells: Bells) {
        for identifier in identifiers {
            identifier.withUnsafeBytes { bytes in
                guard let identifier = Identifier(bytes) else { return }
                let mask = bells.listeners(of: identifier)
                var common = bells.mask(Bells.bucketOffset(identifier.hash))
                common.formIntersection(mask)
                demand(common == bells.mask(Bells.bucketOffset(identifier.hash)), "somebody who listens is not rung")
                bells.ring(mask).forEach { demand(mask.contains($0), "somebody is woken who was not rung") }
            }
        }
    }

    private static func checkNotes(_ bells: Bells, _ sequence: UInt64) {
        _ = bells.hash(ofChange: sequence)
        for identifier in identifiers {
            identifier.withUnsafeBytes { bytes in
                guard let identifier = Identifier(bytes) else { return }
                checkTrail(bells, identifier, sequence)
                bells.note(sequence, identifier)
                demand(bells.hash(ofChange: sequence) == identifier.hash, "a note of \(sequence) is not found")
                checkTrail(bells, identifier, sequence)
            }
        }
        demand(bells.hash(ofChange: sequence &+ BellsLayout.ringCount) == nil, "a note that was never made is found")
    }

    /// Wherever the trail leads, it ends, and what it tells are names.
    private static func checkTrail(_ bells: Bells, _ identifier: Identifier, _ sequence: UInt64) {
        identifier.forEachPrefixHash { hash in
            _ = bells.newestBelow(hash)
            var last = UInt64.max
            _ = bells.followTrail(hash, after: 0, upTo: .max - 1) { sequence, name in
                demand(name.count <= Identifier.maximumSize, "a name of \(name.count) bytes")
                last = sequence
            }
            _ = bells.followTrail(hash, after: sequence, upTo: last) { _, _ in }
        }
    }
}
