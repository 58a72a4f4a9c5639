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
