/// A form as its author wrote it, whether as XForms XML or as an XLSForm workbook: structure, texts
/// and rules, checked for what can be checked without evaluating an expression. Paths are absolute
/// (`/data/group/question`), without prefixes and predicates.
package struct XForm: Equatable, Sendable {
    package var title: String
    package var id: String
    package var version: String?
    package var texts = FormTexts()
    /// The record that is filled in, with its defaults.
    package var primary: InstanceNode
    package var secondary: [SecondaryInstance] = []
    package var binds: [XFormBind] = []
    package var actions: [XFormAction] = []
    package var body: [BodyItem] = []
    /// The classes of the body, as `pages` or `theme-grid`.
    package var style: [String] = []
}

/// A form and what was passed over in reading it.
package struct ImportedForm: Equatable, Sendable {
    package var form: XForm
    package var warnings: [FormImportWarning]
}

/// An expression as text; what it means is decided by whoever evaluates it.
package struct ExpressionText: Equatable, Sendable {
    package var text: String
    package var place: FormPlace

    package init(_ text: String, at place: FormPlace) {
        self.text = text
        self.place = place
    }
}

/// A node of an instance: a group or repeat when it has children, else a value.
package struct InstanceNode: Equatable, Sendable {
    package var name: String
    package var value = ""
    package var children: [InstanceNode] = []
    /// Attributes by local name, without the namespace's declarations.
    package var attributes: [String: String] = [:]
    /// A pattern for new repeats (`jr:template`), not a record of its own.
    package var isTemplate = false
    package var place: FormPlace

    package init(_ name: String, at place: FormPlace) {
        self.name = name
        self.place = place
    }
}

/// Lists and records beside the one that is filled in.
package struct SecondaryInstance: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        case inside([InstanceNode])
        /// A file that is delivered beside the form; its name, without folder.
        case csv(String)
        case xml(String)
        case geojson(String)
        /// What was last submitted with this form on this device.
        case lastSaved
        /// Something that Walkdown does not have, as it was written.
        case unknown(String)
    }

    package var id: String
    package var source: Source
    package var place: FormPlace
}

/// Rules of one node. Where a node has several binds, what a later one says goes before.
package struct XFormBind: Equatable, Sendable {
    package var path: String
    /// Without prefix: `string`, `int`, `select1`, …; nil when none is declared.
    package var type: String?
    package var readonly: ExpressionText?
    package var required: ExpressionText?
    package var relevant: ExpressionText?
    package var constraint: ExpressionText?
    package var calculate: ExpressionText?
    package var constraintMessage: Caption?
    package var requiredMessage: Caption?
    package var preload: String?
    package var preloadParameters: String?
    /// Walkdown's own attributes by local name, as `softMax`.
    package var own: [String: String] = [:]
    package var place: FormPlace

    package init(_ path: String, at place: FormPlace) {
        self.path = path
        self.place = place
    }
}

/// A value set when something happens.
package struct XFormAction: Equatable, Sendable {
    package enum Value: Equatable, Sendable {
        case expression(ExpressionText)
        case literal(String)
        /// Where the device is (`odk:setgeopoint`).
        case position
    }

    /// As `odk-instance-first-load`, `odk-new-repeat`, `xforms-value-changed`.
    package var events: [String]
    package var target: String
    package var value: Value
    /// The question whose change is waited for, when the action stands in a question.
    package var source: String?
    package var place: FormPlace
}

/// What is shown, in order.
package enum BodyItem: Equatable, Sendable {
    case group(BodyGroup)
    case `repeat`(BodyRepeat)
    case control(BodyControl)
}

package struct BodyGroup: Equatable, Sendable {
    package var path: String?
    package var label: Caption?
    package var hint: Caption?
    package var appearance: [String] = []
    package var items: [BodyItem] = []
    package var place: FormPlace

    /// All on one screen.
    package var isFieldList: Bool { appearance.contains { $0.lowercased() == "field-list" } }
}

package struct BodyRepeat: Equatable, Sendable {
    package var path: String
    /// How many there must be; without it the inspector adds them.
    package var count: ExpressionText?
    package var noAddRemove: ExpressionText?
    package var appearance: [String] = []
    package var items: [BodyItem] = []
    package var place: FormPlace
}

package struct BodyControl: Equatable, Sendable {
    package enum Kind: String, Equatable, Sendable, CaseIterable {
        case input, select1, select, upload, trigger, range, rank, secret
    }

    package var kind: Kind
    package var path: String
    package var label: Caption?
    package var hint: Caption?
    package var appearance: [String] = []
    /// What an upload takes, as `image/*`.
    package var mediaType: String?
    package var range: BodyRange?
    package var choices: [BodyChoice] = []
    package var itemset: Itemset?
    package var own: [String: String] = [:]
    package var place: FormPlace
}

package struct BodyRange: Equatable, Sendable {
    package var start: String
    package var end: String
    package var step: String
}

package struct BodyChoice: Equatable, Sendable {
    package var value: String
    package var label: Caption?
    package var own: [String: String] = [:]
    package var place: FormPlace
}

/// Choices out of an instance: `instance('towns')/root/item[region = current()/../region]`.
package struct Itemset: Equatable, Sendable {
    /// The whole expression, with `randomize(…)` if it was there.
    package var nodeset: ExpressionText
    /// Where the choices come from when it is another instance.
    package var instance: String?
    /// The nodes, without predicates.
    package var path: String
    package var predicates: [String]
    package var isRandomized = false
    package var seed: String?
    package var valueName: String
    package var label: ItemsetLabel
}

package enum ItemsetLabel: Equatable, Sendable {
    /// The child that holds the text itself.
    case child(String)
    /// The child that holds the key of a text (`jr:itext(…)`).
    case text(String)
}
