extension Request {
    /// The door by which it came.
    public var door: Door { block?.pointee.door ?? .open }

    /// Whom it is for: the component's name or the performer's target, at the open door the target of the rule that led
    /// here. Nil for none.
    public var target: String? { block?.target.map { String(decoding: $0, as: UTF8.self) } }

    /// What it is for: the action's or the event's name, or the performer's selector; `open` for the target of a rule. Nil
    /// for none.
    public var action: String? { block?.action.map { String(decoding: $0, as: UTF8.self) } }

    /// Whether the caller wants the target's instance to be kept, at the performer's door.
    public var isCached: Bool { block?.isCached ?? false }

    /// Whether it only asks to let go of the instance that is kept.
    public var isRelease: Bool { block?.isRelease ?? false }
}
