internal import CPlatform

/// A node of the tree, where routes part or end. Its literal children are in the hash table.
struct RouteNode {
    /// The route that ends here; of a scheme's node, the one that takes what nothing else matches.
    var value: UInt32
    var parameter: UInt32
    /// The route of a `*rest`; of a scheme's node, where there is none, how many routes the scheme has.
    var rest: UInt32
    /// The first ``RouteItem`` of the suffix and typed parameters, which are tried before the parameter.
    var before: UInt32
    /// The same for `~` and `any`, tried after it.
    var after: UInt32
    /// Of the steps that lead here.
    let hash: PathHash
}

/// The words that readers and the writer share, as the atomic operations want them.
typealias RouteWord = UnsafeMutablePointer<UInt32>

extension UnsafeMutablePointer {
    @inline(__always)
    fileprivate func word(at offset: Int) -> RouteWord {
        (UnsafeMutableRawPointer(self) + offset).assumingMemoryBound(to: UInt32.self)
    }
}

extension UnsafeMutablePointer<RouteEntry> {
    @inline(__always) var referenceWord: RouteWord { word(at: 24) }
    @inline(__always) var printWord: RouteWord { word(at: 28) }
}

extension UnsafeMutablePointer<RouteNode> {
    @inline(__always) var valueWord: RouteWord { word(at: 0) }
    @inline(__always) var parameterWord: RouteWord { word(at: 4) }
    @inline(__always) var restWord: RouteWord { word(at: 8) }
    @inline(__always) var beforeWord: RouteWord { word(at: 12) }
    @inline(__always) var afterWord: RouteWord { word(at: 16) }
}

extension UnsafeMutablePointer<RouteItem> {
    @inline(__always) var referenceWord: RouteWord { word(at: 12) }
    @inline(__always) var nextWord: RouteWord { word(at: 16) }
}
