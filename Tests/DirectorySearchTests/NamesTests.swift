import DirectoryTestSupport
import DirectoryModel
import DirectorySearch
import Testing

/// Names no one has, and what people type who look for them.
@Suite("Names in every script")
struct NamesTests {
  /// A line for each name: the name, then what it must be found by.
  struct Script: Sendable, CustomTestStringConvertible {
    let name: String
    let lines: String

    var testDescription: String { name }

    var people: [(name: String, queries: [String])] {
      lines.split(separator: "\n").map { line in
        let parts = line.split(separator: "|").map(String.init)
        return (parts[0], Array(parts.dropFirst()))
      }
    }
  }

  /// All of them in one directory, so that scripts come in each other's way.
  private static func company() throws -> Company {
    var company = Company()
    try company.department("d", name: "All")
    var count = 0
    for script in scripts {
      for person in script.people {
        count += 1
        try company.user("\(count)", in: "d", name: person.name)
      }
    }
    return company
  }

  @Test(arguments: scripts)
  func `are found by what people type, among the first ten`(script: Script) throws {
    let company = try Self.company()
    let engines = try company.engines()
    for person in script.people {
      for text in person.queries {
        let request = SearchRequest(SearchQuery(text), limit: 10)
        let hits = try engines.index.search(request).hits
        #expect(try engines.scan.search(request).hits == hits, "“\(text)”")
        let names = hits.filter { !$0.isDepartment }.map { company.records.users[$0.row].name }
        let isFound = names.contains { $0.utf8.elementsEqual(person.name.utf8) }
        #expect(isFound, "“\(text)” for \(person.name) finds \(names)")
      }
    }
  }

