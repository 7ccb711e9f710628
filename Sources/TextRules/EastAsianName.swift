/// Family and given name of a name in Han or Hangul without a blank between them.
///
/// A list of Japanese surnames (`ReadingTable`) and those of compound and of usual Chinese and Korean ones tell
/// where the family's name ends. Where they do not, or both a Chinese and a Japanese name may begin so, the name
/// stays whole: half a surname is worse than none.
enum EastAsianName {
  /// - Returns: The whole name as the family's, where the two cannot be told apart.
  static func split(_ name: String) -> (family: String, given: String) {
    let scalars = Array(name.unicodeScalars)
    let isApart = familyLength(scalars.map { usual[$0.value] ?? $0.value }, scalars)
    guard let count = isApart, count < scalars.count else { return (name, "") }
    var (family, given) = ("", "")
    family.unicodeScalars.append(contentsOf: scalars[..<count])
    given.unicodeScalars.append(contentsOf: scalars[count...])
    return (family, given)
  }

  /// Scalars of the family's name; `nil` where that is not known.
  private static func familyLength(_ values: [UInt32], _ scalars: [Unicode.Scalar]) -> Int? {
    let count = values.count
    guard count > 1 else { return nil }
    let isCompound = count > 2 && compounds.contains(pair(scalars[0], scalars[1]))
    if values.allSatisfy({ (0xAC00...0xD7A3).contains($0) }) {
      return count <= 4 ? isCompound ? 2 : 1 : nil
    }
    // What stands behind kana may be anything.
    guard !values.contains(where: { (0x3040...0x30FF).contains($0) }), count <= 6 else {
      return nil
    }
    if isCompound, count <= 4 { return 2 }
    let isSingle = singles.contains(scalars[0])
    let japanese =
      ReadingTable.japaneseSurnames.longest(in: values, at: 0, atLeast: 1)?.scalars ?? 0
    guard japanese > 1 else { return count <= 3 && (isSingle || japanese == 1) ? 1 : nil }
    if count > 3 || !isSingle { return japanese }
    // 高橋健 is Japanese, 王子健 rather Chinese, and a surname alone has no given name.
    if japanese == count { return nil }
    if scalars.contains(where: simplified.contains) { return 1 }
    return japanese > 2 || ofPlaces.contains(scalars[1]) ? japanese : nil
  }

  private static func pair(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> String {
    var text = ""
    text.unicodeScalars.append(first)
    text.unicodeScalars.append(second)
    return text
  }

  /// Forms of characters that surnames have in registers, and the one that lists have: 髙, 﨑, 𠮷.
  private static let usual: [UInt32: UInt32] = [0x9AD9: 0x9AD8, 0xFA11: 0x5D0E, 0x20BB7: 0x5409]

  /// What Japanese surnames of two characters end with, and Chinese given names seldom begin with.
  private static let ofPlaces = Set("田中村川口木本野井崎島嶋沢澤谷塚坂岡辺邊部津浦橋藤内尾".unicodeScalars)

  /// Characters that are written so in China alone.
  private static let simplified = Set("伟华国强军红丽艳杰东龙飞凤张陈刘杨黄赵吴孙马罗邓苏卢许韩冯".unicodeScalars)

  /// Usual surnames of one character, Chinese and Korean.
  private static let singles = Set(
    """
    王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何高林罗羅郑鄭梁谢謝宋唐许許韩韓冯馮邓鄧曹彭曾肖萧蕭田董袁潘\
    于於蔣蒋蔡余杜叶葉程苏蘇魏吕呂丁任沈姚卢盧姜崔钟鍾鐘谭譚陆陸汪范石廖贾賈夏韦韋付傅方白邹鄒孟熊秦邱丘江尹薛闫閻阎\
    段雷侯龙龍史陶黎贺賀顾顧毛郝龚龔邵万萬钱錢严嚴覃武戴莫孔向汤湯温溫康施文牛樊葛邢安齐齊易乔喬伍庞龐颜顏倪庄莊聂聶\
    章鲁魯岳翟殷詹申欧歐耿关關兰蘭焦俞左柳甘祝包宁寧尚符舒阮柯纪紀梅童凌毕畢单單季裴霍涂塗成苗谷盛曲翁冉骆駱蓝藍路游\
    习習辛靳管柴蒙鲍鮑华華喻祁蒲房滕屈饶饒解牟艾尤阳陽时時穆农農司卓古吉缪繆简簡车車项項连連芦蘆麦麥褚娄婁窦竇戚岑景党黨\
    宫宮费費卜冷晏席卫衛米柏宗瞿桂全佟应應臧闵閔苟邬鄔边邊卞姬师師和仇栾欒隋商刁沙荣榮巫寇桑郎甄丛叢仲虞敖巩鞏明佘池\
    查麻苑迟遲邝鄺官封谈談匡鞠惠荆荊乐樂冀郁胥南班储儲原栗燕楚鄢劳勞谌諶奚皮粟冼蔺藺楼樓盘盤满滿闻聞位厉厲伊仝区區郜\
    海阚闞花权權强帅帥屠豆朴金具表奇玉智琴吾元魚魯千廉羅咸白琴蔡卞太河都昔睦芮卓奉史慶
    """.unicodeScalars.filter { $0.value >= 0x3400 }
  )

  /// Usual surnames of two characters, Chinese and Korean.
  private static let compounds: Set = [
    "欧阳", "歐陽", "司马", "司馬", "上官", "诸葛", "諸葛", "东方", "東方", "皇甫", "尉迟", "尉遲",
    "公孙", "公孫", "令狐", "宇文", "长孙", "長孫", "慕容", "司徒", "夏侯", "端木", "南宫", "南宮",
    "钟离", "鍾離", "司空", "太史", "申屠", "轩辕", "軒轅", "澹台", "澹臺", "公冶", "宗政", "濮阳",
    "濮陽", "淳于", "太叔", "仲孙", "仲孫", "鲜于", "鮮于", "司寇", "百里", "呼延", "东郭", "東郭",
    "南门", "南門", "羊舌", "梁丘", "左丘", "西门", "西門", "拓跋", "独孤", "獨孤", "完颜", "完顏",
    "赫连", "赫連", "万俟", "萬俟", "闻人", "聞人", "公羊", "乐正", "樂正", "漆雕", "谷梁", "夹谷",
    "宰父", "巫马", "巫馬", "叶赫", "葉赫", "纳兰", "納蘭", "范姜", "張簡", "남궁", "황보", "제갈",
    "사공", "선우", "독고", "서문", "동방", "망절", "어금", "소봉",
  ]
}
