import Testing
import TextRules

@Suite("Parts of a name")
struct NamePartsTests {
  @Test(arguments: [
    ("Ada Lund", "Lund", "Ada", ""), ("Ada", "Ada", "", ""), ("", "", "", ""),
    ("Ludwig van der Berg", "van der Berg", "Ludwig", ""),
    ("Ana María Núñez", "Núñez", "Ana María", ""), ("ada lund", "lund", "ada", ""),
    ("Ada Lund Jr.", "Lund", "Ada", "Jr."), ("Ada Lund, Jr.", "Lund", "Ada", "Jr."),
    ("Lund, Ada", "Lund", "Ada", ""), ("王小明", "王", "小明", ""), ("欧阳明", "欧阳", "明", ""),
    ("山田 太郎", "山田", "太郎", ""), ("佐藤さくら", "佐藤さくら", "", ""), ("김민준", "김", "민준", ""),
    ("남궁민수", "남궁", "민수", ""), ("Анна Сергеевна Орлова", "Орлова", "Анна Сергеевна", ""),
    ("محمد بن سلمان", "سلمان", "محمد بن", ""), (" , ", ",", "", ""),
    // A comma and a blank with a mark on them are none.
    ("Lund,\u{301} Ada", "Ada", "Lund,\u{301}", ""), ("Ada \u{301}Lund", "Ada \u{301}Lund", "", ""),
    ("佐藤花子", "佐藤", "花子", ""), ("佐々木希", "佐々木", "希", ""), ("鈴木一郎", "鈴木", "一郎", ""),
    ("高橋健", "高橋", "健", ""), ("長谷川明", "長谷川", "明", ""), ("田中", "田中", "", ""),
    ("諸葛亮", "諸葛", "亮", ""), ("司马相如", "司马", "相如", ""), ("陈李小明", "陈李小明", "", ""),
    ("李伟", "李", "伟", ""), ("황보관", "황보", "관", ""), ("제갈량", "제갈", "량", ""),
    ("金正恩", "金", "正恩", ""),
    ("佐藤，さくら", "佐藤", "さくら", ""), ("Zoe\u{308} Lund", "Lund", "Zoe\u{308}", ""),
  ])
  func `are told by the rules of its script`(
    _ name: String,
    _ family: String,
    _ given: String,
    _ suffix: String
  ) {
    let parts = NameParts(name)
    #expect([parts.family, parts.given, parts.suffix] == [family, given, suffix])
  }
}
