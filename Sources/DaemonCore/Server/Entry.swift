// SPDX-License-Identifier: Apache-2.0

internal import CSystem
internal import Glibc

/// The program `thumbturnd`.
public enum Thumbturnd {
  /// Runs it; returns its exit status: 0, 1 when it cannot start, 2 for a wrong command line.
  public static func run(_ arguments: [String]) -> Int32 {
    do throws(OptionError) {
      switch try Invocation(arguments, isRoot: geteuid() == 0) {
      case .help: print(Options.help, terminator: "")
      case .version: print("thumbturnd \(Version.current)")
      case .serve(let options): return serve(options)
      }
      return 0
    } catch {
      writeToStandardError("thumbturnd: \(error.text)\nTry thumbturnd --help.\n")
      return 2
    }
  }

  private static func serve(_ options: Options) -> Int32 {
    guard csystem_harden() == 0 else {
      writeToStandardError("thumbturnd: cannot protect its memory\n")
      return 1
    }
    do throws(StartError) {
      try Daemon(options).run()
      return 0
    } catch {
      writeToStandardError("thumbturnd: \(error.text)\n")
      return 1
    }
  }
}
