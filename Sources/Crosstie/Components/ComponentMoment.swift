/// The events of a component's own life.
enum ComponentMoment: String {
    case created, destroyed
}
