// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let subprocess: Target.Dependency = .product(name: "Subprocess", package: "swift-subprocess")
let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)

/// What `scripts/test` builds: a release with assertions, in which what computes little is not optimised.
///
/// In a debug build the dependencies prove each path and each command line that they make, which took
/// half of the time of the tests. Four fifths of the time of compiling a target is its optimisation.
let isTest = Context.environment["STAFFBOOK_TEST"] != nil
let tested =
  strict + (isTest ? [.unsafeFlags(["-assert-config", "Debug", "-enable-testing"])] : [])
let plain: [SwiftSetting] = isTest ? [.unsafeFlags(["-Onone"])] : []
let testing = strict + plain

/// A target of ours; its arrows point to `dependencies` and nowhere else.
func layer(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: tested)
}

func tests(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: testing)
}

let package = Package(
  name: "staffbook",
  products: [
    .executable(name: "staffbook", targets: ["staffbook"]),
    .library(name: "Outlines", targets: ["Outlines"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
  ],
  targets: [
    .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CMinizip", pkgConfig: "minizip", providers: [.apt(["libminizip-dev"])]),
    .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
    .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
    .target(
      name: "CICU",
      linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]
    ),
    .target(name: "CCommit"),
    .target(name: "CResources"),

    layer("Outlines"),
    layer("Platform", "CResources", system),
    layer("DirectoryModel", "CCrypto", "CXXHash", "Platform"),
    layer("TextRules", "CICU"),
    layer("LibPQ", "CLibPQ", "Platform"),
    layer("DirectorySnapshot", "Outlines", "DirectoryModel", "TextRules", "Platform", system),
    layer(
      "DirectorySearch",
      "DirectorySnapshot",
      "Outlines",
      "DirectoryModel",
      "TextRules",
      "Platform",
      system
    ),
    .target(
      name: "DirectoryExchange",
      dependencies: [
        "DirectoryModel", "TextRules", "CExpat", "CMinizip", "CZlib", "Platform", system,
      ],
      exclude: ["HTML/page.css", "HTML/page.js"],
      swiftSettings: tested
    ),
    .target(
      name: "SampleCompanies",
      dependencies: ["DirectoryExchange", "DirectoryModel", "TextRules", "Platform", system],
      exclude: ["Words"],
      swiftSettings: tested
    ),
    layer(
      "DirectoryReading",
      "DirectorySnapshot",
      "DirectorySearch",
      "DirectoryExchange",
      "Outlines",
      "DirectoryModel",
      "TextRules",
      "Platform",
      system
    ),
    layer("DirectoryStore", "LibPQ", "Outlines", "DirectoryModel", "Platform"),
    layer("PrivateServer", "LibPQ", subprocess, "Platform", system),
    layer("SQLite", "CSQLite", "Platform", system),
    layer("YAML", "DirectoryModel", "CYAML"),
    layer(
      "SiteSettings",
      "YAML",
      "DirectoryStore",
      "DirectorySearch",
      "PrivateServer",
      "DirectoryModel",
      "TextRules",
      "LibPQ",
      "Platform",
      system
    ),
    layer(
      "LiveDirectory",
      "SiteSettings",
      "DirectoryStore",
      "PrivateServer",
      "DirectoryReading",
      "DirectorySearch",
      "DirectorySnapshot",
      "Outlines",
      "DirectoryModel",
      "SQLite",
      "TextRules",
      "LibPQ",
      "Platform",
      system
    ),
    layer(
      "ChangeHistory",
      "LiveDirectory",
      "SiteSettings",
      "DirectoryStore",
      "DirectoryReading",
      "DirectoryExchange",
      "DirectorySnapshot",
      "DirectoryModel",
      "TextRules",
      "Platform",
      system
    ),
    layer(
      "DirectoryWriting",
      "YAML",
      "ChangeHistory",
      "LiveDirectory",
      "SiteSettings",
      "DirectoryStore",
      "DirectoryReading",
      "DirectoryExchange",
      "SampleCompanies",
      "DirectoryModel",
      "TextRules",
      "Platform",
      system
    ),
    layer(
      "Administration",
      "ChangeHistory",
      "LiveDirectory",
      "SiteSettings",
      "DirectoryStore",
      "PrivateServer",
      "DirectoryReading",
      "DirectorySearch",
      "DirectorySnapshot",
      "DirectoryModel",
      "TextRules",
      "LibPQ",
      subprocess,
      "Platform",
      system
    ),
    layer("Terminal", "TextRules", "Platform"),
    layer(
      "Browsing",
      "DirectoryReading",
      "Terminal",
      "Outlines",
      "DirectoryModel",
      "TextRules",
      "Platform"
    ),
    .executableTarget(
      name: "staffbook",
      dependencies: [
        "Administration", "DirectoryWriting", "ChangeHistory", "LiveDirectory", "SiteSettings",
        "DirectoryReading", "SampleCompanies", "Browsing", "Terminal", "DirectoryModel", "Platform",
        "CCommit",
        argumentParser,
      ],
      exclude: [
        "Completion/staffbook.bash", "Completion/staffbook.fish", "Completion/staffbook.zsh",
      ],
      swiftSettings: tested
    ),

    .executableTarget(
      name: "OutlineExample",
      dependencies: ["Outlines"],
      swiftSettings: tested
    ),

    .target(
      name: "Seeds",
      dependencies: ["Platform"],
      path: "Tests/Seeds",
      swiftSettings: tested
    ),
    .target(
      name: "PersonnelMonths",
      dependencies: ["Seeds"],
      path: "Tests/PersonnelMonths",
      swiftSettings: tested
    ),
    .target(
      name: "OutlineModel",
      dependencies: ["Outlines", "Seeds"],
      path: "Tests/OutlineModel",
      swiftSettings: tested
    ),
    .target(
      name: "TestSupport",
      dependencies: ["LibPQ", "Seeds", subprocess, "Platform", system],
      path: "Tests/TestSupport",
      swiftSettings: tested
    ),
    .target(
      name: "DirectoryTestSupport",
      dependencies: ["DirectorySnapshot", "DirectoryModel", "TestSupport", system],
      path: "Tests/DirectoryTestSupport",
      swiftSettings: tested
    ),
    .target(
      name: "VisibilityModel",
      dependencies: [
        "DirectoryReading", "DirectorySnapshot", "DirectoryModel", "DirectoryTestSupport", "Seeds",
      ],
      path: "Tests/VisibilityModel",
      swiftSettings: tested
    ),
    .target(
      name: "BrowserModel",
      dependencies: [
        "Browsing", "DirectoryReading", "DirectoryModel", "Terminal", "TextRules",
        "DirectoryTestSupport", "Seeds",
      ],
      path: "Tests/BrowserModel",
      swiftSettings: tested
    ),
    tests("OutlinesTests", "Outlines", "OutlineModel", "Seeds", "Platform"),
    tests("DirectoryModelTests", "DirectoryModel", "TestSupport", "Seeds", "Platform", system),
    tests("TextRulesTests", "TextRules"),
    tests("LibPQTests", "LibPQ", "TestSupport", "Platform"),
    tests(
      "DirectorySnapshotTests",
      "DirectorySnapshot",
      "DirectoryModel",
      "Outlines",
      "TextRules",
      "DirectoryTestSupport",
      "TestSupport",
      "Seeds",
      "Platform",
      system
    ),
    tests(
      "DirectorySearchTests",
      "DirectorySearch",
      "DirectorySnapshot",
      "DirectoryModel",
      "TextRules",
      "DirectoryTestSupport",
      "TestSupport",
      "Seeds",
      "Platform",
      system
    ),
    tests(
      "RelevanceTests",
      "DirectorySearch",
      "DirectorySnapshot",
      "DirectoryModel",
      "TestSupport",
      system
    ),
    tests(
      "DirectoryExchangeTests",
      "DirectoryExchange",
      "DirectoryModel",
      "TestSupport",
      "Seeds",
      "Platform",
      system
    ),
    tests(
      "SampleCompaniesTests",
      "SampleCompanies",
      "DirectoryExchange",
      "DirectoryModel",
      "TestSupport",
      system
    ),
    tests(
      "DirectoryStoreTests",
      "DirectoryStore",
      "DirectoryModel",
      "LibPQ",
      "TestSupport",
      "Seeds",
      "Platform",
      system
    ),
    tests("PrivateServerTests", "PrivateServer", "LibPQ", "TestSupport", "Platform", system),
    tests(
      "DirectoryReadingTests",
      "DirectoryReading",
      "DirectoryExchange",
      "DirectorySearch",
      "DirectorySnapshot",
      "DirectoryModel",
      "Outlines",
      "TextRules",
      "VisibilityModel",
      "DirectoryTestSupport",
      "TestSupport",
      "Seeds",
      "Platform",
      system
    ),
    tests(
      "UseCaseTests",
      "Administration",
      "DirectoryWriting",
      "ChangeHistory",
      "LiveDirectory",
      "SiteSettings",
      "DirectoryReading",
      "DirectoryStore",
      "DirectoryExchange",
      "DirectorySnapshot",
      "DirectoryModel",
      "LibPQ",
      "Outlines",
      "PrivateServer",
      "SQLite",
      "TextRules",
      "TestSupport",
      "DirectoryTestSupport",
      "Seeds",
      "Platform",
      system
    ),
    tests("TerminalTests", "Terminal", "TestSupport", "Platform"),
    tests(
      "BrowsingTests",
      "Browsing",
      "BrowserModel",
      "DirectoryReading",
      "DirectoryModel",
      "Terminal",
      "DirectoryTestSupport",
      "TestSupport",
      "Seeds",
      system
    ),
    tests(
      "StaffbookTests",
      "ChangeHistory",
      "LiveDirectory",
      "DirectoryStore",
      "DirectoryReading",
      "DirectoryModel",
      "VisibilityModel",
      "LibPQ",
      "PersonnelMonths",
      "Seeds",
      "TestSupport",
      "Platform",
      system
    ),
  ],
  swiftLanguageModes: [.v6]
)

// The server and its dependencies take minutes to build, which nobody waits for who builds the commands.
if Context.environment["STAFFBOOK_SERVER"] != nil {
  func product(_ name: String, _ package: String) -> Target.Dependency {
    .product(name: name, package: package)
  }
  let network: [Target.Dependency] = [
    product("HTTPTypes", "swift-http-types"), product("HummingbirdCore", "hummingbird"),
    product("HummingbirdHTTP2", "hummingbird"), product("Logging", "swift-log"),
    product("NIOCore", "swift-nio"), product("NIOExtras", "swift-nio-extras"),
    product("NIOPosix", "swift-nio"), product("NIOSSL", "swift-nio-ssl"),
    product("ServiceLifecycle", "swift-service-lifecycle"),
    product("UnixSignals", "swift-service-lifecycle"),
  ]
  package.products.append(.executable(name: "staffbookd", targets: ["staffbookd"]))
  package.dependencies += [
    .package(
      url: "https://github.com/hummingbird-project/hummingbird",
      from: "2.28.1",
      traits: []
    ),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.34.1"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ]
  package.targets.removeAll { $0.type == .test }
  package.targets += [
    .systemLibrary(
      name: "CQRCode",
      pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"])]
    ),
    .target(name: "CPage"),
    .target(
      name: "Page",
      dependencies: [
        "DirectoryReading", "DirectoryExchange", "DirectoryModel", "CPage", "CZlib", "Platform",
      ],
      exclude: ["Files"],
      swiftSettings: tested
    ),
    .target(
      name: "Serving",
      dependencies: [
        "Page", "ChangeHistory", "LiveDirectory", "SiteSettings", "DirectoryReading",
        "DirectoryModel", "Outlines", "CCrypto", "CQRCode", "Platform",
      ] + network,
      swiftSettings: tested
    ),
    .executableTarget(
      name: "staffbookd",
      dependencies: [
        "Serving", "SiteSettings", "DirectoryModel", "Platform", "CCommit", argumentParser,
        product("Logging", "swift-log"),
      ],
      swiftSettings: tested
    ),
    .testTarget(
      name: "ServingTests",
      dependencies: [
        "Serving", "Page", "Administration", "DirectoryWriting", "LiveDirectory", "SiteSettings",
        "DirectoryReading", "DirectoryStore", "DirectoryModel", "LibPQ", "VisibilityModel",
        "TestSupport", "Seeds", "Platform", system, product("NIOTLS", "swift-nio"),
      ] + network,
      swiftSettings: testing
    ),
  ]
}

// What takes long or is measured is built when it is asked for.
if Context.environment["STAFFBOOK_EXTRA"] != nil {
  package.targets += [
    .executableTarget(
      name: "OutlineHistories",
      dependencies: ["OutlineModel", "Seeds"],
      path: "Tests/OutlineHistories",
      swiftSettings: tested
    ),
    .executableTarget(
      name: "BrowserWalks",
      dependencies: ["BrowserModel", "Seeds"],
      path: "Tests/BrowserWalks",
      swiftSettings: tested
    ),
    .executableTarget(
      name: "OutlineBench",
      dependencies: ["Outlines", "Platform"],
      path: "Tests/OutlineBench",
      swiftSettings: tested
    ),
    .executableTarget(
      name: "SearchBench",
      dependencies: [
        "DirectoryReading", "DirectorySearch", "DirectorySnapshot", "DirectoryExchange",
        "DirectoryModel", "TextRules", "LibPQ", "Platform", system,
      ],
      path: "Tests/SearchBench",
      swiftSettings: tested
    ),
  ]
}

// Linked with libFuzzer, whose `main` it has, by scripts/fuzz: nothing else can build it.
if Context.environment["STAFFBOOK_EXTRA"] == "fuzz" {
  package.targets.append(
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "DirectorySnapshot", "DirectorySearch", "DirectoryExchange", "DirectoryModel", "Outlines",
        "TextRules", "Platform", system,
      ],
      path: "Tests/Fuzz",
      swiftSettings: tested
    )
  )
}

/// What mostly waits: for the database, files, other programs or clients.
///
/// Not `DirectoryStore`, which parses each row.
let waiting = [
  "Administration", "ChangeHistory", "DirectoryWriting", "LiveDirectory", "PrivateServer",
  "Serving", "SiteSettings", "SQLite", "Terminal", "YAML", "staffbook", "staffbookd",
]
for target in package.targets where waiting.contains(target.name) {
  target.swiftSettings = tested + plain
}
