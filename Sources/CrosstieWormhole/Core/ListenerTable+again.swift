extension ListenerTable {
    func enterAgain(_ body: () -> Void) {
        monitor.with {
            body()
            for binding in all { makeDue(binding) }
        }
    }
}
