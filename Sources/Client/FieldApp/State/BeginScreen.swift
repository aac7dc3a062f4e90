import Phrases
package import Replication
package import TerminalKit

/// What an inspection can begin with on this device.
package struct Beginnings: Equatable, Sendable {
    package struct Form: Equatable, Sendable {
        package var id: String
        /// The newest that is open.
        package var version: String
        package var title: String

        package init(id: String, version: String, title: String) {
            self.id = id
            self.version = version
            self.title = title
        }
    }

    package struct Equipment: Equatable, Sendable {
        package var id: RecordID
        package var name: String
        package var site: String

        package init(id: RecordID, name: String, site: String) {
            self.id = id
            self.name = name
            self.site = site
        }
    }

    package var forms: [Form]
    /// By site and name.
    package var equipment: [Equipment]

    package init(forms: [Form], equipment: [Equipment]) {
        self.forms = forms
        self.equipment = equipment
    }
}

/// A new inspection: which form, then which equipment. The form of the inspection from which it was asked
/// has the focus, so that Enter means the same form again.
package struct BeginScreen: Equatable, Sendable {
    package enum Offer: Hashable, Sendable {
        case form(String)
        case equipment(RecordID)
        /// An inspection of no equipment.
        case nothing
    }

    /// Nil while the store is asked.
    package private(set) var beginnings: Beginnings?
    /// Nil while it is being chosen.
    package private(set) var form: Beginnings.Form?
    package private(set) var filter = LineEditor(limit: 200)
    package var focus = ListFocus<Offer>()
    /// It is being stored: one Enter too many begins no second one.
    package var isBeginning = false

    /// The inspection from which it was asked.
    private let like: WorklistRow?

    package init(like: WorklistRow?) { self.like = like }

    package mutating func show(_ beginnings: Beginnings) {
        guard self.beginnings == nil else { return }
        self.beginnings = beginnings
        focus = ListFocus(like.map { .form($0.formID) })
        focus.settle(offers)
    }

    package mutating func choose(form: Beginnings.Form) {
        self.form = form
        filter = LineEditor(limit: 200)
        let same = beginnings?.equipment.first { $0.name == like?.name && $0.site == like?.site }
        focus = ListFocus(same.map { .equipment($0.id) })
        focus.settle(offers)
    }

    /// Back to the forms.
    package mutating func unchooseForm() {
        focus = ListFocus(form.map { .form($0.id) })
        form = nil
        filter = LineEditor(limit: 200)
        focus.settle(offers)
    }

    package mutating func editFilter(_ change: (inout LineEditor) -> Void) {
        change(&filter)
        focus.settle(offers)
    }

    /// What the filter lets through.
    package var offers: [Offer] {
        guard let beginnings else { return [] }
        guard form != nil else {
            return beginnings.forms.filter { fits($0.title, $0.id) }.map { .form($0.id) }
        }
        let fitting = beginnings.equipment.filter { fits($0.name, $0.site) }
        let equipment = fitting.map { Offer.equipment($0.id) }
        return fits(say("no equipment"), "") ? equipment + [.nothing] : equipment
    }

    private func fits(_ texts: String...) -> Bool {
        let words = filter.text.lowercased().split(separator: " ")
        let text = texts.joined(separator: "\n").lowercased()
        return words.allSatisfy(text.contains)
    }
}
