import Synchronization

/// The mapped file `bells`. Every index is bounded here, since other processes write the memory too.
struct Bells {
    let base: UnsafeMutableRawPointer
    /// Negative for bells without a file, which are this process's alone.
    let file: Int32
    /// The PID namespace of this process, as ``ProcessIdentity/namespace``.
    let namespace: UInt64

    init(base: UnsafeMutableRawPointer, file: Int32) {
        self.base = base
        self.file = file
        namespace = file < 0 ? 0 : ProcessFiles.ownNamespace()
    }

    // MARK: The header

    var version: UInt32 { base.load(fromByteOffset: BellsLayout.versionOffset, as: UInt32.self) }
    var flags: UInt32 { base.load(fromByteOffset: BellsLayout.flagsOffset, as: UInt32.self) }
    /// Bytes of the store; more and more while it grows.
    @inline(__always)
    var mapSize: UnsafeMutablePointer<Atomic<UInt64>> { word(BellsLayout.mapSizeOffset) }

    @inline(__always)
    var storeSize: UInt64 { mapSize.pointee.load(ordering: .acquiring) }

    var limits: StoreLimits {
        get {
            StoreLimits(
                mapSize: base.load(fromByteOffset: BellsLayout.maximumMapSizeOffset, as: UInt64.self),
                queuedCount: base.load(fromByteOffset: BellsLayout.queuedCountOffset, as: UInt64.self),
                queuedSize: base.load(fromByteOffset: BellsLayout.queuedSizeOffset, as: UInt64.self),
                retainAge: base.load(fromByteOffset: BellsLayout.retainAgeOffset, as: UInt64.self),
                retainCount: base.load(fromByteOffset: BellsLayout.retainCountOffset, as: UInt64.self),
                retainSize: base.load(fromByteOffset: BellsLayout.retainSizeOffset, as: UInt64.self),
                sending: SendDefaults(
                    expiresMilliseconds: base.load(fromByteOffset: BellsLayout.sendExpiryOffset, as: UInt64.self),
                    delayMilliseconds: base.load(fromByteOffset: BellsLayout.sendDelayOffset, as: UInt64.self)))
        }
        nonmutating set {
            base.storeBytes(of: newValue.mapSize, toByteOffset: BellsLayout.maximumMapSizeOffset, as: UInt64.self)
            base.storeBytes(of: newValue.queuedCount, toByteOffset: BellsLayout.queuedCountOffset, as: UInt64.self)
            base.storeBytes(of: newValue.queuedSize, toByteOffset: BellsLayout.queuedSizeOffset, as: UInt64.self)
            base.storeBytes(of: newValue.retainAge, toByteOffset: BellsLayout.retainAgeOffset, as: UInt64.self)
            base.storeBytes(of: newValue.retainCount, toByteOffset: BellsLayout.retainCountOffset, as: UInt64.self)
            base.storeBytes(of: newValue.retainSize, toByteOffset: BellsLayout.retainSizeOffset, as: UInt64.self)
            let (expiry, delay) = (newValue.sending.expiresMilliseconds, newValue.sending.delayMilliseconds)
            base.storeBytes(of: expiry, toByteOffset: BellsLayout.sendExpiryOffset, as: UInt64.self)
            base.storeBytes(of: delay, toByteOffset: BellsLayout.sendDelayOffset, as: UInt64.self)
        }
    }

    var writerLock: UnsafeMutableRawPointer { base + BellsLayout.writerLockOffset }
    var growthLock: UnsafeMutableRawPointer { base + BellsLayout.growthLockOffset }
    var intentLocks: (UnsafeMutableRawPointer, UnsafeMutableRawPointer) {
        let first = base + BellsLayout.intentLocksOffset
        return (first, first + BellsLayout.intentLockStride)
    }

    var boot: (UInt64, UInt64) {
        get {
            let first = base + BellsLayout.bootOffset
            return (first.load(as: UInt64.self), (first + 8).load(as: UInt64.self))
        }
        nonmutating set {
            let first = base + BellsLayout.bootOffset
            first.storeBytes(of: newValue.0, as: UInt64.self)
            (first + 8).storeBytes(of: newValue.1, as: UInt64.self)
        }
    }

    /// Whether the store was synced to the disk when the last process left it, and not opened since.
    var isClean: Bool {
        get { base.load(fromByteOffset: BellsLayout.cleanOffset, as: UInt32.self) == 1 }
        nonmutating set {
            base.storeBytes(of: newValue ? 1 : 0, toByteOffset: BellsLayout.cleanOffset, as: UInt32.self)
        }
    }

    // MARK: Shared words

    @inline(__always)
    func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    var lastSequence: UnsafeMutablePointer<Atomic<UInt64>> { word(BellsLayout.lastSequenceOffset) }

    @inline(__always)
    var lastTransaction: UnsafeMutablePointer<Atomic<UInt64>> { word(BellsLayout.lastTransactionOffset) }

    @inline(__always)
    var interestVersion: UnsafeMutablePointer<Atomic<UInt64>> { word(BellsLayout.interestVersionOffset) }

    var givenBack: UnsafeMutablePointer<Atomic<UInt64>> { word(BellsLayout.givenBackOffset) }

    @inline(__always)
    func bell(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
        let offset = BellsLayout.bellsOffset + (slot & (BellsLayout.slotCount - 1)) * BellsLayout.bellStride
        return (base + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// Beside the bell: the core from which it was rung last.
    @inline(__always)
    func ringingCore(_ slot: Int) -> UnsafeMutablePointer<Atomic<Int32>> {
        UnsafeMutableRawPointer(bell(slot) + 1).assumingMemoryBound(to: Atomic<Int32>.self)
    }

    /// Beside the bell: the number up to which the slot's queue listeners have heard everything.
    @inline(__always)
    func queuesHeard(_ slot: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        UnsafeMutableRawPointer(bell(slot) + 2).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    @inline(__always)
    static func bucketOffset(_ hash: UInt64) -> Int {
        BellsLayout.bucketsOffset + bucketIndex(hash) * SlotMask.size
    }

    @inline(__always)
    static func bucketIndex(_ hash: UInt64) -> Int {
        Int(truncatingIfNeeded: hash & UInt64(BellsLayout.bucketCount - 1))
    }

    // MARK: Masks

    @inline(__always)
    func mask(_ offset: Int) -> SlotMask {
        SlotMask(
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
    func listeners(of identifier: Identifier) -> SlotMask {
        var mask = mask(Bells.bucketOffset(identifier.hash))
        if !self.mask(BellsLayout.prefixMaskOffset).isEmpty {
            identifier.forEachPrefixHash { mask.formUnion(self.mask(Bells.bucketOffset($0))) }
        }
        return mask
    }

    var everybody: SlotMask { mask(BellsLayout.liveMaskOffset) }

    /// The slots with a queue listener.
    var queueSlots: SlotMask { mask(BellsLayout.queueMaskOffset) }
}
