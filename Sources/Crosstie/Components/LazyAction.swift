/// An action of a component whose instance is made by the first call; it is registered in place of its handler.
final class LazyAction {
    private let content: ActionContent
    /// It has this action as long as it lives.
    private unowned let component: RegisteredComponent

    init(_ content: ActionContent, of component: RegisteredComponent) {
        self.content = content
        self.component = component
    }

    static let call: HandlerFunction = { raw, context in
        guard let action = CallbackContext.object(context, as: LazyAction.self),
            case .live(let block) = RequestBlock.request(Handle(bits: UInt(bitPattern: raw)))
        else { return }
        do throws(CrosstieError) {
            let instance = try action.component.instance(for: block)
            action.content.handler(raw, action.content.userData ?? instance)
        } catch {
            block.end(error.status, message: error.message)
        }
    }
}
