extension WideStock {
  static let latin: [WideStock] = [
    english, german, french, spanish, portuguese, polish, nordic, icelandic, turkish, vietnamese,
    hungarian, african, baltic,
  ]

  private static let english = WideStock(
    .english,
    given: "James Mary John Emma William Olivia Robert Ava Michael Sophia David Isabella Richard "
      + "Mia Charles Charlotte Thomas Amelia Christopher Evelyn Matthew Abigail Anthony Emily Mark "
      + "Elizabeth Steven Ella Andrew Scarlett Kevin Madison Brian Chloe George Eleanor Edward "
      + "Hannah Ronald Lillian Timothy Addison Jason Natalie Ryan Leah Jacob Audrey Gary Brooklyn "
      + "Eric Claire Stephen Skylar Jonathan Paisley Larry Savannah Justin Ellie Scott Violet Brandon "
      + "Stella Benjamin Zoe Gregory Penelope Alexander Nora Patrick Hazel Jack Aurora Dennis Ivy",
    secondGiven: 13,
    family:
      "Smith Jones Taylor Brown Williams Johnson Davies Robinson Wright Thompson Evans Walker "
      + "White Roberts Green Hall Wood Clarke Cooper Hill Ward Moore Morris King Baker Lee Allen "
      + "Scott Watson Parker Young Mitchell James Phillips Cook Bell Bailey Kelly Miller Cox Marshall "
      + "Richardson Simpson Adams Price Rogers Collins Gray Stewart Murray Campbell Graham Fisher "
      + "MacDonald/macdonald Hunter Mason Dixon Hunt Murphy Kennedy O'Brien/obrien O'Connor/oconnor",
    familyMade: (
      "Ash Beck Black Brad Brook Burn Clay Cold Crow Dun East Elder Fair Fern Glen Gold Green Hal "
        + "Hart Hay Heath Hol Kings Lang Lin Mar May Mill Moor New North Oak Old Penn Rad Red Rock "
        + "Rose Sand Shel Sil South Stan Stock Stone Sut Thorn Under Wake Wal West Whit Win Wood York",
      "worth field ton ham ley by well wood man bridge shaw croft combe den ford gate hurst land "
        + "more ridge son stead stone wick smith"
    ),
    secondFamily: (4, "-")
  )

  private static let german = WideStock(
    .german,
    given:
      "Peter Ursula Hans Monika Klaus Petra Wolfgang Sabine Jürgen/juergen Renate Dieter Karin "
      + "Manfred Brigitte Uwe Ingrid Thomas Helga Michael Gisela Andreas Susanne Stefan Andrea "
      + "Matthias Claudia Markus Birgit Frank Barbara Martin Nicole Bernd Stefanie Jan Katrin "
      + "Tobias Anna Lukas Lena Felix Marie Jonas Sophie Paul Hannah Leon Emilia Finn Clara",
    secondGiven: 11,
    family: "Müller/mueller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann "
      + "Koch Bauer Richter Klein Wolf Neumann Schwarz Zimmermann Braun Krüger/krueger Hofmann "
      + "Hartmann Lange Schmitt Werner Krause Meier Lehmann Schmid Schulze Maier Herrmann König/"
      + "koenig Walter Mayer Huber Kaiser Peters Lang Scholz Roth Keller Günther/guenther",
    familyMade: (
      "Alten Berg Birken Blumen Brücken/bruecken Buchen Dorn Eichen Eisen Erlen Falken Feld Fichten "
        + "Frei Grün/gruen Hagen Hasel Hirsch Hohen Kirch Königs/koenigs Krähen/kraehen Linden "
        + "Löwen/loewen Mühl/muehl Neu Nieder Ober Oster Rosen Rot Sand Schwarz Silber Stein Tannen "
        + "Wald Weiden Wester Winter",
      "bach bauer baum beck berg berger brock burg dorf feld fels hain hausen heim hof holz huber "
        + "kamp kötter/koetter mann meier meyer müller/mueller reuter ried schmidt stein tal wald"
    ),
    secondFamily: (5, "-")
  )

  private static let french = WideStock(
    .french,
    given: "Jean Marie Pierre Nathalie Michel Isabelle Philippe Sylvie Alain Catherine Nicolas "
      + "Martine Christophe Christine Laurent Françoise/francoise Frédéric/frederic Valérie/valerie "
      + "Stéphane/stephane Sandrine Thierry Stéphanie/stephanie Julien Véronique/veronique Louis "
      + "Manon Hugo Jade Gabriel Louise Raphaël/raphael Emma Jules Inès/ines Adam Rose",
    secondGiven: 13,
    family: "Martin Bernard Thomas Petit Robert Richard Durand Moreau Laurent Simon Michel Leroy "
      + "Roux David Bertrand Morel Fournier Girard Bonnet Dupont Lambert Fontaine Rousseau Vincent "
      + "Muller Faure Mercier Blanc Guérin/guerin Boyer Garnier Chevalier François/francois Legrand",
    familyMade: (
      "Beau Bel Bon Bour Brise Champ Chante Clair Cour Dela Font Grand Haute La Long Mal Mar Mire "
        + "Mont Neu Passe Pré/pre Roche Saint Taille Val Vau Ville Vrai",
      "bois castel champ clair court dieu font fort lieu mont pierre pin pré/pre puy roche ret "
        + "teau vent vigne ville"
    ),
    secondFamily: (6, "-")
  )

