import Synchronization

/// The mapped file `wakeups`. Every index is bounded here, since other processes write the memory too.
struct Wakeups {
    let base: UnsafeMutableRawPointer
    /// Negative for wakeups without a file, which only this process has.
    let file: Int32
    /// The PID namespace of this process, as ``ProcessIdentity/namespace``.
    let namespace: UInt64

    init(base: UnsafeMutableRawPointer, file: Int32) {
        self.base = base
        self.file = file
        namespace = file < 0 ? 0 : ProcessFiles.ownNamespace()
    }

    // MARK: The header

    var version: UInt32 { base.load(fromByteOffset: WakeupsLayout.versionOffset, as: UInt32.self) }
    var flags: UInt32 { base.load(fromByteOffset: WakeupsLayout.flagsOffset, as: UInt32.self) }
    /// Bytes of the store; more and more while it grows.
    @inline(__always)
    var mapSize: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.mapSizeOffset) }

    @inline(__always)
    var storeSize: UInt64 { mapSize.pointee.load(ordering: .acquiring) }

    var limits: StoreLimits {
        get {
            StoreLimits(
                mapSize: base.load(fromByteOffset: WakeupsLayout.maximumMapSizeOffset, as: UInt64.self),
                queuedCount: base.load(fromByteOffset: WakeupsLayout.queuedCountOffset, as: UInt64.self),
                queuedSize: base.load(fromByteOffset: WakeupsLayout.queuedSizeOffset, as: UInt64.self),
                retainAge: base.load(fromByteOffset: WakeupsLayout.retainAgeOffset, as: UInt64.self),
                retainCount: base.load(fromByteOffset: WakeupsLayout.retainCountOffset, as: UInt64.self),
                retainSize: base.load(fromByteOffset: WakeupsLayout.retainSizeOffset, as: UInt64.self),
                sending: SendDefaults(
                    expiresMilliseconds: base.load(fromByteOffset: WakeupsLayout.sendExpiryOffset, as: UInt64.self),
                    delayMilliseconds: base.load(fromByteOffset: WakeupsLayout.sendDelayOffset, as: UInt64.self)))
        }
        nonmutating set {
            base.storeBytes(of: newValue.mapSize, toByteOffset: WakeupsLayout.maximumMapSizeOffset, as: UInt64.self)
            base.storeBytes(of: newValue.queuedCount, toByteOffset: WakeupsLayout.queuedCountOffset, as: UInt64.self)
            base.storeBytes(of: newValue.queuedSize, toByteOffset: WakeupsLayout.queuedSizeOffset, as: UInt64.self)
            base.storeBytes(of: newValue.retainAge, toByteOffset: WakeupsLayout.retainAgeOffset, as: UInt64.self)
            base.storeBytes(of: newValue.retainCount, toByteOffset: WakeupsLayout.retainCountOffset, as: UInt64.self)
            base.storeBytes(of: newValue.retainSize, toByteOffset: WakeupsLayout.retainSizeOffset, as: UInt64.self)
            let (expiry, delay) = (newValue.sending.expiresMilliseconds, newValue.sending.delayMilliseconds)
            base.storeBytes(of: expiry, toByteOffset: WakeupsLayout.sendExpiryOffset, as: UInt64.self)
            base.storeBytes(of: delay, toByteOffset: WakeupsLayout.sendDelayOffset, as: UInt64.self)
        }
    }

    var writerLock: UnsafeMutableRawPointer { base + WakeupsLayout.writerLockOffset }
    var growthLock: UnsafeMutableRawPointer { base + WakeupsLayout.growthLockOffset }
    var wakeLocks: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) {
        let first = base + WakeupsLayout.wakeLocksOffset
        return (first, first + WakeupsLayout.wakeLockStride)
    }

    var boot: (UInt64, UInt64) {
        get {
            let first = base + WakeupsLayout.bootOffset
            return (first.load(as: UInt64.self), (first + 8).load(as: UInt64.self))
        }
        nonmutating set {
            let first = base + WakeupsLayout.bootOffset
            first.storeBytes(of: newValue.0, as: UInt64.self)
            (first + 8).storeBytes(of: newValue.1, as: UInt64.self)
        }
    }

    /// Whether the store was synced to the disk when the last process left it, and not opened since.
    var isClean: Bool {
        get { base.load(fromByteOffset: WakeupsLayout.cleanOffset, as: UInt32.self) == 1 }
        nonmutating set {
            base.storeBytes(of: newValue ? 1 : 0, toByteOffset: WakeupsLayout.cleanOffset, as: UInt32.self)
        }
    }

    // MARK: Shared words

    @inline(__always)
    func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    var lastSequence: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.lastSequenceOffset) }

    @inline(__always)
    var lastTransaction: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.lastTransactionOffset) }

    @inline(__always)
    var interestVersion: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.interestVersionOffset) }

    var givenBack: UnsafeMutablePointer<Atomic<UInt64>> { word(WakeupsLayout.givenBackOffset) }

    @inline(__always)
    func wakeup(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        let offset =
            WakeupsLayout.wakeupsOffset + (slot & (WakeupsLayout.memberCapacity - 1)) * WakeupsLayout.wakeupStride
        return (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// Beside the wakeup: the core that notified it last.
    @inline(__always)
    func notifyingCore(_ slot: Int) -> UnsafeMutablePointer<Atomic<Int32>> {
        UnsafeMutableRawPointer(wakeup(slot) + 1).assumingMemoryBound(to: Atomic<Int32>.self)
    }

    /// Beside the wakeup: the number up to which the slot's queue listeners have consumed everything.
    @inline(__always)
    func queuesConsumed(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        UnsafeMutableRawPointer(wakeup(slot) + 2).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    static func bucketOffset(_ hash: UInt64) -> Int {
        WakeupsLayout.bucketsOffset + bucketIndex(hash) * MemberMask.size
    }

    @inline(__always)
    static func bucketIndex(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash & UInt64(WakeupsLayout.bucketCount - 1))
    }

    // MARK: Masks

    @inline(__always)
    func mask(_ offset: Int) -> MemberMask {
        MemberMask(
            words: (
                word(offset).pointee.load(ordering: .relaxed), word(offset + 8).pointee.load(ordering: .relaxed),
                word(offset + 16).pointee.load(ordering: .relaxed), word(offset + 24).pointee.load(ordering: .relaxed)
            ))
    }

    func setBit(_ slot: Int, in offset: Int, _ isSet: Bool) {
        let address = word(offset + (slot >> 6 & 3) * 8)
        let bit = UInt64(1) << UInt64(slot & 63)
        if isSet {
            address.pointee.bitwiseOr(bit, ordering: .sequentiallyConsistent)
        } else {
            address.pointee.bitwiseAnd(~bit, ordering: .sequentiallyConsistent)
        }
    }

    /// The slots that listen to an identifier, and a few more whose hashes collide.
    @inline(__always)
    func listeners(of identifier: Identifier) -> MemberMask {
        var mask = mask(Wakeups.bucketOffset(identifier.hash))
        if !self.mask(WakeupsLayout.prefixMaskOffset).isEmpty {
            identifier.forEachPrefixHash { mask.formUnion(self.mask(Wakeups.bucketOffset($0))) }
        }
        return mask
    }

    var everybody: MemberMask { mask(WakeupsLayout.liveMaskOffset) }

    /// The slots with a queue listener.
    var queueSlots: MemberMask { mask(WakeupsLayout.queueMaskOffset) }
}

extension Wakeups {
    /// The options of the creating process may have been overwritten since.
    func checkOptions() throws(CrosstieError) {
        let (size, limits) = (storeSize, self.limits)
        guard WormholeOptions.mapSizes.contains(size), size % WormholeOptions.mapUnit == 0 else {
            throw CrosstieError(.corruptData, "\(GroupDirectory.wakeupsName) states a store of \(size) bytes")
        }
        guard WormholeOptions.mapSizes.contains(limits.mapSize), size <= limits.mapSize else {
            throw CrosstieError(
                .corruptData, "\(GroupDirectory.wakeupsName) states a store of \(size) bytes, \(limits.mapSize) at most"
            )
        }
        guard limits.queuedCount > 0, limits.queuedSize > 0, limits.sending.isKnown,
            StoreFlags.areKnown(flags)
        else {
            throw CrosstieError(.corruptData, "\(GroupDirectory.wakeupsName) states a store of no known kind")
        }
    }
}
