@testable import Crosstie
@testable import CrosstieWormhole

/// The memory that processes share, with pieces of it overwritten: three bytes give the offset, the rest the
/// bytes. Any content is read within its bounds, and a thread that waits for a wakeup or lists the members gets an answer.
enum FuzzedWakeups {
    /// The fuzzer has one thread.
    nonisolated(unsafe) private static let base = UnsafeMutableRawPointer.allocate(
        byteCount: WakeupsLayout.size, alignment: 4096)
    private static let identifiers = ["a", "jobs.urgent.today"].map { Array($0.utf8) }

    static func run(_ input: UnsafeRawBufferPointer) {
        base.initializeMemory(as: UInt8.self, repeating: 0, count: WakeupsLayout.size)
        let pieces = Pieces.of(input, limit: 32)
        for piece in pieces where piece.count > 3 {
            let place = Int(piece.number(3)) % WakeupsLayout.size
            let room = UnsafeMutableRawBufferPointer(start: base + place, count: WakeupsLayout.size - place)
            room.copyBytes(from: piece.after(3).prefix(room.count))
        }
        let wakeups = Wakeups(base: base, file: -1)
        checkHeader(wakeups, fileSize: Int(input.number(3)))
        checkMembers(wakeups)
        checkNotifying(wakeups)
        checkNotes(wakeups, pieces.last?.number() ?? 0)
    }

    /// A member can use every file that it accepts.
    private static func checkHeader(_ wakeups: Wakeups, fileSize: Int) {
        do throws(CrosstieError) {
            try WakeupsFile.check(magic: base.load(as: UInt64.self), version: wakeups.version, size: fileSize)
            demand(
                fileSize >= WakeupsLayout.size && wakeups.version == WakeupsLayout.version,
                "a file of another form is accepted")
        } catch {
            demand([.corruptData, .incompatibleVersion, .unsafeFile].contains(error.status), "\(error)")
        }
        do throws(CrosstieError) {
            try wakeups.checkOptions()
            demand(wakeups.storeSize <= wakeups.limits.mapSize, "a store larger than it may be is taken")
        } catch {
            demand(error.status == .corruptData, "\(error)")
        }
        _ = (wakeups.isClean, wakeups.boot)
    }

    private static func checkMembers(_ wakeups: Wakeups) {
        var count = 0
        wakeups.everybody.forEach { slot in
            count += 1
            demand(wakeups.isLive(slot), "slot \(slot) is taken and is not")
            guard let member = wakeups.member(slot) else { return demand(false, "nobody has slot \(slot)") }
            // Each byte that is not UTF-8 becomes a character of three bytes.
            demand(member.name.utf8.count <= 3 * Wakeups.maximumNameSize, "a name of \(member.name.utf8.count) bytes")
        }
        demand(count <= WakeupsLayout.memberCapacity, "\(count) slots")
    }

    /// Every listener is notified, and only notified ones are woken.
    private static func checkNotifying(_ wakeups: Wakeups) {
        for identifier in identifiers {
            identifier.withUnsafeBytes { bytes in
                guard let identifier = Identifier(bytes) else { return }
                let mask = wakeups.listeners(of: identifier)
                var common = wakeups.mask(Wakeups.bucketOffset(identifier.hash))
                common.formIntersection(mask)
                demand(
                    common == wakeups.mask(Wakeups.bucketOffset(identifier.hash)), "a listener is not notified")
                wakeups.notify(mask).forEach { demand(mask.contains($0), "a member is woken that was not notified") }
            }
        }
    }

    private static func checkNotes(_ wakeups: Wakeups, _ sequence: UInt64) {
        _ = wakeups.hash(ofChange: sequence)
        for identifier in identifiers {
            identifier.withUnsafeBytes { bytes in
                guard let identifier = Identifier(bytes) else { return }
                checkPrefixNotes(wakeups, identifier, sequence)
                wakeups.note(sequence, identifier)
                demand(wakeups.hash(ofChange: sequence) == identifier.hash, "a note of \(sequence) is not found")
                checkPrefixNotes(wakeups, identifier, sequence)
            }
        }
        demand(
            wakeups.hash(ofChange: sequence &+ WakeupsLayout.recentChangeCount) == nil,
            "a note that was never made is found")
    }

    /// The walk along the prefix notes ends, and yields identifiers.
    private static func checkPrefixNotes(_ wakeups: Wakeups, _ identifier: Identifier, _ sequence: UInt64) {
        identifier.forEachPrefixHash { hash in
            _ = wakeups.newestBelow(hash)
            var last = UInt64.max
            _ = wakeups.followPrefixNotes(hash, after: 0, upTo: .max - 1) { sequence, name in
                demand(name.count <= Identifier.maximumSize, "a name of \(name.count) bytes")
                last = sequence
            }
            _ = wakeups.followPrefixNotes(hash, after: sequence, upTo: last) { _, _ in }
        }
    }
}
