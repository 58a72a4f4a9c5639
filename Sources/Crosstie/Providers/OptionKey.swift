internal import CCrosstie

/// A key of a provider's options. Hosts add their own.
public struct OptionKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static var qqSignToken: OptionKey { OptionKey(rawValue: CTIE_OPTION_QQ_SIGN_TOKEN) }
    public static var wechatSignToken: OptionKey { OptionKey(rawValue: CTIE_OPTION_WECHAT_SIGN_TOKEN) }
    public static var systemPresentingViewController: OptionKey {
        OptionKey(rawValue: CTIE_OPTION_SYSTEM_PRESENTING_VIEW_CONTROLLER)
    }
    public static var systemSourceView: OptionKey { OptionKey(rawValue: CTIE_OPTION_SYSTEM_SOURCE_VIEW) }
    public static var systemSourceRect: OptionKey { OptionKey(rawValue: CTIE_OPTION_SYSTEM_SOURCE_RECT) }
    /// The way in which a ``SystemProvider`` shares: `mail`, `clipboard` or `open`.
    public static var systemMethod: OptionKey { OptionKey(rawValue: CTIE_OPTION_SYSTEM_METHOD) }
}
