/// A place in the tree on a URL's way through it.
struct RoutePosition {
    var reference: NodeReference
    /// Of the steps that lead to it.
    var hash: PathHash
    /// How many of the URL's segments they took, with the host.
    var at: Int
}
