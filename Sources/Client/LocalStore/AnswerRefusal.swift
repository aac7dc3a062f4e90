package import Forms

/// Why what a person entered is not taken; nothing of the edit was kept. No text holds an answer.
package enum AnswerRefusal: Error, Equatable, Sendable {
    /// An answer that the form refuses.
    package struct Trouble: Equatable, Sendable {
        /// Where, as people write it: `pump[2]/tag`.
        package let address: String
        package let path: String
        package let problem: AnswerProblem
        /// What would have been right of a choice, with all that was given in place.
        package let offered: [Choice]

        package init(
            address: String, path: String, problem: AnswerProblem, offered: [Choice] = []
        ) {
            self.address = address
            self.path = path
            self.problem = problem
            self.offered = offered
        }
    }

    /// A row that would go.
    package struct Row: Equatable, Sendable {
        /// `pump[2]`
        package let address: String
        /// For asking the person: it holds an answer.
        package let name: String

        package init(address: String, name: String) {
            self.address = address
            self.name = name
        }
    }

    /// In the order in which they were given.
    case answers([Trouble])
    /// These rows have answers and would go with it: the person is asked first.
    case removesRows([Row])
    /// A count asks for more rows than an inspection may have.
    case tooManyRows(limit: Int)
    /// The form's expressions over so many rows would take too long.
    case tooMuchWork
    /// The rows of this repeat follow from the form; people neither add nor delete them.
    case fixedRows(String)
    /// The row is not here any more: somebody deleted it.
    case noSuchRow

    /// The words for a screen.
    package var sentence: String {
        switch self {
        case .answers(let troubles):
            troubles.map { "\($0.address) \($0.problem.message())" }.joined(separator: "; ")
        case .removesRows(let rows):
            "this removes \(rows.map(\.address).joined(separator: ", ")), with the answers there"
        case .tooManyRows(let limit): "this asks for more than \(limit) rows"
        case .tooMuchWork:
            "this asks for more rows than the form's expressions get done with; tell its author"
        case .fixedRows(let path): "the form itself says how often \(path) is asked"
        case .noSuchRow: "there is no such row here any more"
        }
    }
}
