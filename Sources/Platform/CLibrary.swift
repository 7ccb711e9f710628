/// The C library, by whatever name it goes here: with `import Platform` come its functions, and what
/// hides behind a method of the same name can be called as `Platform.close`.
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Darwin)
  @_exported import Darwin
#endif
