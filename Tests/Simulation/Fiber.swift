import Foundation

/// A thread that runs only while whoever started or resumed it waits: a cycle blocks in a call to
/// the server, and the run goes on elsewhere.
///
/// Sendable because of that hand-over: of the two threads one is always waiting for the other.
final class Fiber: @unchecked Sendable {
    private let goOn = DispatchSemaphore(value: 0)
    private let handedBack = DispatchSemaphore(value: 0)
    private var work: (() -> Void)?
    /// Whether it has begun and not ended.
    private(set) var isActive = false

    init() {
        let thread = Thread { [self] in live() }
        thread.stackSize = 4 << 20
        thread.start()
    }

    private func live() {
        while true {
            goOn.wait()
            work?()
            work = nil
            isActive = false
            handedBack.signal()
        }
    }

    /// Returns when the work is suspended or over.
    func start(_ work: @escaping () -> Void) {
        precondition(!isActive, "a fiber does one thing at a time")
        self.work = work
        isActive = true
        resume()
    }

    /// Goes on behind `suspend`. Returns when the work is suspended again or over.
    func resume() {
        goOn.signal()
        handedBack.wait()
    }

    /// Called by the work itself.
    func suspend() {
        handedBack.signal()
        goOn.wait()
    }
}
