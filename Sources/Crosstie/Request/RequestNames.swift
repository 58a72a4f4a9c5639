internal import Glibc

/// Whom a request without a URL is for, and for what: component and action, or target and selector.
package struct RequestNames {
    package let target: UnsafeRawBufferPointer
    package let action: UnsafeRawBufferPointer

    /// Both must have been checked to be short: see ``maximumSize``.
    @inline(__always)
    package init(target: UnsafeRawBufferPointer, action: UnsafeRawBufferPointer) {
        self.target = target
        self.action = action
    }

    /// Bytes of a target at most.
    package static var maximumSize: Int { 1024 }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Copies the names into the block, each in whole words with zeros behind it, and takes their hash. False when out of
    /// memory.
    @inline(__always)
    func setNames(_ names: RequestNames) -> Bool {
        let (targetSize, actionSize) = (names.target.count, names.action.count)
        let size = (ActionKey.words(targetSize) &+ ActionKey.words(actionSize)) &* 8
        guard size <= RequestBlock.Layout.textCapacity || makeRoomForNames(size) else { return false }
        let start = namesStart
        var hash = ActionKey.Hash(targetSize, actionSize, seed: pointee.bus.pointee.actionSeed)
        ActionKey.copy(names.target, to: start, &hash)
        ActionKey.copy(names.action, to: start + ActionKey.words(targetSize) &* 8, &hash)
        pointee.targetSize = UInt16(truncatingIfNeeded: targetSize)
        pointee.actionSize = UInt16(truncatingIfNeeded: actionSize)
        pointee.actionHash = hash.value
        return true
    }

    @inline(never)
    private func makeRoomForNames(_ size: Int) -> Bool {
        guard size <= 2 * RequestNames.maximumSize, let memory = malloc(size) else { return false }
        pointee.overflow = memory
        return true
    }

    /// Where the names lie.
    @inline(__always)
    var namesStart: UnsafeMutableRawPointer {
        pointee.overflow ?? UnsafeMutableRawPointer(self) + RequestBlock.Layout.text
    }

    /// Both names as they are looked up; at a door without a URL.
    @inline(__always)
    var actionKey: ActionKey {
        ActionKey(
            bytes: UnsafeRawPointer(namesStart), targetSize: pointee.targetSize, actionSize: pointee.actionSize,
            hash: pointee.actionHash)
    }

    /// Nil at the open door.
    package var target: Text? {
        guard pointee.door != .open else { return nil }
        return UnsafeRawBufferPointer(start: namesStart, count: Int(pointee.targetSize))
    }

    /// Nil at the open door.
    package var action: Text? {
        guard pointee.door != .open else { return nil }
        let start = namesStart + ActionKey.words(Int(pointee.targetSize)) * 8
        return UnsafeRawBufferPointer(start: start, count: Int(pointee.actionSize))
    }
}
