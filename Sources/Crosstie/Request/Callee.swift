/// The addressee and parameters of a request without a URL: component or target, action or selector.
///
/// It is checked when the request is begun, on the core's side: a call has no time for more than it needs.
package struct Callee {
    package let target: UnsafeRawBufferPointer
    package let action: UnsafeRawBufferPointer
    /// Borrowed.
    package let params: ValueRef

    @inline(__always)
    package init(_ target: UnsafeRawBufferPointer, _ action: UnsafeRawBufferPointer, _ params: ValueRef) {
        self.target = target
        self.action = action
        self.params = params
    }

    /// Runs `body` with the bytes of two names.
    static func withBytes<Result>(
        _ target: String, _ action: String, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Result
    ) -> Result {
        var (target, action) = (target, action)
        return target.withUTF8 { target in
            action.withUTF8 { action in body(UnsafeRawBufferPointer(target), UnsafeRawBufferPointer(action)) }
        }
    }

    /// Bytes of a performer's target at most.
    package static var maximumTargetSize: Int { 1024 }

    /// The form of a performer's target, for people.
    static var targetGrammar: String { "prefix:what, the prefix a letter with letters and digits behind it" }

    /// *ok*; *limitExceeded* for a name or *wrongType* for the parameters.
    @inline(__always)
    func checkSizes(target maximum: Int = Name.maximumSize) -> Status {
        guard target.count <= maximum, action.count <= Name.maximumSize else { return .limitExceeded }
        return checkParams()
    }

    @inline(__always)
    func checkParams() -> Status {
        guard params.bits != ValueRef.null.bits else { return .ok }
        return params.kind == .map || params.kind == .foreign ? .ok : .wrongType
    }
}

extension UnsafeMutablePointer where Pointee == RequestBlock {
    /// Copies the names into the block, each in whole words with zeros behind it, and takes their hash. False when out
    /// of memory.
    @inline(always)
    func setNames(_ names: Callee) -> Bool {
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
        guard size <= 2 * Callee.maximumTargetSize, let memory = Memory.allocate(size) else { return false }
        pointee.overflow = memory
        return true
    }

    /// The memory of the names.
    @inline(__always)
    var namesStart: UnsafeMutableRawPointer {
        pointee.overflow ?? UnsafeMutableRawPointer(self) + RequestBlock.Layout.text
    }

    /// Both names as they are looked up; for a request without a URL.
    @inline(__always)
    var actionKey: ActionKey {
        ActionKey(
            bytes: UnsafeRawPointer(namesStart), targetSize: pointee.targetSize, actionSize: pointee.actionSize,
            hash: pointee.actionHash)
    }

    /// For a URL the target of the rule that led here; nil for none.
    package var target: Text? {
        guard !pointee.kind.hasURL else { return pointee.rule?.target }
        return UnsafeRawBufferPointer(start: namesStart, count: Int(pointee.targetSize))
    }

    /// For a URL what a rule asks of its target, which it cannot choose; nil for none.
    package var action: Text? {
        guard !pointee.kind.hasURL else { return pointee.rule?.target == nil ? nil : LoadedRule.selector }
        let start = namesStart + ActionKey.words(Int(pointee.targetSize)) * 8
        return UnsafeRawBufferPointer(start: start, count: Int(pointee.actionSize))
    }
}
