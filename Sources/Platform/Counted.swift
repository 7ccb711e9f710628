/// A number with the noun that it counts, in English.
package func counted(
  _ number: some BinaryInteger,
  _ one: String,
  _ many: String? = nil
) -> String {
  number == 1 ? "1 \(one)" : "\(number) \(many ?? one + "s")"
}
