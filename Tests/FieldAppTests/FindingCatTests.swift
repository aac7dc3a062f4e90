import FieldApp
import Forms
import Inspections
import Replication
import TerminalKit
import TestSupport
import Testing

@Suite("A cat among findings")
struct FindingCatTests {
    private static let openings: [String: @Sendable (inout Story) -> Void] = [
        "finding": { $0.press(.character("f")) },
        "text": { $0.press(.character("f"), .enter) },
        "list": { $0.press(.character("f"), .escape, .character("M")) },
        "comments": { $0.press(.character("f"), .character("k")) },
    ]

    @Test(
        "5,000 random keys take no finding away and lose no text that was typed in one",
        arguments: openings.keys.sorted(), [1, 2] as [UInt64])
    func cat(opening: String, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var story = try Story(form: FindingTests.form())
        story.openFreezer()
        Self.openings[opening]?(&story)
        for step in 0..<5_000 {
            let before = Self.editor(in: story)
            let key =
                random.oneIn(8)
                ? random.pick(RandomKeysTests.feared) : random.pick(RandomKeysTests.keys)
            story.now.uptime += Int64(random.below(100))
            if story.state.place != .confirm, random.oneIn(50) { story.wait(1_000) }
            story.press(key)
            if story.state.place == .unlock { story.unlock() }
            // A completed round takes no more keys that matter.
            if story.screen?.picture?.state == .complete { story.type("r") }
            let faults =
                Self.lostText(before, in: story) + RandomKeysTests.unsoundness(of: story)
                + (story.field.removedFindings.isEmpty ? [] : ["a finding was taken away"])
            guard faults.isEmpty else {
                Issue.record("\(opening), seed \(seed), step \(step), \(key.name): \(faults)")
                return
            }
        }
    }

    private static func editor(in story: Story) -> AnswerEditor? {
        for case .finding(let screen) in story.state.layers.layers { return screen.editor }
        return nil
    }

    private static func lostText(_ editor: AnswerEditor?, in story: Story) -> [String] {
        guard let editor, Self.editor(in: story)?.key != editor.key,
            let picture = story.field.inspections[Story.freezer],
            let id = editor.key.row, let field = FindingField(field: editor.key.path),
            let finding = picture.findings.first(where: { $0.id.rawValue == id })?.finding
        else { return [] }
        let text = editor.line.text
        if story.field.drafts[editor.key] == text { return [] }
        // A day is stored as one, however it was typed.
        if field == .due, !text.isEmpty { return finding.due == nil ? ["a day was lost"] : [] }
        return field.text(of: finding) == text ? [] : ["the text of \(field) was lost"]
    }
}
