/// Which default routes there are, and what a change of them means: a value that is told what the
/// kernel said and answers what to do.
///
/// A notice of a change is only a reason to ask for the whole list again: a link that goes down
/// takes IPv4 routes along without a word about them.
package struct RouteWatch: Sendable {
    package enum Step: Equatable, Sendable {
        /// Ask the kernel for the list of all routes.
        case ask
        case tell(Event)
    }

    package enum Event: Equatable, Sendable {
        /// There is a way out that there was not before.
        case appeared
        /// There is none any more.
        case vanished
    }

    /// Nil before the first list.
    private var known: Set<DefaultRoute>?
    private var coming: Set<DefaultRoute> = []
    private var isAsking = true
    private var isStale = false

    /// - Postcondition: the list has been asked for by whoever begins.
    package init() {}

    package mutating func handle(_ message: RouteMessage) -> [Step] {
        switch message {
        case .route(let route):
            coming.insert(route)
            return []
        case .changed:
            // While a list is on its way the change may be missing in it.
            if isAsking { isStale = true }
            return isAsking ? [] : ask()
        case .listBroken: return ask()
        case .refused:
            // Asked again at once it would be refused again; the next notice asks.
            isAsking = false
            return []
        case .listEnded: return ended()
        }
    }

    private mutating func ask() -> [Step] {
        coming = []
        isAsking = true
        isStale = false
        return [.ask]
    }

    private mutating func ended() -> [Step] {
        let before = known
        let now = coming
        known = now
        isAsking = false
        let again = isStale ? ask() : []
        guard let before else { return again }
        if !now.subtracting(before).isEmpty { return [.tell(.appeared)] + again }
        if now.isEmpty, !before.isEmpty { return [.tell(.vanished)] + again }
        return again
    }
}
