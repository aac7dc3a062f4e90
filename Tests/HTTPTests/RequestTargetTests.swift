import Testing

@testable import HTTP

@Suite("Request targets")
struct RequestTargetTests {
    @Test("are decoded once")
    func decoded() throws {
        let target = try #require(RequestTarget("/a%20b/%C3%A9%2525?cursor=x%2By+z&limit=5&flag"))
        #expect(target.path == "/a b/é%25")
        #expect(target.query == ["cursor": "x+y z", "limit": "5", "flag": ""])
    }

    @Test(
        "are refused where two programs could read them differently",
        arguments: [
            "", "a", "*", "http://x/a", "/a#b", "/a%", "/a%2", "/a%zz", "/a%00", "/%0d%0a", "/%ff",
            "/a?x=1&x=2", "/a?x=%ff",
        ])
    func refused(raw: String) {
        #expect(RequestTarget(raw) == nil)
    }

    @Test("hold a bounded number of query items")
    func manyItems() {
        let items = { (count: Int) in (0..<count).map { "q\($0)=1" }.joined(separator: "&") }
        #expect(RequestTarget("/a?" + items(32)) != nil)
        #expect(RequestTarget("/a?" + items(33)) == nil)
    }
}
