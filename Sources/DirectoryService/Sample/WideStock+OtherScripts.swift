extension WideStock {
  static let otherScripts: [WideStock] = [
    chinese, taiwanese, japanese, korean, russian, ukrainian, bulgarian, greek, arabic, persian,
    hebrew, hindi, bengali, tamil, thai, georgian, armenian, amharic,
  ]

  private static let chinese = WideStock(
    .chinese,
    givenMade: (
      "子/zi 雨/yu 宇/yu 浩/hao 志/zhi 建/jian 国/guo 文/wen 明/ming 海/hai 春/chun 秀/xiu 玉/yu 丽/li "
        + "晓/xiao 小/xiao 思/si 佳/jia 嘉/jia 俊/jun 振/zhen 永/yong 德/de 天/tian 立/li 新/xin 雪/xue "
        + "梦/meng 美/mei 慧/hui 桂/gui 凤/feng 金/jin 红/hong 艳/yan 一/yi 诗/shi 若/ruo 欣/xin 博/bo",
      "伟/wei 强/qiang 军/jun 杰/jie 涛/tao 磊/lei 鹏/peng 飞/fei 华/hua 平/ping 刚/gang 辉/hui 斌/bin "
        + "超/chao 勇/yong 峰/feng 林/lin 龙/long 宇/yu 轩/xuan 涵/han 然/ran 泽/ze 睿/rui 豪/hao "
        + "芳/fang 英/ying 敏/min 娟/juan 霞/xia 燕/yan 玲/ling 梅/mei 兰/lan 莉/li 萍/ping 颖/ying "
        + "琳/lin 洁/jie 婷/ting 娜/na 云/yun 怡/yi 琪/qi 瑶/yao 彤/tong 悦/yue 萱/xuan 妍/yan 重/zhong"
    ),
    family: "王/wang 李/li 张/zhang 刘/liu 陈/chen 胡/hu 朱/zhu 高/gao 林/lin 何/he 郭/guo 罗/luo "
      + "梁/liang 宋/song 郑/zheng 谢/xie 韩/han 唐/tang 冯/feng 于/yu 董/dong 萧/xiao 程/cheng 曹/cao "
      + "袁/yuan 邓/deng 许/xu 傅/fu 沈/shen 曾/zeng 彭/peng 吕/lv 苏/su 卢/lu 蒋/jiang 蔡/cai 贾/jia "
      + "丁/ding 魏/wei 薛/xue 叶/ye 阎/yan 余/yu 潘/pan 杜/du 戴/dai 夏/xia 钟/zhong 汪/wang 田/tian "
      + "任/ren 姜/jiang 范/fan 方/fang 石/shi 姚/yao 谭/tan 廖/liao 单/shan 解/xie 仇/qiu 诸葛/zhuge 尉迟/yuchi"
  )

  private static let taiwanese = WideStock(
    .taiwanese,
    givenMade: (
      "淑/shu 家/jia 雅/ya 怡/yi 志/zhi 美/mei 俊/jun 詠/yong 冠/guan 宗/zong 承/cheng 佩/pei 惠/hui "
        + "麗/li 玉/yu 秀/xiu 育/yu 柏/bo 彥/yan 欣/xin",
      "芬/fen 豪/hao 婷/ting 君/jun 明/ming 玲/ling 傑/jie 晴/qing 宇/yu 翰/han 恩/en 珊/shan 蓉/rong "
        + "華/hua 貞/zhen 娟/juan 儒/ru 廷/ting 安/an 霖/lin"
    ),
    family: "吳/wu 楊/yang 蔡/cai 王/wang 李/li 洪/hong 邱/qiu 曾/zeng 廖/liao 賴/lai 徐/xu 周/zhou 莊/zhuang "
      + "江/jiang 呂/lu 何/he 羅/luo 高/gao 蕭/xiao 潘/pan 歐陽/ouyang"
  )

  private static let japanese = WideStock(
    .japanese,
    givenMade: (
      "美/mi 優/yu 真/ma 智/tomo 恵/kei 和/kazu 明/aki 正/masa 隆/taka 秀/hide 康/yasu 裕/hiro 直/nao "
        + "健/ken 翔/sho 大/dai 拓/taku 陽/haru 愛/ai 麻/asa 千/chi 沙/sa 友/yuu 亜/a",
      "子/ko 美/mi 香/ka 奈/na 恵/e 代/yo 江/e 里/ri 太/ta 郎/ro 一/ichi 斗/to 介/suke 樹/ki 也/ya "
        + "之/yuki 人/to 平/hei 夫/o 男/o"
    ),
    familyMade: (
      "山/yama 川/kawa 田/ta 森/mori 木/ki 石/ishi 松/matsu 竹/take 小/ko 大/o 中/naka 上/ue 下/shimo "
        + "西/nishi 東/higashi 北/kita 南/minami 高/taka 長/naga 村/mura 野/no 藤/fuji 岡/oka 水/mizu "
        + "黒/kuro 白/shira 青/ao 金/kane 杉/sugi 桜/sakura 宮/miya 原/hara 清/kiyo 安/yasu 福/fuku "
        + "吉/yoshi 前/mae 今/ima 古/furu 新/ara",
      "田/da 川/kawa 山/yama 本/moto 村/mura 野/no 原/hara 口/guchi 島/shima 崎/zaki 沢/sawa 井/i 下/shita "
        + "木/ki 橋/bashi 谷/tani 林/bayashi 内/uchi 岡/oka 尾/o 津/tsu 瀬/se 永/naga 浦/ura 塚/tsuka"
    )
  )

  private static let korean = WideStock(
    .korean,
    givenMade: (
      "민/min 서/seo 지/ji 하/ha 도/do 수/su 영/yeong 현/hyeon 예/ye 은/eun 준/jun 우/u 진/jin 혜/hye "
        + "정/jeong 미/mi 경/gyeong 성/seong 상/sang 재/jae 동/dong 승/seung 태/tae 유/yu 소/so 윤/yun "
        + "채/chae 다/da 가/ga 나/na 주/ju 시/si 건/geon 선/seon 인/in 종/jong 병/byeong 광/gwang",
      "수/su 연/yeon 훈/hun 은/eun 윤/yun 빈/bin 희/hui 우/u 린/rin 정/jeong 준/jun 호/ho 현/hyeon "
        + "민/min 아/a 영/yeong 진/jin 숙/suk 자/ja 미/mi 경/gyeong 석/seok 철/cheol 식/sik 원/won "
        + "서/seo 율/yul 나/na 주/ju 지/ji 솔/sol 혁/hyeok 규/gyu 람/ram 별/byeol 찬/chan 선/seon"
    ),
    family: "임/lim 오/oh 서/seo 신/shin 권/kwon 황/hwang 안/an 송/song 류/ryu 홍/hong 전/jeon 고/ko 문/moon "
      + "손/son 양/yang 배/bae 백/baek 허/heo 남/nam 심/sim 노/noh 하/ha 곽/kwak 남궁/namgung 황보/hwangbo"
  )

  private static let russian = WideStock(
    .russian,
    given: "Александр/aleksandr Наталья/natalya Сергей/sergey Татьяна/tatyana Владимир/vladimir "
      + "Светлана/svetlana Андрей/andrey Екатерина/ekaterina Алексей/aleksey Мария/maria "
      + "Николай/nikolay Людмила/lyudmila Иван/ivan Галина/galina Юрий/yuri Надежда/nadezhda "
      + "Павел/pavel Ксения/ksenia Фёдор/fyodor Щербина/shcherbina Игорь/igor Яна/yana",
    secondGiven: 9,
    familyMade: (
      "Абрам/abram Алекс/aleks Бар/bar Бел/bel Бор/bor Вас/vas Волк/volk Воробь/vorob Гав/gav "
        + "Гол/gol Гор/gor Дан/dan Ег/eg Ерм/erm Жук/zhuk Зах/zakh Ив/iv Кал/kal Климов/klimov "
        + "Коз/koz Кузн/kuzn Лап/lap Леб/leb Мак/mak Мор/mor Ник/nik Орл/orl Пав/pav Петр/petr "
        + "Поп/pop Ром/rom Рыб/ryb Сав/sav Сем/sem Сид/sid Сок/sok Тар/tar Тих/tikh Уш/ush Фил/fil "
        + "Хар/khar Цвет/tsvet Черн/chern Шир/shir Щук/shchuk Юд/yud Як/yak",
      "ов/ov ев/ev ин/in ский/sky енко/enko ых/ykh аев/aev анов/anov кин/kin ников/nikov"
    )
  )

  private static let ukrainian = WideStock(
    .ukrainian,
    given:
      "Олена/olena Андрій/andriy Наталія/nataliia Сергій/serhiy Тетяна/tetiana Олександр/oleksandr "
      + "Світлана/svitlana Василь/vasyl Юлія/yuliia Михайло/mykhailo Їлона/yilona Ґалина/galyna",
    secondGiven: 6,
    familyMade: (
      "Андр/andr Бойч/boich Вас/vas Гнат/hnat Гриц/hryts Дем/dem Зах/zakh Іван/ivan Клим/klym "
        + "Костю/kostiu Лис/lys Марч/march Мель/mel Олій/olii Павл/pavl Рома/roma Сав/sav Тим/tym "
        + "Фед/fed Хом/khom Яким/yakym Яр/yar",
      "енко/enko чук/chuk ук/uk ський/skyi ишин/yshyn ець/ets ак/ak івна/ivna"
    )
  )

  private static let bulgarian = WideStock(
    .bulgarian,
    given: "Мария/maria Иван/ivan Елена/elena Димитър/dimitar Йорданка/yordanka Николай/nikolay "
      + "Пенка/penka Петър/petar Христо/hristo Тодорка/todorka",
    secondGiven: 4,
    familyMade: (
      "Атанас/atanas Бойч/boych Вълч/valch Генч/gench Дач/dach Златк/zlatk Ил/il Кол/kol Маринч/"
        + "marinch Нед/ned Пенч/pench Райч/raych Сав/sav Тодор/todor Христ/hrist Цан/tsan",
      "ев/ev ов/ov ева/eva ова/ova ски/ski"
    )
  )

  private static let greek = WideStock(
    .greek,
    given: "Γιώργος/giorgos Μαρία/maria Δημήτρης/dimitris Βασιλική/vasiliki Κώστας/kostas "
      + "Αγγελική/angeliki Γιάννης/giannis Γεωργία/georgia Νίκος/nikos Ευτυχία/eftychia "
      + "Παναγιώτης/panagiotis Ξένια/xenia Ψυχή/psychi",
    secondGiven: 6,
    familyMade: (
      "Αθανασ/athanas Αναγνωστ/anagnost Αντων/anton Βλαχ/vlach Γαβρι/gavri Γιανν/giann Δημητρ/"
        + "dimitr Ευθυμ/efthym Θεοδωρ/theodor Ιωανν/ioann Καραγιανν/karagiann Κουτσ/kouts "
        + "Λαμπρ/lampr Μακρ/makr Νικολα/nikola Ξενακ/xenak Παπαδ/papad Πετρ/petr Ραφτ/raft "
        + "Σταματ/stamat Τσακ/tsak Φιλιππ/filipp Χατζ/chatz Χρηστ/christ",
      "όπουλος/opoulos ίδης/idis άκης/akis ιάδης/iadis έας/eas ίδου/idou οπούλου/opoulou"
    )
  )

  private static let arabic = WideStock(
    .arabic,
    given: "علي/ali مريم/maryam حسن/hasan زينب/zaynab حسين/husayn عائشة/aisha إبراهيم/ibrahim "
      + "خديجة/khadija محمود/mahmud هدى/huda مصطفى/mustafa سلمى/salma طارق/tariq دينا/dina "
      + "كريم/karim ريم/reem زياد/ziyad هند/hind ياسر/yasir غادة/ghada",
    secondGiven: 33,
    family: "السيد/alsayyid الشريف/alsharif الخوري/alkhoury العلي/alali الصالح/alsaleh "
      + "الزهراني/alzahrani الغامدي/alghamdi القحطاني/alqahtani الدوسري/aldosari حمدان/hamdan "
      + "منصور/mansour سليمان/sulayman داود/dawud بشارة/bishara عبدالله/abdullah"
  )

  private static let persian = WideStock(
    .persian,
    given:
      "محمد/mohammad زهرا/zahra علی/ali فاطمه/fatemeh رضا/reza مریم/maryam حسین/hossein سارا/sara",
    secondGiven: 9,
    familyMade: (
      "احمد/ahmad اکبر/akbar امیر/amir حسن/hasan رستم/rostam سلیمان/soleyman شاه/shah صادق/sadegh "
        + "عباس/abbas فرهاد/farhad قاسم/ghasem یوسف/yousef",
      "ی/i زاده/zadeh پور/pour نژاد/nejad یان/ian"
    )
  )

  private static let hebrew = WideStock(
    .hebrew,
    given:
      "משה/moshe שרה/sara יוסף/yosef רחל/rachel אברהם/avraham מרים/miriam יצחק/yitzhak חנה/hana "
      + "יעקב/yaakov אסתר/ester איתי/itai מאיה/maya אורי/ori עדי/adi",
    secondGiven: 11,
    familyMade: (
      "גולד/gold רוזן/rosen וייס/weiss שוורץ/schwarz אייזן/eisen בלום/blum גרין/green הירש/hirsch "
        + "זילבר/silber לינדן/linden",
      "ברג/berg מן/man שטיין/stein בוים/boim פלד/feld שמידט/schmidt"
    )
  )

  private static let hindi = WideStock(
    .hindi,
    given: "राम/ram सीता/sita संजय/sanjay पूजा/pooja अमित/amit नेहा/neha राजेश/rajesh कविता/kavita "
      + "सुरेश/suresh रेखा/rekha मनोज/manoj आशा/asha विजय/vijay किरण/kiran अनिल/anil गीता/geeta "
      + "रवि/ravi ज्योति/jyoti मोहन/mohan श्वेता/shweta कुमार/kumar देवी/devi लाल/lal",
    secondGiven: 20,
    family: "सिंह/singh यादव/yadav पटेल/patel ठाकुर/thakur पाण्डेय/pandey दुबे/dubey अग्रवाल/agrawal "
      + "श्रीवास्तव/srivastava सक्सेना/saxena चौहान/chauhan राठौर/rathore भट्ट/bhatt नायर/nair "
      + "मेहता/mehta खन्ना/khanna कपूर/kapoor मल्होत्रा/malhotra बंसल/bansal"
  )

  private static let bengali = WideStock(
    .bengali,
    given: "মোহাম্মদ/mohammad ফাতেমা/fatema আবদুল/abdul নাসরিন/nasrin করিম/karim শিরিন/shirin রহিম/"
      + "rahim মিতা/mita অর্ণব/arnab রিয়া/riya তানভীর/tanvir সাদিয়া/sadia",
    secondGiven: 27,
    family: "আলী/ali ইসলাম/islam আহমেদ/ahmed খান/khan চৌধুরী/chowdhury মিয়া/mia বসু/basu ঘোষ/ghosh "
      + "সেন/sen মুখোপাধ্যায়/mukhopadhyay বন্দ্যোপাধ্যায়/bandyopadhyay ভট্টাচার্য/bhattacharya"
  )

  private static let tamil = WideStock(
    .tamil,
    given: "கண்ணன்/kannan லட்சுமி/lakshmi சுந்தர்/sundar மீனா/meena ராஜா/raja தேவி/devi கார்த்திக்/karthik "
      + "பிரியா/priya செந்தில்/senthil உமா/uma",
    secondGiven: 18,
    family: "சுப்பிரமணியன்/subramanian கிருஷ்ணன்/krishnan வெங்கடேசன்/venkatesan நடராஜன்/natarajan "
      + "சங்கர்/shankar பழனி/palani ஆறுமுகம்/arumugam ராமசாமி/ramasamy"
  )

  private static let thai = WideStock(
    .thai,
    given: "สมศักดิ์/somsak สมหญิง/somying ประเสริฐ/prasert มาลี/malee วิชัย/wichai สุดา/suda อนันต์/anan "
      + "นภา/napha ธนา/thana ปรีชา/preecha รัตนา/rattana",
    familyMade: (
      "ศรี/si ทอง/thong แก้ว/kaeo วงศ์/wong สุข/suk บุญ/bun จันทร์/chan พงษ์/phong ชัย/chai รัตน/rattana "
        + "เพชร/phet ธรรม/tham มณี/manee วิเศษ/wiset สม/som อินทร์/in ประ/pra ไพ/phai",
      "วงศ์/wong สุข/suk ชัย/chai กุล/kun ศักดิ์/sak รัตน์/rat พันธ์/phan ทรัพย์/sap เจริญ/charoen ภักดี/"
        + "phakdi ดี/di มงคล/mongkhon สกุล/sakun วัฒน์/wat"
    )
  )

  private static let georgian = WideStock(
    .georgian,
    given: "დავით/davit მარიამ/mariam ანა/ana ლუკა/luka სოფიო/sopio ზურაბ/zurab ელენე/elene",
    familyMade: (
      "გელა/gela კვარა/kvara ლომი/lomi მამუ/mamu ნოზა/noza ჯავახი/javakhi წერე/tsere ხუცი/khutsi "
        + "ბოლქვა/bolkva ქართველი/kartveli",
      "შვილი/shvili ძე/dze ია/ia უა/ua იანი/iani"
    )
  )

  private static let armenian = WideStock(
    .armenian,
    given: "Աննա/anna Դավիթ/davit Մարիամ/mariam Տիգրան/tigran Նարե/nare Արմեն/armen Գոհար/gohar",
    familyMade: (
      "Աբրահամ/abraham Բաղդասար/baghdasar Գասպար/gaspar Խաչատր/khachatr Կարապետ/karapet "
        + "Հովհաննիս/hovhannis Մարտիրոս/martiros Պետրոս/petros Սարգս/sargs Սիմոն/simon",
      "յան/yan յանց/yants ունի/uni"
    )
  )

  private static let amharic = WideStock(
    .amharic,
    given:
      "ዳዊት/dawit ሳራ/sara ዮሐንስ/yohannes ማርያም/mariam አለማየሁ/alemayehu ሂሩት/hirut ኃይሌ/haile አስቴር/aster",
    secondGiven: 22,
    family: "ዳዊት/dawit ዮሐንስ/yohannes አለማየሁ/alemayehu ኃይሌ/haile ተክሌ/tekle መኮንን/mekonnen ወልደ/wolde"
  )
}
