extension NameStock {
  /// Names in other scripts, each with the letters of a mail address.
  ///
  /// Where a family name has a form for women and one for men, one stock has one of the two.
  static let otherScripts: [NameStock] = [
    chinese, taiwanese, japanese, korean, russian, ukrainian, bulgarian, greek, arabic, persian,
    hebrew, hindi, bengali, tamil, thai, georgian, armenian, amharic,
  ]

  static let chinese = NameStock(
    9,
    .familyFirst(separator: ""),
    given: "伟/wei 芳/fang 敏/min 静/jing 丽华/lihua 志强/zhiqiang 晓明/xiaoming 雪梅/xuemei "
      + "建国/jianguo 雨桐/yutong 子涵/zihan 浩然/haoran 思远/siyuan 佳怡/jiayi",
    family: "王/wang 李/li 张/zhang 刘/liu 陈/chen 杨/yang 黄/huang 赵/zhao 吴/wu 周/zhou 徐/xu 孙/sun "
      + "马/ma 欧阳/ouyang 司马/sima"
  )

  static let taiwanese = NameStock(
    2,
    .familyFirst(separator: ""),
    given: "淑芬/shufen 家豪/jiahao 雅婷/yating 怡君/yijun 志明/zhiming 美玲/meiling 俊傑/junjie 詠晴/yongqing",
    family: "陳/chen 林/lin 黃/huang 張/zhang 劉/liu 許/xu 鄭/zheng 謝/xie 葉/ye 蘇/su"
  )

  static let japanese = NameStock(
    5,
    .familyFirst(separator: " "),
    given: "美咲/misaki 陽菜/hina 翔太/shota 健一/kenichi 直子/naoko さくら/sakura 大輔/daisuke 由美/yumi "
      + "ひかり/hikari 蓮/ren 千尋/chihiro 修/osamu",
    family: "佐藤/sato 鈴木/suzuki 高橋/takahashi 田中/tanaka 渡辺/watanabe 伊藤/ito 山本/yamamoto "
      + "中村/nakamura 小林/kobayashi 加藤/kato 髙島/takashima 灯台/todai"
  )

  static let korean = NameStock(
    4,
    .familyFirst(separator: ""),
    given: "민수/minsu 서연/seoyeon 지훈/jihun 하은/haeun 도윤/doyun 수빈/subin 영희/yeonghui 현우/hyeonu "
      + "예린/yerin 은정/eunjeong",
    family: "김/kim 이/lee 박/park 최/choi 정/jeong 강/kang 조/jo 윤/yun 장/jang 한/han"
  )

  static let russian = NameStock(
    4,
    given: "Анна/anna Борис/boris Вера/vera Дмитрий/dmitri Елена/elena Ирина/irina Кирилл/kirill "
      + "Лариса/larisa Михаил/mikhail Ольга/olga Пётр/pyotr Юлия/yulia",
    family: "Белых/belykh Долгих/dolgikh Кравец/kravets Мельник/melnik Седых/sedykh Ткач/tkach "
      + "Черных/chernykh Шварц/shvarts"
  )

  static let ukrainian = NameStock(
    2,
    given: "Богдан/bohdan Ганна/hanna Євген/yevhen Іванна/ivanna Ірина/iryna Любов/liubov "
      + "Оксана/oksana Тарас/taras",
    family: "Бондаренко/bondarenko Гончарук/honcharuk Іщенко/ishchenko Коваленко/kovalenko "
      + "Петренко/petrenko Шевчук/shevchuk"
  )

  static let bulgarian = NameStock(
    1,
    given: "Ангел/angel Божидар/bozhidar Георги/georgi Калоян/kaloyan Стоян/stoyan Цветан/tsvetan",
    family:
      "Ангелов/angelov Димитров/dimitrov Желев/zhelev Иванов/ivanov Петков/petkov Щерев/shterev"
  )

  static let greek = NameStock(
    2,
    given: "Αθηνά/athina Δήμητρα/dimitra Ελένη/eleni Ευαγγελία/evangelia Ιωάννα/ioanna "
      + "Κατερίνα/katerina Σοφία/sofia Χρυσάνθη/chrysanthi",
    family: "Αλεξίου/alexiou Βασιλείου/vasileiou Γεωργίου/georgiou Κωνσταντίνου/konstantinou "
      + "Παππά/pappa Φωτεινού/fotinou"
  )

  static let arabic = NameStock(
    4,
    given: "أحمد/ahmad أمينة/amina خالد/khalid رانيا/rania سارة/sara عمر/omar فاطمة/fatima "
      + "ليلى/layla محمد/muhammad نور/nour يوسف/yusuf",
    family: "البحري/albahri التونسي/altounsi الحداد/alhaddad الخطيب/alkhatib الفناري/alfanari "
      + "المصري/almasri النجار/alnajjar"
  )

  static let persian = NameStock(
    1,
    given: "آرش/arash پریسا/parisa رؤیا/roya کیوان/keyvan گلناز/golnaz مینا/mina",
    family: "رضایی/rezaei کریمی/karimi نیک‌نام/niknam چراغی/cheraghi موسوی/mousavi"
  )

  static let hebrew = NameStock(
    2,
    given: "אילנה/ilana דוד/david יעל/yael נועם/noam רות/ruth שירה/shira תמר/tamar",
    family: "ברק/barak זהבי/zehavi כהן/cohen לוי/levi מגדלור/migdalor פרידמן/friedman"
  )

  static let hindi = NameStock(
    5,
    given: "अनिता/anita अर्जुन/arjun दीपक/deepak प्रिया/priya मीना/meena राहुल/rahul "
      + "लक्ष्मी/lakshmi विक्रम/vikram सुनीता/sunita",
    family: "गुप्ता/gupta चौधरी/chaudhary जोशी/joshi त्रिपाठी/tripathi मिश्रा/mishra वर्मा/verma "
      + "शर्मा/sharma"
  )

  static let bengali = NameStock(
    2,
    given: "অনন্যা/ananya দীপা/dipa রফিক/rafiq শুভ/shubho সুমন/suman",
    family: "চক্রবর্তী/chakraborty দাস/das রহমান/rahman সরকার/sarkar হোসেন/hossain"
  )

  static let tamil = NameStock(
    2,
    given: "அருண்/arun கவிதா/kavitha செல்வி/selvi முருகன்/murugan வள்ளி/valli",
    family: "இராமன்/raman குமார்/kumar பாண்டியன்/pandian மணி/mani"
  )

  static let thai = NameStock(
    2,
    given: "กมล/kamon ณัฐวุฒิ/nattawut พิมพ์ชนก/pimchanok วิภา/wipha สมชาย/somchai อรทัย/orathai",
    family: "แก้วมณี/kaewmanee ทองดี/thongdee ประภาคาร/praphakhan ศรีสุข/srisuk สุวรรณ/suwan"
  )

  static let georgian = NameStock(
    1,
    given: "გიორგი/giorgi თამარ/tamar მანანა/manana ნინო/nino ლევან/levan",
    family: "ბერიძე/beridze კაპანაძე/kapanadze მაისურაძე/maisuradze შუქურა/shukura"
  )

  static let armenian = NameStock(
    1,
    given: "Անահիտ/anahit Արամ/aram Լուսինե/lusine Հայկ/hayk",
    family: "Գրիգորյան/grigoryan Հակոբյան/hakobyan Փարոսյան/parosyan"
  )

  static let amharic = NameStock(
    1,
    given: "ሰላም/selam ሙሉ/mulu ተስፋዬ/tesfaye ብርሃን/birhan",
    family: "ከበደ/kebede አበበ/abebe ገብረ/gebre"
  )
}
