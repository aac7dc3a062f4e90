internal import Commands
internal import Glibc

exit(Walkdown.runProcess())
