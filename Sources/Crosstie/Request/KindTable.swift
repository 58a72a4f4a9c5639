/// The table of the kinds of request, which `Kinds/KindTable+kinds.swift` fills in: requests, and the bus that runs them,
/// know the table and no kind.
enum KindTable {}