  private static let spanish = WideStock(
    .spanish,
    given: "Antonio Ana Manuel Isabel Francisco Dolores Juan Pilar Miguel Teresa Rafael Rosa Pedro "
      + "Cristina Ángel/angel Elena Alejandro Laura Daniel Marta Fernando Raquel Pablo Silvia "
      + "Sergio Rocío/rocio Jorge Paula Alberto Andrea Diego Sara Hugo Martina Mateo Valeria",
    secondGiven: 11,
    family: "García/garcia Rodríguez/rodriguez González/gonzalez Fernández/fernandez López/lopez "
      + "Martínez/martinez Sánchez/sanchez Pérez/perez Gómez/gomez Martín/martin Jiménez/jimenez "
      + "Ruiz Hernández/hernandez Díaz/diaz Moreno Álvarez/alvarez Romero Alonso Gutiérrez/"
      + "gutierrez Navarro Torres Domínguez/dominguez Ramos Gil Ramírez/ramirez Serrano Blanco "
      + "Molina Morales Suárez/suarez Ortega Delgado Castro Ortiz Rubio Marín/marin Sanz Iglesias",
    secondFamily: (33, " ")
  )

  private static let portuguese = WideStock(
    .portuguese,
    given: "José/jose Ana Francisco Maria Carlos Juliana Paulo Fernanda Pedro Márcia/marcia Lucas "
      + "Aline Marcos Sandra Luís/luis Camila Gabriel Bruna Rafael Jéssica/jessica Daniel Letícia/"
      + "leticia Marcelo Júlia/julia Bruno Luciana Eduardo Amanda Felipe Mariana",
    secondGiven: 11,
    family: "Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro "
      + "Martins Carvalho Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento "
      + "Andrade Moreira Nunes Marques Machado Mendes Freitas Cardoso Ramos Santana Teixeira",
    secondFamily: (27, " ")
  )

  private static let polish = WideStock(
    .polish,
    given: "Anna Piotr Maria Krzysztof Katarzyna Andrzej Tomasz Barbara Jan Ewa Krystyna Marcin "
      + "Marek Magdalena Grzegorz Monika Adam Jadwiga Łukasz/lukasz Danuta Zbigniew Irena Jerzy "
      + "Halina Tadeusz Helena Mateusz Beata Dariusz Aleksandra",
    secondGiven: 6,
    familyMade: (
      "Bart Biel Bor Brzez Chmiel Dąbr/dabr Gaj Głow/glow Gór/gor Jan Jawor Kal Kam Klim Koz Kow "
        + "Kras Lip Mal Mark Mich Now Olsz Ostr Pawł/pawl Piotr Rad Rud Sob Stan Szym Tom Urb "
        + "Wiśn/wisn Wilk Zawad Ziel Żur/zur",
      "owski ewski iński/inski owicz czyk ak ek icki alski czak"
    ),
    secondFamily: (4, "-")
  )

  private static let nordic = WideStock(
    .nordic,
    given:
      "Lars Anna Erik Karin Anders Eva Johan Maria Per Kristina Nils Lena Karl Kerstin Jan Sara "
      + "Ole Hanne Svein Berit Kjell Astrid Morten Camilla Søren/soren Mette Jesper Freja Mikkel Ida",
    secondGiven: 9,
    family: "Hansen Johansen Olsen Larsen Andersen Pedersen Nilsen Kristiansen Jensen Karlsen "
      + "Johansson Andersson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson",
    familyMade: (
      "Ahl Alm Asp Back Berg Björk/bjork Blom Bo Dal Ek Eng Fager Fors Gran Grön/gron Hag Hall Hed "
        + "Hög/hog Kvarn Ler Lil Lind Ljung Lund Mo Norr Ny Rosen Sand Sjö/sjo Sol Stor Söder/soder "
        + "Vester Wall Ö/o Öst/ost",
      "berg blad bo borg by dahl fors gren gård/gard holm hus lind lund man mark qvist sjö/sjo sten "
        + "strand ström/strom vall vik"
    )
  )

