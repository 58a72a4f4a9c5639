/// The functions that make and end a component's instance.
package struct ComponentFactory {
    package typealias Create = () throws(CrosstieError) -> UnsafeMutableRawPointer

    let create: Create
    let end: (UnsafeMutableRawPointer) -> Void

    /// - Parameters:
    ///   - create: makes the instance. It may be called again when it has failed, on any thread, one at a time.
    ///   - end: called once with what `create` made.
    package init(create: @escaping Create, end: @escaping (UnsafeMutableRawPointer) -> Void) {
        self.create = create
        self.end = end
    }
}