  static let scripts = [
    Script(
      name: "Han",
      lines: """
        单晓梅|shan|shanxiaomei|shan xiaomei|sxm|danxiaomei
        曾国强|zeng|zengguoqiang|zgq
        解文静|xie|xiewenjing|xwj
        仇立新|qiu|qiulixin
        查良宏|zha|zhalianghong
        区志豪|ou|ouzhihao
        朴正勋|piao|piaozhengxun|pu
        尉迟明远|yuchi|yuchimingyuan|ycmy
        欧阳晓峰|ouyang|ouyangxiaofeng|ou yang|oyxf|ouyxf
        诸葛云飞|zhuge|zhugeyunfei|zgyf
        張偉|zhangwei|zhang wei|zw|zhangw|zwei|张伟|張伟
        张伟|wei zhang|zhangwei
        张伟明|weiming|zhang weiming|zhangwm|zhangwming
        魏璋|weizhang
        單曉梅|單|shanxiaomei|单晓梅
        乐嘉音|yue|yuejiayin|lejiayin
        行知远|xing|xingzhiyuan
        吕布衣|lvbuyi|lubuyi|lyubuyi|lübuyi|lü|lv
        西安娜|xi'an
        龙应台|long|lyt
        长孙无尘|zhangsun|zhangsunwuchen
        重阳|chongyang|zhongyang
        王|wang|w
        李娜|lina|li na|ln
        刘思涵|liusihan|liu|lsh
        罗思涵|luo
        樂嘉音|yue
        覃晓光|qin|tan
        翟天明|zhai|ztm
        宁浩然|ning
        盖晓明|ge|gai
        万俟长风|moqi
        """
    ),
    Script(
      name: "kana",
      lines: """
        さとう はなこ|sato|satou|satoh|hanako|satō|hanako sato|はなこ|ハナコ
        サイトウ ケンイチ|saitou|saito|kenichi|ken'ichi|saitoh
        おおの ゆうこ|ono|oono|ohno|yuko|yuuko|yuko ono
        きょうこ|kyoko|kyouko
        ジョン・スミス|jon|jonsumisu|sumisu
        マッカーサー|makkasa|makka-sa-
        佐々木 りさ|risa
        いとう じゅんいちろう|junichiro|jun'ichiro|itou|ito|itoh
        ちば しょうへい|chiba|tiba|shohei|syohei|shouhei
        つじ|tsuji|tuji
        ﾔﾏﾀﾞ ﾀﾛｳ|yamada|taro|tarou|ヤマダ
        トーマス|tomasu|to-masu|toomasu
        """
    ),
    Script(
      name: "kanji",
      lines: """
        佐藤 健一|sato|satou|satoh|kenichi|sato kenichi|kenichi sato|zuoteng
        鈴木花子|suzuki|hanako|suzuki hanako
        田中　太郎|tanaka|taro|tarou|tanaka taro|tanakatarou
        渡邉 美咲|watanabe|misaki
        高橋翔太|takahashi|shota|shouta
        小林 愛|kobayashi|ai|xiaolin
        佐々木 大輔|sasaki|daisuke|佐々木
        林 直樹|hayashi|naoki|lin
        長谷川 由美子|hasegawa|yumiko|hase
        大久保 洋平|okubo|ohkubo|ookubo|yohei|youhei
        黒澤 明|kurosawa|akira
        服部 真理|hattori|mari
        吉田 花子|よしだ|ヨシダ|はなこ|よしだ はなこ
        大野 裕子|おおの|ゆうこ
        """
    ),
    Script(
      name: "Hangul",
      lines: """
        김민수|kim|gim|minsu|kimminsu|kim minsu|minsoo|ㄱㅁㅅ|ㅁㅅ|kms|민수
        이영희|lee|yi|rhee|younghee|yeonghui|lee young hee|ㅇㅇㅎ
        박지성훈|park|bak|pak|jisung|ji-sung
        최수진|choi|choe|soojin|sujin
        정현우|jung|jeong|chung|hyunwoo|hyeonu|hyun woo
        강유미|yumi|kang|gang|kang yumi|kang yu mi
        윤서준|yoon|yun|seojun
        조은별|cho|jo|eunbyul|eunbyeol
        임꺽정|lim|im|rim
        노태훈|roh|noh|no
        유재훈|yoo|yu|ryu|jaehoon
        오세진|oh|sejin
        서울역|seoul
        황보관|hwangbo
        신동엽|shin|sin|dongyup|dong-yup
        권나라|kwon|gwon|nara
        백승희|baek|paik|back|seunghee
        """
    ),
    Script(
      name: "Cyrillic",
      lines: """
        Щукин Пётр|shchukin|scukin|schukin|petr|pyotr|piotr|щукин петр|Shchukin Pyotr
        Юрий Жуковский|yuri|yury|iurii|jurij|zhukovsky|zhukovskiy|zukovskij|joukovski|yurij|yuriy|jukovsky
        Хрущёв Никита|khrushchev|khrushchov|hruscev|chruschtschow|хрущев|nikita
        Чайковский Илья|chaikovsky|tchaikovsky|tschaikowski|ilya|ilia|ilja
        Цветаева Мария|tsvetaeva|cvetaeva|zwetajewa|maria|mariya
        Объедков|obyedkov|obedkov|ob'edkov
        Григорій Шевчук|hryhorii|hryhoriy|grigoriy|shevchuk
        Їжак Євген|yizhak|yevhen|evgen|evhen|їжак
        Володимир Зінченко|volodymyr|zinchenko
        Щерба Галина|halyna|galina|shcherba
        Георги Щерев|shterev|sterev|georgi
        Ъгълов Кирил|agalov|kiril
        Ђорђе Љубичић|djordje|dorde|đorđe|ljubicic|ljubičić|đorđe ljubičić
        Његовић Џемал|njegovic|dzemal|džemal
        Кузьма Соловьёв|solovyov|solovev|soloviev|kuzma
        Эдуард Ыгыров|eduard|ygyrov
        Алексей Дмитриев|alexei|aleksei|alexey|aleksey|dmitriev|dmitriyev
        Ксения Александрова|ksenia|xenia|kseniya|aleksandrova|alexandrova
        Фёдор|fedor|fyodor|fjodor
        Михаил|mikhail|michail|mihail
        Ўладзімір Якуб|uladzimir|yakub|jakub
        Аяз Қасымов|ayaz|qasymov|kasymov
        """
    ),
    Script(
      name: "Greek",
      lines: """
        Ειρήνη Παππά|eirini|irini|irene|pappa
        Γιώργος Παπαδόπουλος|giorgos|yiorgos|papadopoulos|giórgos
        Χρήστος Ψαράς|christos|hristos|psaras|xristos
        Ευάγγελος Ντίνος|evangelos|dinos|euangelos
        Μπάμπης Τζώρτζης|babis|tzortzis|mpampis
        Θεόδωρος Ξένος|theodoros|xenos
        Όλγα Υψηλάντη|olga|ypsilanti
        """
    ),
    Script(
      name: "Arabic",
      lines: """
        محمد الهاشمي|mohamed|muhammad|mohammed|mohammad|muhammed|alhashimi|hashimi|al-hashimi|el-hashimi|al hashimi|محمد الهاشمى
        فاطمة الزهراء|fatima|fatma|fatimah|zahra|zahraa|alzahra
        عبد الرحمن|abdulrahman|abdelrahman|abd al-rahman|abdul rahman|rahman|abderrahmane
        عبدالله|abdullah|abdallah|abd allah
        يوسف طويل|yousef|youssef|yusuf|yosef|tawil|taweel
        حسين كريم|hussein|husayn|hossein|hussain|karim|kareem
        خالد جمال|khaled|khalid|jamal|gamal|djamal
        أحمد شوقي|ahmed|ahmad|shawqi|shawki|chawki
        عائشة|aisha|aicha|ayesha
        نور|nour|noor|nur
        رضا پهلوان|reza|rida|pahlavan
        عمرو|amr|amro
        """
    ),
    Script(
      name: "Hebrew",
      lines: """
        משה כהן|moshe|cohen|kohen|moshe cohen
        יצחק לוי|yitzhak|itzhak|levi|levy
        שרה בן-דוד|sara|sarah|ben david|ben-david
        חיים|chaim|haim|hayim
        רבקה|rivka
        יעל|yael
        """
    ),
    Script(
      name: "Indic scripts",
      lines: """
        अमित शर्मा|amit|sharma|amit sharma|sarma
        प्रिया सिंह|priya|singh|sinh
        राजेश कुमार|rajesh|kumar|raajesh
        कृष्ण|krishna|krsna
        लक्ष्मी|lakshmi|laxmi
        ज्ञानेश्वर|dnyaneshwar|gyaneshwar|jnaneshwar
        श्रीनिवास|shrinivas|srinivas
        விஜய் குமார்|vijay|kumar
        முருகன்|murugan
        செந்தில்|senthil|sentil
        রবীন্দ্র ঠাকুর|rabindra|thakur|robindro
        সুমন|suman
        ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ|gurpreet|gurprit|singh
        પટેલ|patel
        వెంకటేశ్|venkatesh
        ರಾಮಚಂದ್ರ|ramachandra
        മോഹൻലാൽ|mohanlal
        """
    ),
    Script(
      name: "Thai and Lao",
      lines: """
        สมชาย ใจดี|somchai|somchay|jaidee|chaidi|jaidi
        กนกวรรณ|kanokwan
        ณัฐพล|nattapon|natthaphon|nattaphol
        พรทิพย์|pornthip|phonthip|porntip
        ສົມສັກ|somsak
        """
    ),
    Script(
      name: "other scripts",
      lines: """
        ნინო ბერიძე|nino|beridze
        გიორგი|giorgi
        Արմեն Հակոբյան|armen|hakobyan|hagopian
        ዮሐንስ አበበ|yohannes|abebe|yohanis
        ᏣᎳᎩ|tsalagi
        """
    ),
    Script(
      name: "Latin",
      lines: """
        Jürgen Müller|muller|mueller|müller|juergen|jurgen
        Strauß|strauss|strauß|straus
        Søren Kjærgård|soren|soeren|kjaergaard|kjærgård|kjargard|kjaergard
        Nguyễn Văn Đức|nguyen|van duc|nguyễn|duc
        Trần Thị Hường|tran thi huong|tran
        İpek Yıldız|ipek|yildiz|yıldız|IPEK
        Şükrü Çağlar|sukru|caglar|şükrü
        Guðrún Þórsdóttir|gudrun|thorsdottir|guðrún
        O’Connor Siobhán|o'connor|oconnor|siobhan|o’connor
        Jean‑Luc Lefèvre|jean-luc|jean luc|lefevre
        Mary Ann|mary ann
        Zoë Ｆｕｌｌ|zoe|full|ＺＯＥ
        D'Angelo|dangelo|d’angelo|d angelo
        Łukasz Żółć|lukasz|zolc
        Dvořák|dvorak|dvořak
        Ştefan Țepeș|stefan|tepes|ţepeş
        Ōtani|otani|ohtani|ootani
        Sinéad Ní Bhriain|sinead ni|bhriain
        Vladimír Kučera|kucera
        ʻOkina Kealoha|okina|'okina
        Erdoğan|erdogan
        Weiß-Grün|weiss|gruen|grün|weiß-grün
        Åse Ødegård|aase|ase|odegaard|ødegård|oedegaard
        """
    ),
  ]
}
