import Coding
import Forms
import Testing

@Suite("Text of a form on its way to the screen")
struct ShownTextTests {
    @Test(
        "escape sequences and control characters do not pass",
        arguments: [
            ("plain", "plain"),
            ("\u{1B}[2Jcleared", "cleared"),
            ("\u{1B}[38;5;196mred\u{1B}[0m", "red"),
            ("\u{1B}]0;title\u{07}after", "after"),
            ("\u{1B}]8;;http://x\u{1B}\\link\u{1B}]8;;\u{1B}\\", "link"),
            ("\u{9B}31mred", "red"),
            ("\u{1B}(Bcharset", "charset"),
            ("bell\u{07} and \u{08}back", "bell and back"),
            ("two\nlines\tand a tab", "two lines and a tab"),
            ("  edges  ", "edges"),
            ("turn\u{202E}ed", "turned"),
            ("\u{FEFF}mark", "mark"),
            ("\u{1B}]never ends", "never ends"),
            ("\u{1B}", ""),
            ("°C – é, 温度, ⚠\u{FE0F}", "°C – é, 温度, ⚠\u{FE0F}"),
        ])
    func clean(text: String, shown: String) {
        #expect(ShownText.clean(text) == shown)
    }

    @Test("a label is never blank")
    func neverBlank() throws {
        let form = try FormDefinition(
            json: [
                "id": "f", "version": "1", "title": "\u{1B}[0m",
                "sections": [
                    [
                        "name": "s", "title": " ",
                        "questions": [
                            [
                                "path": "a", "type": "choice", "label": "",
                                "choices": [["name": "x", "label": "\u{07}"]],
                            ]
                        ],
                    ]
                ],
            ])
        #expect(form.title == "f")
        #expect(form.sections[0].title == "s")
        #expect(form.questions[0].label == "a")
        #expect(form.questions[0].choices[0].label == "x")
    }
}
