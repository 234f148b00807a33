// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

/// Every Swift target obeys these. `unsafe` is spelled at each use, so
/// `grep -rn unsafe Sources` is the audit list.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// The part that runs inside sudo, su and login: no runtime, no metadata.
let embedded: [SwiftSetting] =
  strict + [.enableExperimentalFeature("Embedded"), .unsafeFlags(["-wmo", "-Osize"])]

let strictC: [CSetting] = [
  .unsafeFlags([
    "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wstrict-prototypes", "-Wvla",
    "-fstack-protector-strong",
  ])
]

/// Executables carry Swift's runtime inside. A test must never depend on one
/// of them, or it inherits this flag and fails to link.
let standalone: [LinkerSetting] = [.unsafeFlags(["-static-stdlib"])]

func pure(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func program(_ name: String, _ path: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: path, swiftSettings: strict,
    linkerSettings: standalone)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
  name: "thumbturn",
  products: [
    .library(name: "pam_thumbturn", type: .dynamic, targets: ["PAMModule"]),
    .executable(name: "thumbturnd", targets: ["thumbturnd"]),
    .executable(name: "thumbturn-reader", targets: ["thumbturn-reader"]),
    .executable(name: "thumbturn-pwcheck", targets: ["thumbturn-pwcheck"]),
    .executable(name: "thumbturn", targets: ["thumbturn"]),
    .executable(name: "thumbturn-synth", targets: ["thumbturn-synth"]),
  ],
  targets: [
    // Pure: no imports, no I/O, no clock.
    pure("ThumbturnProtocol"),
    pure("ReaderProtocol", ["ThumbturnProtocol"]),
    pure("Conversation", ["ThumbturnProtocol"]),
    pure("Records", ["ThumbturnProtocol"]),
    pure("Pattern"),
    pure("Throttle"),
    pure("Policy", ["ThumbturnProtocol", "Throttle"]),
    pure("Presence"),
    pure("SyntheticPrints"),

    // C libraries and the few calls Swift's Glibc does not show.
    .target(name: "CSystem", cSettings: strictC),
    .target(name: "CSandbox", cSettings: strictC),
    .systemLibrary(name: "CGLib", pkgConfig: "gio-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CFprint", pkgConfig: "libfprint-2", providers: [.apt(["libfprint-2-dev"])]),
    .systemLibrary(name: "CGUSB", pkgConfig: "gusb", providers: [.apt(["libgusb-dev"])]),
    .systemLibrary(name: "CACL", pkgConfig: "libacl", providers: [.apt(["libacl1-dev"])]),
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(name: "CPAM", providers: [.apt(["libpam0g-dev"])]),

    // Owners of C resources, then the programs' logic, then thin programs.
    .target(name: "System", dependencies: ["CSystem"], swiftSettings: strict),
    .target(
      name: "DaemonCore",
      dependencies: [
        "ThumbturnProtocol", "ReaderProtocol", "Conversation", "Records", "Pattern", "Throttle", "Policy",
        "Presence", "System", "CSystem", "CGLib", "CACL", "CSodium",
      ], swiftSettings: strict),
    .target(
      name: "ReaderCore",
      dependencies: [
        "ThumbturnProtocol", "ReaderProtocol", "System", "CSystem", "CSandbox", "CFprint", "CGUSB",
      ],
      swiftSettings: strict),
    .target(
      name: "CommandCore", dependencies: ["ThumbturnProtocol", "Pattern", "System", "CSystem"],
      swiftSettings: strict),
    program("thumbturnd", "Sources/thumbturnd", ["DaemonCore"]),
    program("thumbturn-reader", "Sources/thumbturn-reader", ["ReaderCore"]),
    program("thumbturn-pwcheck", "Sources/thumbturn-pwcheck", ["System", "CSystem", "CPAM"]),
    program("thumbturn", "Sources/thumbturn", ["CommandCore"]),
    program("thumbturn-synth", "Sources/SyntheticPrintsTool", ["SyntheticPrints"]),

    // The PAM module: C, and a protocol client in Embedded Swift.
    .target(name: "CThumbturnShim", cSettings: strictC),
    .target(name: "ThumbturnShim", dependencies: ["CThumbturnShim"], swiftSettings: embedded),
    .target(
      name: "PAMModule", dependencies: ["ThumbturnShim", "CThumbturnShim"], path: "pam",
      exclude: ["pam_thumbturn.map"], cSettings: strictC + [.unsafeFlags(["-fvisibility=hidden", "-Os"])],
      linkerSettings: [
        .linkedLibrary("pam"),
        .unsafeFlags([
          "-enable-experimental-feature", "Embedded", "-Xlinker", "--gc-sections", "-Xlinker", "-z",
          "-Xlinker", "defs", "-Xlinker", "-z", "-Xlinker", "now", "-Xlinker",
          "--version-script=\(Context.packageDirectory)/pam/pam_thumbturn.map",
        ]),
      ]),

    tests("ThumbturnProtocolTests", ["ThumbturnProtocol"]),
    tests("SyntheticPrintsTests", ["SyntheticPrints"]),
    tests("PatternTests", ["Pattern"]),
    tests("ThrottleTests", ["Throttle"]),
    tests("PolicyTests", ["Policy", "Throttle", "ThumbturnProtocol"]),
    tests("PresenceTests", ["Presence"]),
    tests("ReaderProtocolTests", ["ReaderProtocol", "ThumbturnProtocol"]),
    tests(
      "ReaderCoreTests",
      ["ReaderCore", "ReaderProtocol", "ThumbturnProtocol", "System", "CSystem", "CSandbox"]),
    tests("RecordsTests", ["Records", "ThumbturnProtocol"]),
    tests("ConversationTests", ["Conversation", "ThumbturnProtocol"]),
    tests(
      "DaemonCoreTests",
      [
        "DaemonCore", "Conversation", "Records", "Pattern", "Throttle", "Policy", "Presence",
        "ReaderProtocol",
        "ThumbturnProtocol", "System", "CSystem", "CACL",
      ]),
    tests("CommandCoreTests", ["CommandCore", "ThumbturnProtocol", "System"]),
  ]
)
