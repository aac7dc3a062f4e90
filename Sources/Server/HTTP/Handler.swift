/// What the program does with requests. Called on the threads that move bytes: an implementation
/// that has to wait for anything returns first and answers from a queue of its own.
package protocol Handler: Sendable {
    /// Judges a request by its head, before a byte of the body is kept.
    func admit(_ head: RequestHead) -> Admission

    /// Takes a whole request; `responder` is owed exactly one answer.
    func handle(_ request: Request, _ responder: Responder)
}

package enum Admission: Sendable {
    /// Go on, with a body of at most that many bytes (the listener's own limit still holds).
    case admitted(bodyLimit: Int)
    case refused(Response)
}
