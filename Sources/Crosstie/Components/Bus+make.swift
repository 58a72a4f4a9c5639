/// Making a bus, with its static components.
extension Bus {
    /// Makes a bus.
    ///
    /// - Throws: *limitExceeded*, *invalidArgument* or *invalidURL* for an option that is not allowed; *outOfMemory*.
    public convenience init(_ name: String = "", options: BusOptions = BusOptions()) throws(CrosstieError) {
        var options = options
        if !name.isEmpty { options.name = name }
        try options.check()
        self.init(adopting: try BusRecord.makeComplete(options))
    }

    /// The process's bus of a name, made if there is none: parts in several languages meet there. It closes
    /// when the last of its holders, in whatever language, releases it.
    ///
    /// - Throws: *invalidArgument* for an empty name, *limitExceeded* for one over 128 bytes; *outOfMemory*.
    public static func shared(_ name: String) throws(CrosstieError) -> Bus {
        guard !name.isEmpty else { throw CrosstieError(.invalidArgument, "a shared bus needs a name", at: "name") }
        try BusOptions(name: name).check()
        return Bus(adopting: try BusRecord.shared(name))
    }
}

extension BusRecord {
    /// Makes a bus with one reference.
    package static func makeComplete(_ options: BusOptions) throws(CrosstieError) -> Handle {
        let bus = try make(options)
        if options.hasStaticComponents { StaticComponents.give(to: bus) }
        return bus
    }

    /// The process's bus of a name, made if there is none, with a reference for the caller. It has the process's static
    /// components, too.
    package static func shared(_ name: String) throws(CrosstieError) -> Handle {
        try SharedBuses.get(name, complete: { StaticComponents.give(to: $0) })
    }
}
