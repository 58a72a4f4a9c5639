import Synchronization

/// The performer's resolver: the handler that finds a target, if the target is allowed.
///
/// Call it inside a read section.
enum PerformResolver {
    /// The resolver of a request to the performer. A remote request reaches a target by a rule only.
    @inline(never)
    static func resolve(_ block: RequestBlock.Pointer) -> Resolution {
        guard block.pointee.isLocal, let target = block.target, let space = block.pointee.bus.performer,
            space.pointee.allows(target)
        else { return .failed(.denied) }
        return performer(of: target, space, block)
    }

    /// The handler of a request that came by a rule without a handler of its own; nil if the rule's target is not
    /// performed here.
    static func resolve(_ rule: LoadedRule, _ block: RequestBlock.Pointer) -> Resolution? {
        guard let target = rule.target, let space = block.pointee.bus.performer,
            space.pointee.resolver(of: target) != 0, space.pointee.allows(target)
        else { return nil }
        return performer(of: target, space, block)
    }

    /// The status for a rule that has neither a handler nor a navigator.
    static func failure(of rule: LoadedRule, _ block: RequestBlock.Pointer) -> Status {
        guard let target = rule.target else { return .noTarget }
        let isServed =
            block.pointee.bus.performer.map { $0.pointee.resolver(of: target) != 0 }
            ?? PerformerSpace.isOwn(target)
        return isServed ? .denied : .noTarget
    }

    /// The resolver of an allowed target; once that has declined, or where there is none, the fallback.
    private static func performer(
        of target: UnsafeRawBufferPointer, _ space: PerformerSpace.Pointer, _ block: RequestBlock.Pointer
    ) -> Resolution {
        let resolver = willing(space.pointee.resolver(of: target), block)
        if let found = resolver ?? fallback(block) { return .found(found, match: found) }
        return .failed(block.pointee.extras?.refusal?.status ?? .noTarget)
    }

    /// A fallback's targets have no kept instance, so it is not called to release one.
    private static func fallback(_ block: RequestBlock.Pointer) -> RegistrationRecord.Pointer? {
        guard !block.isRelease else { return nil }
        return willing(block.pointee.bus.pointee.callbackSlots.holder(of: .performerFallback), block)
    }

    /// The registration of an index, unless it is 0 or has declined.
    private static func willing(_ index: UInt32, _ block: RequestBlock.Pointer) -> RegistrationRecord.Pointer? {
        guard index != 0, let registration = RegistrationRecord.at(index) else { return nil }
        return block.pointee.extras?.hasDeclined(registration) == true ? nil : registration
    }
}
