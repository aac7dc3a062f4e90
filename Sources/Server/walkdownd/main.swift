import Arguments
import Gateway

#if canImport(Glibc)
    import Glibc
#endif

exit(RawWords.ofThisProcess.run(Renderer(program: "walkdownd")) { Walkdownd.run($0) })
