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

/// Every target is compiled in one way, whoever asks for it, so that what is tested is what ships.
///
/// The standard library's checks of unsafe buffers are for a build of its own, `scripts/test --checked`.
let isChecked = Context.environment["STAFFBOOK_CHECKED"] != nil
let library = strict + (isChecked ? [.unsafeFlags(["-assert-config", "Debug"])] : [])
let compiled = library + [.unsafeFlags(["-enable-testing", "-Xfrontend", "-function-sections"])]

/// Targets that mostly wait for the database, files or other programs are not optimised.
///
/// Optimisation is four fifths of the time of compiling: to optimise these too takes over a fifth more of it. At
/// 200,000 people `export`, `sync --full` and `import` then took 0.85 to 1.01 of their processor time.
/// What handles every row stays optimised: without it in `CopyFormat` a full sync takes 2.5 times as much, and
/// without it in `Terminal` the whole tree.
let waiting = compiled + [.unsafeFlags(["-Onone"])]

let testing = strict + [.unsafeFlags(["-Onone"])]

/// Links the Swift runtime into a program, which then starts in milliseconds.
///
/// With `--static-swift-stdlib` the targets would be compiled for it too, and the tests, which are linked
/// with the shared libraries, would not find `Testing`. The runtime's own arguments export every symbol, which
/// makes the program 2.4 MB larger and its start a tenth slower. Sanitizers need the shared libraries.
let linked: [LinkerSetting] =
  isChecked
  ? []
  : [
    .unsafeFlags(
      [
        "-static-stdlib", "-Xlinker", "-l_FoundationCShims", "-Xlinker", "-l_FoundationCollections",
        "-Xlinker", "--no-export-dynamic",
      ],
      .when(platforms: [.linux])
    )
  ]

/// A target of ours; its arrows point to `dependencies` and nowhere else.
func layer(
  _ name: String,
  _ dependencies: Target.Dependency...,
  settings: [SwiftSetting] = compiled
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A program of ours.
func program(
  _ name: String,
  _ dependencies: [Target.Dependency],
  path: String? = nil,
  exclude: [String] = [],
  settings: [SwiftSetting] = compiled
) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies,
    path: path,
    exclude: exclude,
    swiftSettings: settings,
    linkerSettings: linked
  )
}

