import Foundation
import Testing

@testable import Forms

@Suite("Reading expressions")
struct ExpressionSyntaxTests {
    @Test(
        "what is printed reads to the same tree",
        arguments: [
            "1 + 2 * 3 - -4", "(1 + 2) * 3", "1 - (2 - 3)", "-(-x)", "--x", "- (1 + 2)",
            "a or b and not(c = 1)", "(a or b) and c", "a | b | ../c", "-(a | b)",
            "/data/pump[1]/../tag", "//size", "/", ".", "..", "./a[. > 1]", "/data//size[2]",
            "instance('pumps')/root/item[site = current()/../site]/name", "(a | b)[1]/c",
            "\"it's\"", "@id", "jr:choice-name(., '/data/x')", "*", "a:*", "/*",
            "ancestor::pump/text()", "self::node()", "descendant-or-self::node()", "1e999",
            "a//b//c", "current()//x", "node()[1]", "1.5e20", "if(a, b, concat())",
        ])
    func printing(source: String) throws {
        let expression = try FormExpression(source)
        let again = try FormExpression(expression.tree.description)
        #expect(again.tree == expression.tree, "\(expression.tree)")
        #expect(again.tree.description == expression.tree.description)
    }

    @Test(
        "an error says what and where",
        arguments: [
            ("1 +", 4, "the end"), ("1 2", 3, "operator"), ("(1", 3, "\")\""),
            ("'open", 1, "quote"),
            ("concat('a' 'b')", 12, "\",\" or \")\""), ("a[1", 4, "\"]\""), ("/data/", 7, "slash"),
            ("a b", 3, "operator before \"b\""), ("1 andx 2", 3, "andx"), ("#", 1, "no meaning"),
            ("$a", 1, "variables"), ("a = = b", 5, "a value"), ("", 1, "the end"),
            (")", 1, "\")\""),
            ("sideways::a", 1, "no axis"), ("a/comment()", 3, "comment()"), ("æ ø", 3, "ø"),
        ])
    func places(source: String, character: Int, words: String) {
        do {
            _ = try FormExpression(source)
            Issue.record("\(source) was read")
        } catch {
            #expect(error.character == character, "\(error)")
            #expect(error.message.contains(words), "\(error)")
        }
    }

    @Test("an error of a call says where the call stands")
    func callPlaces() throws {
        let world = try ExpressionWorld()
        #expect(world.failure("1 + explode(2)")?.character == 5)
        #expect(world.failure("1 + explode(2)")?.code == .unknownFunction)
        let arity = world.failure("concat(1, round(1, 2, 3))")
        #expect(arity?.character == 11 && arity?.code == .wrongArity)
        #expect(arity?.message == "round() takes 1 to 2 arguments, not 3")
    }

    @Test("no answer stands in an error")
    func secrecy() throws {
        let world = try ExpressionWorld("<data><pin>4711</pin></data>")
        for expression in [
            "date(concat('x', /data/pin))", "area(/data/pin)", "sum(concat(/data/pin))",
            "regex('a', concat('(', /data/pin))", "format-date(today(), concat('%', 'q'))",
        ] {
            let error = try #require(world.failure(expression))
            #expect(!error.description.contains("4711"))
        }
    }

    @Test("escape sequences of a hostile form do not reach the terminal through an error")
    func escapes() {
        do {
            _ = try FormExpression("1 \u{1B}[31m")
            Issue.record("was read")
        } catch {
            #expect(!error.description.unicodeScalars.contains { $0.value < 0x20 })
        }
    }

    @Test("the author is told of all calls that cannot work, before any is evaluated")
    func callProblems() throws {
        let expression = try FormExpression("if(true(), explode(1), a[selected(.)])")
        #expect(expression.callProblems.map(\.code) == [.unknownFunction, .wrongArity])
        #expect(expression.callProblems.map(\.character) == [12, 26])
    }

    @Test("an expression is coded as its text, and a bad text is refused again")
    func coding() throws {
        let expression = try FormExpression("/data/a + 1")
        let coded = try JSONEncoder().encode([expression])
        #expect(String(decoding: coded, as: UTF8.self) == #"["\/data\/a + 1"]"#)
        #expect(try JSONDecoder().decode([FormExpression].self, from: coded) == [expression])
        #expect(throws: ExpressionError.self) {
            try JSONDecoder().decode([FormExpression].self, from: Data(#"["1 +"]"#.utf8))
        }
    }

    @Test("each function has one entry, and about as many as ODK has are there")
    func table() {
        let names = FunctionTable.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 65)
    }
}
