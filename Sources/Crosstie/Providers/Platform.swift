internal import CCrosstie

/// A platform for signing in and launching. Hosts add their own.
public struct Platform: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static var qq: Platform { Platform(rawValue: CTIE_PLATFORM_QQ) }
    public static var wechat: Platform { Platform(rawValue: CTIE_PLATFORM_WECHAT) }
    public static var weibo: Platform { Platform(rawValue: CTIE_PLATFORM_WEIBO) }
    public static var system: Platform { Platform(rawValue: CTIE_PLATFORM_SYSTEM) }
}
