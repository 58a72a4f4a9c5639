/// A position in the tree on a URL's way through it.
struct RoutePosition {
    var reference: NodeReference
    /// Of the steps that lead to it.
    var hash: PathHash
    /// The number of the URL's segments that they took, with the host.
    var at: Int
}
