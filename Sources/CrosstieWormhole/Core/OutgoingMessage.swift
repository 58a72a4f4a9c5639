/// One of several messages, as it is lent to ``WormholeCore/send(count:_:)``. Without content it is a signal.
package struct OutgoingMessage {
    let identifier: UnsafeRawBufferPointer
    let content: ValueRef?

    package init(_ identifier: UnsafeRawBufferPointer, _ content: ValueRef?) {
        self.identifier = identifier
        self.content = content
    }
}
