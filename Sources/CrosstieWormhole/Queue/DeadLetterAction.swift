/// The end of dead letters: retried or dropped.
enum DeadLetterAction {
    case retry
    case drop
}
