/// The used part of a block. The writer's alone.
struct RouteCounts {
    var entries = 0
    /// The root is there from the start.
    var nodes = 1
    /// Item 0 is no item.
    var items = 1
    var text = 0
}