  private static let icelandic = WideStock(
    .icelandic,
    given: "Jón/jon Anna Sigurður/sigurdur Kristín/kristin Guðmundur/gudmundur Margrét/margret "
      + "Gunnar Sigríður/sigridur Ólafur/olafur Helga Einar Ingibjörg/ingibjorg Magnús/magnus "
      + "Jóhanna/johanna Kristján/kristjan María/maria",
    secondGiven: 18,
    familyMade: (
      "Árna/arna Bjarna Björns/bjorns Einars Eiríks/eiriks Gísla/gisla Guðmunds/gudmunds Gunnars "
        + "Halldórs/halldors Helga Jóhanns/johanns Jóns/jons Kristjáns/kristjans Magnúsar/"
        + "magnusar Ólafs/olafs Páls/pals Péturs/peturs Sigurðar/sigurdar Stefáns/stefans "
        + "Sveins Þorsteins/thorsteins",
      "dóttir/dottir son"
    )
  )

  private static let turkish = WideStock(
    .turkish,
    given: "Mehmet Fatma Mustafa Zeynep Ahmet Elif Ali Meryem Hüseyin/huseyin Merve Hasan Özlem/"
      + "ozlem İbrahim/ibrahim Esra Murat Hatice Osman Sultan Yusuf Dilek Fatih Derya Emre Defne",
    secondGiven: 9,
    familyMade: (
      "Ak Alt Ay Bay Bey Boz Can Dağ/dag Demir Deniz Er Gök/gok Gül/gul Gün/gun Kara Kaya Kızıl/"
        + "kizil Koç/koc Kurt Öz/oz Sarı/sari Şen/sen Taş/tas Tekin Tuna Ulu Uz Yal Yaz Yeni",
      "doğan/dogan gül/gul kan kaya oğlu/oglu soy taş/tas tepe türk/turk yıldız/yildiz er men han "
        + "baş/bas lı/li cı/ci"
    )
  )

  private static let vietnamese = WideStock(
    .vietnamese,
    given:
      "Văn/van Thị/thi Đức/duc Hữu/huu Quốc/quoc Thanh Xuân/xuan Bảo/bao Gia Hải/hai Hoài/hoai "
      + "Hồng/hong Huy Kim Lan Long Mai My Nam Nga Nhung Oanh Phong Phúc/phuc Quang Sơn/son Tâm/tam "
      + "Thắng/thang Thu Trang Trung Tú/tu Tuyết/tuyet Việt/viet Yến/yen",
    secondGiven: 38,
    family: "Dương/duong Lý/ly Hồ/ho Trương/truong Đinh/dinh Mai Tô/to Lương/luong Hà/ha Cao"
  )

  private static let hungarian = WideStock(
    .hungarian,
    given: "István/istvan Katalin József/jozsef Ilona János/janos Zsuzsanna Zoltán/zoltan Judit "
      + "Sándor/sandor Erika Gábor/gabor Anikó/aniko Attila Krisztina Péter/peter Ágnes/agnes",
    secondGiven: 4,
    family:
      "Nagy Kiss Tóth/toth Szabó/szabo Horváth/horvath Varga Németh/nemeth Farkas Balogh Papp",
    familyMade: (
      "Al Bor Csáky/csaky Dom Erd Fel Hegy Hosszú/hosszu Kerek Kis Kő/ko Magyar Nagy Nyír/nyir Ó/o "
        + "Pálf/palf Sár/sar Szent Tisza Új/uj Vár/var Zala",
      "falvi házi/hazi vári/vari völgyi/volgyi hegyi szegi laki mezei"
    )
  )

  private static let african = WideStock(
    .african,
    given:
      "Ngozi Emeka Abena Kofi Thabo Lindiwe Sipho Nomsa Wanjiru Kamau Achieng Otieno Neema Juma "
      + "Zawadi Baraka Imani Tendai Rudo Farai Fatou Mamadou Aïssatou/aissatou Ousmane",
    secondGiven: 13,
    familyMade: (
      "Ade Akin Ayo Babá/baba Chi Eke Eni Fola Ifá/ifa Kola Mba Nwa Obi Ogun Oko Olu Ola Oye Uche "
        + "Udo",
      "bayo wale tunde kunle niyi yemi sola bola dele femi gbemi jide lade nde nma rinde tayo zie"
    )
  )

  private static let baltic = WideStock(
    .baltic,
    given: "Andris Anna Juris Kristīne/kristine Edgars Inese Artūrs/arturs Jonas Rasa Tomas "
      + "Eglė/egle Darius Daiva Andrius Kristina Marius Jurgita",
    secondGiven: 6,
    familyMade: (
      "Bērz/berz Kaln Liep Zar Krūm/krum Lāc/lac Vilk Balt Zil Sil Pur Dzen Grav Jans Pēters/peters "
        + "Stank Vait Kaz Pet Jur",
      "iņš/ins sons ausks ītis/itis evičs/evics ovskis auskas aitis ienė/iene onis"
    )
  )
}
