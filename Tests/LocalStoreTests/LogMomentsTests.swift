import Testing

@testable import LocalStore

@Suite("When the log is moved into the file")
struct LogMomentsTests {
    private static let much = LogMoments.manyPages

    @Test(
        "while a page is applied to somebody who fills in a form: after an edit, never before one",
        arguments: [300, 500, 800, 2_000])
    func betweenEdits(milliseconds: Int) {
        var moments = LogMoments()
        var pages = 0
        for edit in 1...20 {
            let typed = Duration.milliseconds(edit * milliseconds)
            moments.noteEdit(at: typed)
            // Slices come all the time; the log grows with them.
            for slice in 0..<10 {
                pages += Self.much / 10
                let now = typed + .milliseconds(slice * milliseconds / 10)
                let isDue = moments.isDue(afterSliceWith: pages, at: now)
                #expect(!isDue || slice == 0, "in the middle, before edit \(edit + 1)")
            }
        }
    }

    @Test("where nobody edits it is moved as soon as it is long")
    func unattended() {
        var moments = LogMoments()
        let early = [Self.much - 1, Self.much, 2 * Self.much - 1].map {
            moments.isDue(afterSliceWith: $0, at: .zero)
        }
        #expect(early == [false, true, false])
        moments.noteEdit(at: .zero)
        let later = [Duration.zero, .seconds(4), LogMoments.away].map {
            moments.isDue(afterSliceWith: $0 == .zero ? Self.much : 3 * Self.much, at: $0)
        }
        #expect(later == [false, false, true])
    }

    @Test("in a burst of edits it waits until it would grow without end")
    func burst() {
        var moments = LogMoments()
        var moved: [Int] = []
        for edit in 1...100 {
            let now = Duration.milliseconds(edit * 100)
            moments.noteEdit(at: now)
            let pages = edit * LogMoments.tooManyPages / 10
            if moments.isDue(afterSliceWith: pages, at: now) { moved.append(edit) }
        }
        #expect(moved == Array(stride(from: 10, through: 100, by: 10)))
    }
}
