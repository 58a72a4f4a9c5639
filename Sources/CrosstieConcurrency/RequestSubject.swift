import Crosstie

/// The kind of a request and its arguments: see ``Crosstie/Bus/start(_:options:)``.
public struct RequestSubject: Sendable {
    typealias Begin =
        @Sendable (Bus, RequestOptions, @escaping @Sendable (Response) -> Void) throws(CrosstieError) -> Call

    let begin: Begin

    private init(_ begin: @escaping Begin) { self.begin = begin }

    /// The opening of a URL.
    public static func open(_ url: String) -> RequestSubject {
        RequestSubject { bus, options, completion throws(CrosstieError) in
            try bus.openAsync(url, options: options, completion: completion)
        }
    }

    /// A call of a component's action.
    public static func call(_ component: String, _ action: String, _ params: Value = .null) -> RequestSubject {
        RequestSubject { bus, options, completion throws(CrosstieError) in
            try bus.callAsync(component, action, params, options: options, completion: completion)
        }
    }

    /// An event for every component that has it.
    public static func broadcast(_ event: String, _ params: Value = .null) -> RequestSubject {
        RequestSubject { bus, options, completion throws(CrosstieError) in
            try bus.broadcastAsync(event, params, options: options, completion: completion)
        }
    }

    /// A call of a target's selector.
    public static func perform(_ target: String, _ selector: String = "", _ params: Value = .null) -> RequestSubject {
        RequestSubject { bus, options, completion throws(CrosstieError) in
            try bus.performAsync(target, selector, params, options: options, completion: completion)
        }
    }

    /// The sharing of a message.
    public static func share(_ message: SharedMessage, to endpoint: Endpoint) -> RequestSubject {
        RequestSubject { bus, options, completion throws(CrosstieError) in
            try bus.shareAsync(message, to: endpoint, options: options, completion: completion)
        }
    }

    /// A sign-in.
    public static func oauth(with platform: Platform, _ params: Value = .null) -> RequestSubject {
        RequestSubject { bus, options, completion throws(CrosstieError) in
            try bus.oauthAsync(with: platform, params, options: options, completion: completion)
        }
    }

    /// The launch of a program.
    public static func launch(_ program: Value, on platform: Platform) -> RequestSubject {
        RequestSubject { bus, options, completion throws(CrosstieError) in
            try bus.launchAsync(program, on: platform, options: options, completion: completion)
        }
    }
}
