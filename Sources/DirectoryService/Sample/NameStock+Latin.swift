extension NameStock {
  /// Names in Latin letters, most of them with some that ASCII does not have.
  static let latin: [NameStock] = [
    english, german, french, spanish, portuguese, polish, nordic, icelandic, turkish, vietnamese,
    hungarian, african, baltic,
  ]

  static let english = NameStock(
    12,
    given: "Ada Alice Arthur Beatrice Clara Daniel Edith Frank Grace Harriet Isaac Jane Joseph "
      + "Lucy Martha Nathan Olive Peter Rose Samuel Thomas Victoria Walter",
    family: "Ashworth Barker Bennett Carter Dawson Ellis Fletcher Gardner Harper Hughes Lawson "
      + "Marsh Norris O'Neill/oneill Palmer Quinn Reeves Shaw Turner Walsh Webb Wren"
  )

  static let german = NameStock(
    7,
    given: "Anneliese Björn/bjoern Christoph Dörte/doerte Elke Florian Günter/guenter Heike "
      + "Jörg/joerg Jürgen/juergen Käthe/kaethe Lotte Moritz Nele Rüdiger/ruediger Sören/soeren "
      + "Ulrike Zoë/zoe",
    family: "Bäcker/baecker Brandt Dröge/droege Engel Fuchs Größmann/groessmann Hübner/huebner "
      + "Jäger/jaeger Köhler/koehler Lindner Möller/moeller Pfeiffer Schäfer/schaefer Schröder/"
      + "schroeder Strauß/strauss Vogel Weiß/weiss"
  )

  static let french = NameStock(
    6,
    given: "Agnès/agnes André/andre Benoît/benoit Camille Chloé/chloe Élodie/elodie Étienne/"
      + "etienne François/francois Gaëlle/gaelle Hélène/helene Jérôme/jerome Léa/lea Maël/mael "
      + "Noémie/noemie Thérèse/therese Zélie/zelie",
    family: "Besançon/besancon Bérard/berard Caillou Château/chateau D'Aubigné/daubigne Dubois "
      + "Fénelon/fenelon Guérin/guerin Lefèvre/lefevre Légaré/legare Marchand Noël/noel "
      + "Péchard/pechard Roussel Séguin/seguin Vallée/vallee"
  )

  static let spanish = NameStock(
    8,
    given: "Álvaro/alvaro Begoña/begona Carmen César/cesar Inés/ines Itziar Javier José/jose Lucía/"
      + "lucia María/maria Mónica/monica Nicolás/nicolas Óscar/oscar Sofía/sofia Tomás/tomas Ximena",
    family: "Bermúdez/bermudez Cañas/canas Castañeda/castaneda Güell/guell Íñiguez/iniguez Mañas/"
      + "manas Muñoz/munoz Núñez/nunez Ordóñez/ordonez Piñeiro/pineiro Quiñones/quinones Riaño/"
      + "riano Vázquez/vazquez Yáñez/yanez Zúñiga/zuniga"
  )

  static let portuguese = NameStock(
    4,
    given: "Antônio/antonio Beatriz Caetano Inês/ines João/joao Luísa/luisa "
      + "Mafalda Nuno Patrícia/patricia Rui Simão/simao Tânia/tania Vitória/vitoria",
    family: "Araújo/araujo Brandão/brandao Falcão/falcao Gonçalves/goncalves "
      + "Leitão/leitao Magalhães/magalhaes Mendonça/mendonca Pinhão/pinhao Ribeiro Simões/simoes "
      + "Teixeira"
  )

  static let polish = NameStock(
    4,
    given: "Agnieszka Bogusław/boguslaw Elżbieta/elzbieta Grażyna/grazyna Józef/jozef Kamil "
      + "Łucja/lucja Małgorzata/malgorzata Michał/michal Paweł/pawel Stanisław/stanislaw Zofia",
    family: "Bąk/bak Dąbek/dabek Gołąb/golab Jabłoński/jablonski Kaczmarek Krawczyk Mazur Nowak "
      + "Sikora Wójcik/wojcik Wróbel/wrobel Zając/zajac"
  )

  static let nordic = NameStock(
    4,
    given: "Åsa/asa Björn/bjorn Einar Frøya/froya Håkon/hakon Ingrid Jørgen/jorgen Kåre/kare "
      + "Linnéa/linnea Märta/marta Øyvind/oyvind Saga Signe Sørine/sorine Torbjörn/torbjorn",
    family: "Ångström/angstrom Berg Dahl Fjeld Grønlund/gronlund Holm Lindström/lindstrom Lund "
      + "Nygård/nygard Ødegård/odegard Sandström/sandstrom Skjæret/skjaeret Strøm/strom Åkesson/"
      + "akesson"
  )

  static let icelandic = NameStock(
    2,
    given: "Ásta/asta Björk/bjork Guðrún/gudrun Hrafnhildur Katrín/katrin Sólveig/solveig "
      + "Þórdís/thordis Ylfa",
    family: "Árnadóttir/arnadottir Bjarnadóttir/bjarnadottir Einarsdóttir/einarsdottir "
      + "Helgadóttir/helgadottir Ólafsdóttir/olafsdottir Þorsteinsdóttir/thorsteinsdottir"
  )

  static let turkish = NameStock(
    3,
    given: "Ayşe/ayse Barış/baris Çağla/cagla Doğan/dogan Emine Gökhan/gokhan Işıl/isil İpek/ipek "
      + "Ömer/omer Şebnem/sebnem Tuğba/tugba Ümit/umit Yiğit/yigit",
    family: "Aydın/aydin Çelik/celik Demir Doğan/dogan Güneş/gunes Işık/isik Kılıç/kilic Öztürk/"
      + "ozturk Şahin/sahin Yıldız/yildiz Yılmaz/yilmaz"
  )

  static let vietnamese = NameStock(
    3,
    .familyFirst(separator: " "),
    given: "Anh Dũng/dung Hạnh/hanh Hương/huong Khánh/khanh Linh Minh Ngọc/ngoc Phương/phuong "
      + "Quân/quan Thảo/thao Tuấn/tuan Vân/van",
    family: "Bùi/bui Đặng/dang Đỗ/do Hoàng/hoang Huỳnh/huynh Lê/le Ngô/ngo Nguyễn/nguyen Phạm/"
      + "pham Phan Trần/tran Võ/vo Vũ/vu"
  )

  static let hungarian = NameStock(
    3,
    given: "Bence Csilla Dóra/dora Eszter Ferenc György/gyorgy Ildikó/ildiko László/laszlo Márta/"
      + "marta Réka/reka Zsófia/zsofia",
    family: "Bőr/bor Fekete Gőz/goz Halász/halasz Juhász/juhasz Kovács/kovacs Lőrincz/lorincz "
      + "Molnár/molnar Szűcs/szucs Takács/takacs Vörös/voros"
  )

  static let african = NameStock(
    3,
    given: "Adaeze Amara Babajide Chidi Folasade Ìdòwú/idowu Kwame Nia Ọlá/ola Ṣadé/sade Tumelo "
      + "Yewande Zanele",
    family: "Abiọ́dún/abiodun Adébáyọ̀/adebayo Dlamini Eze Mensah Mokoena Ndlovu Nkosi Okafor "
      + "Owusu Ṣówándé/sowande"
  )

  static let baltic = NameStock(
    2,
    given: "Ieva Jānis/janis Kęstutis/kestutis Līga/liga Mārtiņš/martins Rūta/ruta Žydrė/zydre",
    family: "Bērziņš/berzins Kalniņš/kalnins Ozols Šimkus/simkus Žukas/zukas Vējš/vejs"
  )
}
