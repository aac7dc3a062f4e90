internal import Glibc

/// The words of a command line as the system hands them over: bytes, which nobody has promised to be
/// UTF-8. Swift's own `CommandLine.arguments` repairs what is not, so that another value than the one
/// that was given would be stored.
package struct RawWords: Sendable {
    private let words: [[UInt8]]

    /// - Parameter words: without the program's name.
    package init(_ words: [[UInt8]]) { self.words = words }

    package static var ofThisProcess: RawWords {
        let arguments = UnsafeBufferPointer(
            start: CommandLine.unsafeArgv, count: Int(CommandLine.argc))
        return RawWords(
            arguments.dropFirst().compactMap { argument in
                guard let argument else { return nil }
                return Array(UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
            })
    }

    /// Hands the words to a program, or refuses the line whole where one of them is no text.
    /// - Returns: the exit status.
    package func run(
        _ renderer: Renderer, console: Console = Console(), _ program: ([String]) -> Int32
    ) -> Int32 {
        let texts = words.map { String(validating: $0, as: UTF8.self) }
        guard let stranger = texts.firstIndex(of: nil) else {
            return program(texts.compactMap(\.self))
        }
        return renderer.tell(
            UsageError.notUTF8(position: stranger + 1), on: console,
            asked: texts.compactMap(\.self))
    }
}