/// What tests and benchmarks share.
func support(_ name: String, _ dependencies: Target.Dependency...) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    path: "Tests/\(name)",
    swiftSettings: compiled
  )
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

    // For other packages too, which take nothing with unsafe flags.
    layer("OutlineEngine", settings: library),
    layer("Outlines", "OutlineEngine", settings: library),
    layer("Platform", "CResources", system),
    layer("DirectoryModel", "CCrypto", "CXXHash", "Platform"),
    layer("TextRules", "CICU"),
    layer("LibPQ", "CLibPQ", "Platform"),
    layer("DirectorySnapshot", "OutlineEngine", "DirectoryModel", "TextRules", "Platform", system),
    layer(
      "DirectorySearch",
      "DirectorySnapshot",
      "OutlineEngine",
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
      exclude: ["Encodings/languages.txt", "HTML/page.css", "HTML/page.js"],
      swiftSettings: compiled
    ),
    .target(
      name: "SampleCompanies",
      dependencies: ["DirectoryExchange", "DirectoryModel", "TextRules", "Platform", system],
      exclude: ["Words"],
      swiftSettings: compiled
    ),
    layer(
      "DirectoryReading",
      "DirectorySnapshot",
      "DirectorySearch",
      "DirectoryExchange",
      "OutlineEngine",
      "DirectoryModel",
      "TextRules",
      "Platform",
      system
    ),
    layer("CopyFormat", "DirectoryModel", "Platform"),
    layer(
      "DirectoryStore",
      "CopyFormat",
      "LibPQ",
      "OutlineEngine",
      "DirectoryModel",
      "Platform",
      settings: waiting
    ),
    layer("PrivateServer", "LibPQ", subprocess, "Platform", system, settings: waiting),
    layer("SQLite", "CSQLite", "Platform", system, settings: waiting),
    layer("YAML", "DirectoryModel", "CYAML", settings: waiting),
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
      system,
      settings: waiting
    ),
    layer(
      "LiveDirectory",
      "SiteSettings",
      "DirectoryStore",
      "PrivateServer",
      "DirectoryReading",
      "DirectorySearch",
      "DirectorySnapshot",
      "OutlineEngine",
      "DirectoryModel",
      "SQLite",
      "TextRules",
      "LibPQ",
      "Platform",
      system,
      settings: waiting
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
      system,
      settings: waiting
    ),
    layer(
      "DirectoryWriting",
      "YAML",
      "ChangeHistory",
      "LiveDirectory",
      "SiteSettings",
      "DirectoryStore",
      "CopyFormat",
      "DirectoryReading",
      "DirectoryExchange",
      "SampleCompanies",
      "DirectoryModel",
      "TextRules",
      "Platform",
      system,
      settings: waiting
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
      system,
      settings: waiting
    ),
    layer("Terminal", "TextRules", "Platform"),
    layer(
      "Browsing",
      "DirectoryReading",
      "Terminal",
      "OutlineEngine",
      "DirectoryModel",
      "TextRules",
      "Platform",
      settings: waiting
    ),
    program(
      "staffbook",
      [
        "Administration", "DirectoryWriting", "ChangeHistory", "LiveDirectory", "SiteSettings",
        "DirectoryReading", "SampleCompanies", "Browsing", "Terminal", "DirectoryModel", "Platform",
        "CCommit",
        argumentParser,
      ],
      exclude: [
        "Completion/staffbook.bash", "Completion/staffbook.fish", "Completion/staffbook.zsh",
      ],
      settings: waiting
    ),

    program("OutlineExample", ["Outlines"]),

    support("Seeds", "Platform"),
    support("PersonnelMonths", "Seeds"),
    support("OutlineModel", "Outlines", "Seeds"),
    support("TestSupport", "LibPQ", "Seeds", subprocess, "Platform", system),
    support("DirectoryTestSupport", "DirectorySnapshot", "DirectoryModel", "TestSupport", system),
    support(
      "VisibilityModel",
      "DirectoryReading",
      "DirectorySnapshot",
      "DirectoryModel",
      "DirectoryTestSupport",
      "Seeds"
    ),
    support(
      "BrowserModel",
      "Browsing",
      "DirectoryReading",
      "DirectoryModel",
      "Terminal",
      "TextRules",
      "DirectoryTestSupport",
      "Seeds"
    ),
    tests("OutlinesTests", "Outlines", "OutlineModel", "Seeds", "Platform"),
    tests("DirectoryModelTests", "DirectoryModel", "TestSupport", "Seeds", "Platform", system),
    tests("TextRulesTests", "TextRules"),
    tests("LibPQTests", "LibPQ", "TestSupport", "Platform"),
    tests(
      "DirectorySnapshotTests",
      "DirectorySnapshot",
      "DirectoryModel",
      "OutlineEngine",
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
      "CopyFormat",
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
      "OutlineEngine",
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
      "OutlineEngine",
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
    product("NIOHTTP1", "swift-nio"), product("NIOHTTPTypesHTTP1", "swift-nio-extras"),
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
      swiftSettings: compiled
    ),
    .target(
      name: "Serving",
      dependencies: [
        "Page", "ChangeHistory", "LiveDirectory", "SiteSettings", "DirectoryReading",
        "DirectoryModel", "OutlineEngine", "CCrypto", "CQRCode", "Platform", system,
      ] + network,
      swiftSettings: compiled
    ),
    program(
      "staffbookd",
      [
        "Serving", "SiteSettings", "DirectoryModel", "Platform", "CCommit", argumentParser,
        product("Logging", "swift-log"),
      ]
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
    program(
      "OutlineHistories",
      ["OutlineModel", "Seeds"],
      path: "Tests/OutlineHistories"
    ),
    program(
      "BrowserWalks",
      ["BrowserModel", "Seeds"],
      path: "Tests/BrowserWalks"
    ),
    program(
      "OutlineBench",
      ["Outlines", "Platform"],
      path: "Tests/OutlineBench"
    ),
    program(
      "SearchBench",
      [
        "DirectoryReading", "DirectorySearch", "DirectorySnapshot", "DirectoryExchange",
        "DirectoryModel", "TextRules", "LibPQ", "Platform", system,
      ],
      path: "Tests/SearchBench"
    ),
  ]
}

// Linked with libFuzzer, whose `main` it has, by scripts/fuzz: nothing else can build it.
if Context.environment["STAFFBOOK_EXTRA"] == "fuzz" {
  package.targets.append(
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "DirectorySnapshot", "DirectorySearch", "DirectoryExchange", "DirectoryModel",
        "OutlineEngine",
        "TextRules", "Platform", system,
      ],
      path: "Tests/Fuzz",
      swiftSettings: compiled
    )
  )
}
