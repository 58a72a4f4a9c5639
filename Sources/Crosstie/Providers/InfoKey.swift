internal import CCrosstie

/// A key in the answer to a sign-in. Hosts add their own.
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
