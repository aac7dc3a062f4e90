import Phrases
import TerminalKit

extension Frame {
    /// The list of forms, or of the equipment, narrowed as one types.
    mutating func drawBegin(_ screen: BeginScreen, in space: Rect) {
        guard let beginnings = screen.beginnings else {
            drawEmpty(say("Looking what an inspection can begin with"), in: space)
            return
        }
        var rest = space
        let head = rest.cutTop(1)
        canvas.text(
            screen.form.map { say("New: \($0.title)") } ?? say("New inspection with the form"),
            column: head.column + 1, row: head.row, limit: head.columns - 1, style: theme.title)
        let line = rest.cutTop(1)
        let offers = screen.offers
        if offers.isEmpty { drawEmpty(words(for: beginnings, screen), in: rest) }
        let items = offers.map { offer in
            let (name, place) = words(for: offer, in: beginnings)
            return row(offer, isFocused: offer == screen.focus.focused, name, right: place)
        }
        canvas.list(items, focused: screen.focus.focused, in: rest, anchor: &scroll.begin)
        drawFilter(screen.filter, in: line, listCursor: offers.isEmpty ? nil : canvas.cursor)
    }

    private func words(for beginnings: Beginnings, _ screen: BeginScreen) -> String {
        guard screen.form == nil, beginnings.forms.isEmpty else {
            return say("Nothing fits that text")
        }
        return say("No open form is on this device yet; Esc, then s fetches them")
    }

    private func words(
        for offer: BeginScreen.Offer, in beginnings: Beginnings
    ) -> (name: String, place: String) {
        switch offer {
        case .form(let id):
            let form = beginnings.forms.first { $0.id == id }
            return (form?.title ?? id, form.map { say("version \($0.version)") } ?? "")
        case .equipment(let id):
            let equipment = beginnings.equipment.first { $0.id == id }
            return (equipment?.name ?? "", equipment?.site ?? "")
        case .nothing: return (say("No equipment"), "")
        }
    }
}
