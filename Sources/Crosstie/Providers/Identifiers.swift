internal import CCrosstie

/// An endpoint that a message is shared to. Hosts add their own.
public struct Endpoint: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static var qqFriend: Endpoint { Endpoint(rawValue: CTIE_ENDPOINT_QQ_FRIEND) }
    public static var qqTimeline: Endpoint { Endpoint(rawValue: CTIE_ENDPOINT_QQ_TIMELINE) }
    public static var wechatFriend: Endpoint { Endpoint(rawValue: CTIE_ENDPOINT_WECHAT_FRIEND) }
    public static var wechatTimeline: Endpoint { Endpoint(rawValue: CTIE_ENDPOINT_WECHAT_TIMELINE) }
    public static var wechatFavorite: Endpoint { Endpoint(rawValue: CTIE_ENDPOINT_WECHAT_FAVORITE) }
    public static var weiboTimeline: Endpoint { Endpoint(rawValue: CTIE_ENDPOINT_WEIBO_TIMELINE) }
    public static var systemActivity: Endpoint { Endpoint(rawValue: CTIE_ENDPOINT_SYSTEM_ACTIVITY) }
}

/// A platform for signing in and launching. Hosts add their own.
public struct Platform: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static var qq: Platform { Platform(rawValue: CTIE_PLATFORM_QQ) }
    public static var wechat: Platform { Platform(rawValue: CTIE_PLATFORM_WECHAT) }
    public static var weibo: Platform { Platform(rawValue: CTIE_PLATFORM_WEIBO) }
    public static var system: Platform { Platform(rawValue: CTIE_PLATFORM_SYSTEM) }
}

/// A kind of shared message. Hosts add their own.
public struct ShareKind: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static var text: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_TEXT) }
    public static var image: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_IMAGE) }
    public static var audio: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_AUDIO) }
    public static var video: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_VIDEO) }
    public static var webPage: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_WEB_PAGE) }
    public static var file: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_FILE) }
    public static var miniProgram: ShareKind { ShareKind(rawValue: CTIE_SHARE_KIND_MINI_PROGRAM) }
}

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
    /// How a ``SystemProvider`` shall share: `mail`, `clipboard` or `open`.
    public static var systemMethod: OptionKey { OptionKey(rawValue: CTIE_OPTION_SYSTEM_METHOD) }
}

/// A key of what a sign-in answers. Hosts add their own.
public struct InfoKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static var qqAccessToken: InfoKey { InfoKey(rawValue: CTIE_INFO_QQ_ACCESS_TOKEN) }
    public static var qqExpirationDate: InfoKey { InfoKey(rawValue: CTIE_INFO_QQ_EXPIRATION_DATE) }
    public static var qqOpenID: InfoKey { InfoKey(rawValue: CTIE_INFO_QQ_OPEN_ID) }
    public static var wechatCode: InfoKey { InfoKey(rawValue: CTIE_INFO_WECHAT_CODE) }
    public static var weiboAccessToken: InfoKey { InfoKey(rawValue: CTIE_INFO_WEIBO_ACCESS_TOKEN) }
    public static var weiboExpirationDate: InfoKey { InfoKey(rawValue: CTIE_INFO_WEIBO_EXPIRATION_DATE) }
    public static var weiboRefreshToken: InfoKey { InfoKey(rawValue: CTIE_INFO_WEIBO_REFRESH_TOKEN) }
    public static var weiboUserID: InfoKey { InfoKey(rawValue: CTIE_INFO_WEIBO_USER_ID) }
    public static var systemIdentityToken: InfoKey { InfoKey(rawValue: CTIE_INFO_SYSTEM_IDENTITY_TOKEN) }
    public static var systemAuthorizationCode: InfoKey { InfoKey(rawValue: CTIE_INFO_SYSTEM_AUTHORIZATION_CODE) }
    public static var systemUser: InfoKey { InfoKey(rawValue: CTIE_INFO_SYSTEM_USER) }
    public static var systemEmail: InfoKey { InfoKey(rawValue: CTIE_INFO_SYSTEM_EMAIL) }
    public static var systemGivenName: InfoKey { InfoKey(rawValue: CTIE_INFO_SYSTEM_GIVEN_NAME) }
    public static var systemFamilyName: InfoKey { InfoKey(rawValue: CTIE_INFO_SYSTEM_FAMILY_NAME) }
}
