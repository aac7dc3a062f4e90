import Gateway

#if canImport(Glibc)
    import Glibc
#endif

exit(Walkdownd.run(Array(CommandLine.arguments.dropFirst())))
