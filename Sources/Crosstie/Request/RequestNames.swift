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
    /// Copies the names into the block, one behind the other, and zeros up to the next whole word. False when out of memory.
    @inline(__always)
    func setNames(_ names: RequestNames) -> Bool {
        let (targetSize, actionSize) = (names.target.count, names.action.count)
        let size = targetSize &+ actionSize
        guard size &+ 8 <= RequestBlock.Layout.textCapacity || makeRoomForNames(size &+ 8) else { return false }
        let start = namesStart
        (start + (size & ~7)).storeBytes(of: 0, as: UInt64.self)
        if let target = names.target.baseAddress { memcpy(start, target, targetSize) }
        if let action = names.action.baseAddress { memcpy(start + targetSize, action, actionSize) }
        pointee.targetSize = UInt16(truncatingIfNeeded: targetSize)
        pointee.actionSize = UInt16(truncatingIfNeeded: actionSize)
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
            UnsafeRawPointer(namesStart), targetSize: Int(pointee.targetSize), actionSize: Int(pointee.actionSize),
            seed: pointee.bus.pointee.actionSeed)
    }

    /// Nil at the open door.
    package var target: Text? {
        guard pointee.door != .open else { return nil }
        return UnsafeRawBufferPointer(start: namesStart, count: Int(pointee.targetSize))
    }

    /// Nil at the open door.
    package var action: Text? {
        guard pointee.door != .open else { return nil }
        return UnsafeRawBufferPointer(start: namesStart + Int(pointee.targetSize), count: Int(pointee.actionSize))
    }
}
