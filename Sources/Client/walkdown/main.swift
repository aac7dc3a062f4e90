internal import Commands
internal import Glibc

exit(Walkdown.run(Array(CommandLine.arguments.dropFirst())))
