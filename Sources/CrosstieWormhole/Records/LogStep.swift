/// The next action after a look at a queued message.
enum LogStep {
    case next
    case stop
}
