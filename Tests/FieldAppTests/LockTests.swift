import Coding
import FieldApp
import Forms
import TerminalKit
import Testing

@Suite("Unlocking and locking")
struct LockTests {
    @Test("the PIN opens the worklist, and stands nowhere in the state")
    func pin() throws {
        var story = try Story()
        story.type("2468")
        #expect(!String(reflecting: story.state).contains("2468"))
        story.press(.backspace)
        story.type("810")
        story.press(.enter)
        #expect(story.state.place == .worklist)
        #expect(!story.state.worklist.rows.isEmpty)
    }

    @Test("a wrong PIN says so and begins anew")
    func wrong() throws {
        var story = try Story()
        story.type("111111")
        story.press(.enter)
        guard case .unlock(let screen) = story.state.layers.top else {
            Issue.record("the wrong PIN opened \(story.state.place)")
            return
        }
        #expect(screen.problem == "That is not the PIN")
        #expect(screen.typed == 0)
        story.unlock()
        #expect(story.state.place == .worklist)
    }

    @Test("a running delay is told, and ends by itself")
    func delay() throws {
        var story = try Story()
        story.send(.unlockRefused(.delayed(8)))
        story.type(story.field.pin)
        story.press(.enter)
        #expect(story.state.place == .unlock)
        story.wait(9_000)
        story.press(.enter)
        #expect(story.state.place == .worklist)
    }

    @Test("the wait after a wrong PIN ends by itself, what was wrong stays said")
    func wait() throws {
        var story = try Story()
        story.send(.unlockRefused(.wrongPINAndWait(2)))
        story.wait(3_000)
        guard case .unlock(let screen) = story.state.layers.top else { return }
        #expect(screen.waitUntil == nil)
        #expect(screen.problem == "That is not the PIN")
        story.unlock()
        #expect(story.state.place == .worklist)
    }

    @Test("five minutes without a key lock; what was typed is saved, what was shown is gone")
    func minutes() throws {
        var story = try Story()
        story.openFreezer()
        story.press(.down, .down, .down, .down, .enter)
        story.type("secret remark")
        story.press(.control("u"), .control("y"))
        story.wait(4 * 60_000)
        #expect(story.state.place == .editor)
        story.wait(2 * 60_000)
        #expect(story.state.place == .unlock)
        #expect(story.field.isLocked)
        #expect(story.field.drafts["notes"] == "secret remark")
        #expect(!String(reflecting: story.state).contains("secret"))
        #expect(!String(reflecting: story.state).contains("FRZ-1"))
    }

    @Test("a key after a long sleep locks and does nothing else")
    func sleep() throws {
        var story = try Story()
        story.unlock()
        story.now.uptime += 6 * 60_000
        story.type("q")
        #expect(story.state.place == .unlock)
        #expect(!story.field.hasQuit)
    }

    @Test("after the lock one comes back to the same question")
    func resume() throws {
        var story = try Story()
        story.openFreezer()
        story.press(.down, .down)
        story.press(.control("x"))
        #expect(story.state.place == .unlock)
        story.unlock()
        #expect(story.state.place == .inspection)
        #expect(story.focus == "seals")
        story.press(.escape)
        #expect(story.state.place == .worklist)
    }

    @Test("help over the check of a PIN does not keep it from opening")
    func helpMeanwhile() throws {
        var story = try Story()
        story.holds = true
        story.unlock()
        story.press(.function(1))
        #expect(story.state.place == .help)
        story.release()
        #expect(story.state.place == .worklist)
        #expect(story.state.deadline == story.state.lastKey + AppState.lockDelay)
    }

    @Test("a demand to lock while a PIN is being checked closes what it opens")
    func lockMeanwhile() throws {
        var story = try Story()
        story.holds = true
        story.unlock()
        story.send(.lockDemanded)
        story.release()
        #expect(story.state.place == .unlock)
        #expect(story.field.isLocked)
        story.unlock()
        #expect(story.state.place == .worklist)
    }

    @Test("a cycle that was under way is not shown for ever after a lock")
    func cycleOverLock() throws {
        var story = try Story()
        story.unlock()
        story.send(.sync(.started))
        story.press(.control("x"))
        story.send(.sync(.finished(pushed: 0, pulled: 0, isComplete: true)))
        story.unlock()
        #expect(!story.state.isSyncing)
    }

    @Test("a long cycle shows how much of how much has gone, until it ends")
    func longCycle() throws {
        var story = try Story()
        story.unlock()
        story.send(.sync(.started))
        story.send(.sync(.moving(sent: 1250, of: 50_000, fetched: 0)))
        #expect(story.state.cycleProgress?.sent == 1250)
        #expect(story.state.status.pending == 48_750)
        story.send(.sync(.moving(sent: 50_000, of: 50_000, fetched: 900)))
        #expect(story.state.cycleProgress?.fetched == 900)
        story.send(.sync(.finished(pushed: 50_000, pulled: 950, isComplete: true)))
        #expect(story.state.cycleProgress == nil)
    }

    @Test("results that come after the lock show nothing")
    func late() throws {
        var story = try Story()
        story.unlock()
        story.holds = true
        story.press(.enter)
        story.press(.escape, .control("x"))
        story.release()
        #expect(story.state.worklist.rows.isEmpty)
        #expect(story.state.place == .unlock)
    }
}
