import Coding
import Dispatch
import Replication
import ServerStore
import Synchronization
import Testing

@Suite("Conformance: many at once")
struct ConcurrencyTests {
    @Test("V23 fifty threads with one mutation give one effect", arguments: Backend.allCases)
    func sameMutation(backend: Backend) throws {
        let yard = try Yard(backend)
        let id = try yard.assign()
        let device = try yard.enrol("a")
        try device.pull()
        let request = device.request([device.change(id, ["notes": .string("x")])])
        let store = yard.store
        let owner = device.device
        let answers = Answers()
        DispatchQueue.concurrentPerform(iterations: 50) { _ in
            do {
                let answer = try store.push(request, from: owner)
                answers.versions.withLock { $0.append(answer.results.first?.version) }
            } catch {
                Issue.record(error)
            }
        }
        let answered = answers.versions.withLock { $0 }
        #expect(answered == [Int64?](repeating: 2, count: 50))
    }

    @Test(
        "T40 T41 V22 a poller beside eight writers sees every change", arguments: Backend.allCases)
    func poller(backend: Backend) throws {
        let yard = try Yard(backend)
        let poller = try yard.enrol("poller")
        let writers = try (0..<8).map { try yard.enrol("w\($0)") }
        let requests = writers.map { writer in
            (0..<25).map { index in
                writer.request([writer.begin(RecordID("\(writer.node)-\(index)"), asset: nil)])
            }
        }
        let devices = writers.map(\.device)
        let store = yard.store
        let running = Atomic<Int>(devices.count)
        for (device, own) in zip(devices, requests) {
            DispatchQueue.global().async {
                var baton: String?
                for var request in own {
                    do {
                        request.baton = baton
                        baton = try store.push(request, from: device).baton
                    } catch {
                        Issue.record(error)
                    }
                }
                running.subtract(1, ordering: .sequentiallyConsistent)
            }
        }
        while running.load(ordering: .sequentiallyConsistent) > 0 { try poller.pull(limit: 7) }
        try poller.pull()
        #expect(poller.confirmed.keys.filter { $0.rawValue.hasPrefix("node-w") }.count == 200)
    }

    @Test("a full queue says so, and what was accepted is answered", arguments: Backend.allCases)
    func overload(backend: Backend) throws {
        let yard = try Yard(backend, queueLimit: 4)
        let device = try yard.enrol("a")
        // What is in each of them tells the store that none is a copy's.
        let shared = device.begin("shared", asset: nil)
        let requests = (0..<300).map { index in
            device.request([shared, device.begin(RecordID("i\(index)"), asset: nil)])
        }
        let outcomes = Mutex<[ServerStoreError.Code?]>([])
        let done = DispatchGroup()
        for request in requests {
            done.enter()
            yard.store.push(request, from: device.device, idempotencyKey: nil) { result in
                outcomes.withLock { outcomes in
                    if case .failure(let error) = result {
                        outcomes.append((error as? ServerStoreError)?.code ?? .badName)
                    } else {
                        outcomes.append(nil)
                    }
                }
                done.leave()
            }
        }
        done.wait()
        let all = outcomes.withLock { $0 }
        #expect(all.count == 300)
        #expect(all.contains(.overloaded))
        #expect(all.allSatisfy { $0 == nil || $0 == .overloaded })
        try device.pull()
        let stored = device.confirmed.keys.filter { $0.rawValue.hasPrefix("i") }.count
        #expect(stored == all.filter { $0 == nil }.count)
    }
}

/// What many threads were told. A class, because Swift 6.0.3 takes a local `Mutex` for consumed by
/// the closure that shares it.
private final class Answers: Sendable {
    let versions = Mutex<[Int64?]>([])
}
