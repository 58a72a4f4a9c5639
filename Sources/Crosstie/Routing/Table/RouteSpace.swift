/// The state that an open is matched against: the table of routes and rules, and the schemes that a rule table lists.
///
/// They change together when a rule table is loaded, so readers find them by one pointer.
package struct RouteSpace {
    package let routes: RouteTable
    /// Schemes that remote origins may not use at all.
    package let privateSchemes: SchemeList
    /// Schemes whose URLs are ours, whether a rule fits or not.
    package let ownSchemes: SchemeList
    /// Of URLs that begin with a slash: one, or none.
    let defaultScheme: SchemeList

    package typealias Pointer = UnsafeMutablePointer<RouteSpace>

    package static func make(
        _ routes: RouteTable, privateSchemes: [String] = [], publicSchemes: [String] = [], defaultScheme: String = ""
    ) -> Pointer {
        let space = Pointer.allocate(capacity: 1)
        space.initialize(
            to: RouteSpace(
                routes: routes, privateSchemes: SchemeList(privateSchemes),
                ownSchemes: SchemeList(publicSchemes + privateSchemes),
                defaultScheme: SchemeList(defaultScheme.isEmpty ? [] : [SchemeName.lowerCase(defaultScheme)])))
        return space
    }
}

extension UnsafeMutablePointer where Pointee == RouteSpace {
    /// Frees it with its table. Nobody may be reading it.
    package func free() {
        pointee.routes.destroy()
        pointee.privateSchemes.free()
        pointee.ownSchemes.free()
        pointee.defaultScheme.free()
        deallocate()
    }

    /// Whether a URL's scheme belongs to this bus: a URL that none of its routes takes goes nowhere else. Those of the
    /// web never do, or a single route would keep every other link from the browser.
    package func owns(_ parts: UnsafeMutablePointer<URLParts>) -> Bool {
        guard !parts.pointee.flags.contains(.web) else { return false }
        let scheme = parts.pointee.text(parts.pointee.scheme)
        return pointee.ownSchemes.contains(scheme) || pointee.routes.hasScheme(parts)
    }
}
