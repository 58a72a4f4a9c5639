/// Events of a program's life. Any other name of an action's form is as good.
public enum Event {
    public static var didFinishLaunching: String { "did-finish-launching" }
    public static var willEnterForeground: String { "will-enter-foreground" }
    public static var didEnterBackground: String { "did-enter-background" }
    public static var openURL: String { "open-url" }
    public static var activate: String { "activate" }
    public static var willTerminate: String { "will-terminate" }
    public static var memoryWarning: String { "memory-warning" }
    /// Run for a component alone once it is registered, and for a lazy one once its object has been made.
    public static var created: String { "created" }
    /// Run for a component alone before it is removed or its bus closes.
    public static var destroyed: String { "destroyed" }
}
