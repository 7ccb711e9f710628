import TextRules

/// Short forms and forms of one name in different languages and spellings: `bob` for Robert, `sasha` for
/// Александр, `maier` for Meyer.
///
/// Source: written for Staffbook from names that are well known in these languages; no list was copied.
/// Names of other scripts are found by their Latin readings.
enum NameVariants {
  /// The other forms of a folded name.
  static func others(of name: String) -> [String] {
    guard let groups = groupsByName[name] else { return [] }
    var forms: [String] = []
    // What is meant in few ways first.
    for group in groups.sorted(by: { groupList[$0].count < groupList[$1].count }) {
      for form in groupList[group] where form != name && !forms.contains(form) {
        forms.append(form)
      }
    }
    return Array(forms.prefix(mostForms))
  }

  private static let mostForms = 64

  private static let groupsByName: [String: [Int]] = {
    var groups: [String: [Int]] = [:]
    for (index, group) in groupList.enumerated() {
      for name in group { groups[name, default: []].append(index) }
    }
    return groups
  }()

  private static let groupList: [[String]] = table.split(separator: "\n").map { line in
    line.split(separator: " ").map { Folding.fold(String($0)) }
  }

  /// A line for each name; a form may stand in several.
  private static let table = """
    alexander alex al alec alek alexandre alejandro alessandro aleksandr aleksander aleksandar oleksandr sasha sascha sacha sanya shura sander sandro xander lex ale olek oles iskander sandor alekos alexandros alasdair alistair
    alexandra alex alexa aleksandra oleksandra sasha sandra sandy alessandra alejandra ale olenka shura lesya xandra alexia
    andrew andy drew andreas andre andrei andrey andrij andriy andrzej andrea andres ondrej andras anders andras endre jedrzej
    anna ann anne annie ana anya anja anka ania annika anita hanna hannah nan nancy anouk anushka anuska asya annushka
    anthony tony antony anton antonio antoine antoni antonin ant toni tonio antonis toño toni antonius antal
    barbara barb babs basia bara varvara varya barbora borbala
    bartholomew bart bartek bartosz bartolomeo bartlomiej
    benjamin ben benny benji benno beniamino benjamín
    boris borya
    catherine katherine katharina kate kathy katie kitty cathy cath kat kay katya katja katarina caterina catalina catarina ekaterina yekaterina kateryna katerina kasia katarzyna karin karen katrin kathrin katinka trina kata katalin katka caitlin aikaterini
    charles charlie chuck charley carl karl carlos carlo karel karol carlitos charly karoly kalle
    christina christine chris tina kristina kristin christa christiane kirsten stina krystyna cristina kristyna tine
    christopher chris kit topher christoph kristoffer cristobal cristoforo krzysztof krystof christophe christos stoffel
    daniel dan danny dani daniil danylo danilo danya danek
    daniela dani danielle danica danuta
    david dave davey dawid davide dafydd davit dovid taavi
    dmitri dmitry dmitriy dima mitya dimitri dmytro dimitrios dimitris mitja mitia dimitar demetrius dimos
    dorothy dorothea dot dolly dora dotty dorota dorothee thea
    edward ed eddie ted teddy ned eduard eduardo edoardo edouard edvard edek lalo
    eleanor ellie nell nora eleonora leonora eleonore lenore elinor
    elena helena helen helene lena lenka alena olena yelena jelena ilona eleni ela hela nell ellen lenochka alyona iliana
    elizabeth elisabeth liz lizzie beth betty betsy eliza lisa elsa elise bess libby lisbeth elisabetta isabel isabella isabelle elzbieta ela alzbeta erzsebet zsoka bettina liesl ilse lilli elisaveta yelizaveta liza
    emily emilia emma em millie emilie emiliya milly
    eugene gene evgeny yevgeny evgeni eugen eugenio zhenya jenya yevhen jenő evgenios
    eugenia evgenia yevgenia zhenya jenya gena yevheniya
    eva eve ewa evi evita yeva ieva evka
    florian flo florin flori
    frances fran frankie fanny franziska francesca francisca françoise frantiska franca fanni
    francis frank franz francisco francesco françois frantisek franciszek fran paco pancho kiko curro franco frans ferenc feri
    frederick fred freddy friedrich frederic federico fritz fryderyk bedrich frigyes rik fredrik
    gabriel gabe gabi gavril gabor gabriele havryil
    george georg georges jorge giorgio jordi georgios giorgos yorgos jiri jerzy jurek yuri yury yuriy georgi georgy jörg jürgen jurgen goran gyorgy jorgen yegor egor schorsch jirka heorhiy
    gerald gerry jerry gerard gerhard gerd geraldo gerardo
    gregory greg gregor grigory grigori grisha gregorio grzegorz hryhoriy grigoris gergely
    guillermo william willem wilhelm guillaume guglielmo will bill billy willy wim liam memo guille vilem vilmos viljami wilek helmut willi
    hans johannes johann john jan ian jack johnny jon juan giovanni joao jean ivan vanya johan jens hannes gianni nino yanni ioannis yiannis giannis jovan janos jancsi ion sean shaun evan eoin juanito vanja honza jas jasiek ivo jukka juhani hansi ioan
    heinrich henry harry hank henri enrique enrico hendrik henk heinz henrik kike quique jindrich henryk hal heiner heino rico
    ignacio nacho ignatius ignaz ignacy iñaki
    ilya elijah elias eli illia ilja elie
    irina ira irene iryna irena irinka irenka rena irini eirini irén
    jacob jakob jake james jim jimmy jamie jaime diego santiago tiago jacques giacomo yakov yaakov kuba jakub iago jaap jaakko seamus hamish jimbo jacopo iacopo jack tiago chago yasha yakiv iakovos
    jennifer jen jenny jenna jennie ginevra guinevere
    jessica jess jessie jessika
    joanna johanna jane joan jo joana giovanna juana jeanne janet jana ivana ioanna asia joasia hanna jenny yana jeannette siobhan sheena sinead
    joseph joe joey josef jose giuseppe pepe beppe jozef josip yosef yusuf youssef iosif osip sepp jupp seppel jossi pepito josé pino peppe józef jusuf jiuseppe yossi pepa
    joshua josh jesus iesus yehoshua josue
    julia julie giulia yulia julija juliane yuliya jule juli juliette giulietta ioulia julka
    konstantin kostya kostja constantin costa kostas konstantinos dinos costantino konstanty kostek
    larissa larisa lara lora
    lawrence laurence larry lorenzo laurent lorenz lars lavrenty wawrzyniec vavrinec lauri lőrinc
    leonard leo leon len lenny leonardo leonid lyonya leonhard lennart
    louis lewis luis luigi ludwig lou luigi lajos ludvik ludovic lutz gigi luís alojz alois aloysius louie lewi
    lucy lucia lucie luz luzia lucja lucinda ljusja
    ludmila lyudmila lyuda luda mila milka ljudmila
    luke lucas lukas luca luc lukasz lukáš lukács loukas
    margaret maggie meg peggy marge margie margarita margarete margot greta gretel grete rita marguerite margherita malgorzata gosia marketa daisy megan madge margit margareta margaritha gitta mairead
    maria mary marie mari molly polly mia maryam miriam mariya masha mascha marika marja mitzi marisol maja mara manya marusya maryna mariette moira maire mimi maryla marysia maruška mizzi
    mark marc marcus markus marco marcos marek marko marcin markos márk
    martha marta marthe marfa
    martin marty martino martín marcin maarten marten márton martti
    matthew matt matthias mathias mateo matteo mats matthieu mathieu matvei matvey mateusz matej matti matyas mattia matyáš
    maximilian max maxi maxim maksim maxime massimo maksym massimiliano maximiliano
    michael mike mick mickey mikey michel miguel michele mikhail mikhaylo mykhailo misha mischa mihail mihai michal mikael mikkel mitch mihaly michalis mikko miki mihailo miska mícheál
    monica monika moni mona monique
    natalia natalie nathalie natasha natascha nat tasha natalya nataliya natalka tasia nata talia
    nicholas nick nicky nico niko nikolaus klaus claus nicolas nikola nikolai nikolay kolya kolja mykola nicola nils niels mikolaj mikulas nikolaos nikos miklos colin miki niklas nicolás
    nicole nicky nikki nicola nicoletta nikola nikoletta
    nikita nik mykyta
    oksana xana ksenia xenia ksyusha
    olga olya helga olja olha olenka
    patricia pat patty trish tricia patsy patrizia patrycja
    patrick pat paddy patricio patrik patrizio padraig patryk
    paul pablo paolo pavel paulo pawel pavlo pauli pál pal pavlos pasha pascha pavlik pol paavo
    paula paola pavla paulina pauline pavlina polina polya
    peter pete pedro pietro pierre pyotr petr petro piotr petya pieter petros piet piero peder per pekka peder petar pér perico pepe petrus petja péter pjotr
    philip phil philipp felipe filippo filip philippe pip filipp fülöp filippos
    rachel rae raquel rahel rachele ráhel
    raymond ray raimund ramon raimondo raimundo moncho
    rebecca becky bec rebekah rebekka rivka becca
    richard rick ricky dick rich richie ricardo riccardo ryszard rikard rihard rico richárd
    robert rob bob bobby robbie bert roberto robin ruprecht rupert robby robertas
    roger ruggero rüdiger rodger rogelio
    roman roma romek romain romano
    ronald ron ronnie rainer ronaldo reinhold ronny
    rudolf rudy rodolfo rudi rolf ralph
    samuel sam sammy samuele samu samuil
    sarah sara sally sadie zara sari
    sebastian seb bastian basti seba sebastiano sebastien sebastião
    sergei sergey serge sergio seryozha serhiy sergiy sergej serhii sergiu
    simon simeon semyon simone szymon simão semen simón
    sofia sophia sophie sonya sonja zofia sofie zosia sofya sonia
    stanislav stas slava stanislaw staszek stanislaus standa
    stefan stephen steven steve stephan esteban etienne stefano stepan stefanos szczepan štěpán istvan pista stevie stipe stjepan estevão stepa
    stephanie steph stefanie steffi stefania estefania stephania fanny štěpánka
    susan susanna susanne sue suzy susie suzanne susana zuzana zuzanna zsuzsa shoshana sanna susi suse
    svetlana sveta svitlana lana svetla
    tatiana tatyana tanya tanja tania tetiana tetyana tata
    theodore theodor ted teddy theo fyodor fedor feodor teodoro fedir tivadar teodor teo fedya thodoris
    theresa teresa tess terry tessa therese teresia terka tereza resi teréz tere
    thomas tom tommy tomas tomasz tomáš tommaso tomek foma tamas tuomas toma thom tomasso
    timothy tim timmy timo timofei timofey tymoteusz timotheus timoteo tymofiy
    ursula uschi ulla orsolya
    valentina valya val valja valentine
    valery valerij valera valeriy val valerio valerius
    veronica veronika vera ronnie nika roni
    victor viktor vic vitya vittorio vitor wiktor viktoras vitek
    victoria viktoria vicky vicki tori vika vittoria wiktoria viktoriya viki
    vincent vince vinny vincenzo vicente vinzenz wincenty cencio enzo
    vladimir vova volodya volodymyr wladimir vlad vladi wlodzimierz vladik vlado
    vyacheslav slava viacheslav wenzel vaclav waclaw vasek
    vasily vasiliy vasya basil vasyl vasilis basilio bazyli vassilis vasilios vaso
    walter walt wally gualtiero gautier valter wat
    yaroslav slava jaroslav jaroslaw yarik jarek jarda
    zachary zach zack zacharias zak zakhar
    rosario charo
    dolores lola loli
    concepción concha conchita conchi
    guadalupe lupe lupita
    mercedes merche meche
    pilar pili
    jesús chucho chuy suso
    manuel manolo manny manu emanuel emmanuel emanuele lolo immanuel
    rafael rafa raphael raffaele rafal raffi rafe
    eduardo lalo edu duarte
    luciano lucian luciano lucien
    salvatore salvador toto turi sal
    luigi gino gigi
    domenico mimmo dominic domingo dominik dominique dom mingo nick
    mohammed muhammad mohamed mohammad mehmet mo mehdi mahmud mahmoud hamada mahomed muhammed
    abdullah abdallah abdulla abdul
    ahmed ahmad ahmet amad
    hassan hasan hassane
    hussein hussain husayn hüseyin hossein huseyin
    ali aly alireza
    ibrahim abraham avraham abe ebrahim abram avi brahim bram ibo
    isaac isak yitzhak ishaq izaak itzik ike
    fatima fatma fatemeh fátima
    aisha ayesha ayşe aicha aysha
    yusuf joseph youssef yousef josef
    omar umar omer ömer
    solomon suleiman sulayman süleyman salomon shlomo
    noah noé noach nuh
    moshe moses musa moise moishe mozes
    aaron aron harun haroun ahron
    laszlo ladislav ladislao wladyslaw laci vladislav władek vlad
    bela adalbert albert albrecht al bert alberto wojciech vojtech bertie
    alexander alexandros sandu lex sanyi santeri sashko aleksandre aliaksandr sasa szasa саша шура сашко
    alexei alexey aleksey aleksei alexis alexej oleksiy lyosha alyosha lesha oleksii алеша леша лёша алёша
    anastasia anastasiya nastya nastia stacy tasia asya anastasija настя
    agnieszka agnes aga agata ines inez agnese agneta agi
    albert bert al bertie alberto beto
    arthur art artur arturo artie
    abigail abby gail abbie
    samantha sam sammie
    deborah debbie deb debra debora devorah
    pamela pam pammy
    kimberly kim kimberley
    penelope penny nelly pinelopi
    geoffrey jeffrey jeff geoff jeffery gottfried godfrey
    kathryn katharine catherine katherine kathrin katharina kate
    caitlin kaitlyn kaitlin katelyn caitlyn
    ashley ashleigh ashlee
    phillip philip philipp phil
    allan alan allen al alain
    jon john jonathan jonas
    consuelo chelo
    gregorio goyo
    antonio toño antonius toon toninho anton antero antti ante
    cornelis kees cornelius cor neel
    wilhelmina mien willemijn mina wilma minna mientje
    jacobus koos jaap jacob ko
    adrianus ad adriaan adrian arie
    petronella nel nelleke petra
    johannes jussi juha hannes hans juhani jani hovhannes ohannes hovik john ioannis yannis jean
    hovhannes john ohannes hovik
    katariina kati katri kaisa katharina katalin
    margareeta reeta marketta greta margareta
    birgitta gittan britta brigitte bridget birgit gitta brigitta
    lars lasse
    per pelle peter
    nils nisse
    jozef jozsi joska josef joseph
    sandor sanyi alexander
    erzsebet erzsi bozsi elizabeth bori
    katalin kati katharina catherine
    istvan pisti stephen pista
    marie maruska
    katerina katka
    tomas tomik tom
    krzysztof krzysiek christopher kris
    aleksandra ola alexandra
    jan janek honza john
    siegfried sigi siggi
    ulrich uli ulli ulrik
    ulrike uli ulli
    gabriele gabi gaby gabriela gabriella
    katharina kathi katja catherine
    annegret anne anna grete
    elisabeth sissi lisbeth elli lisl babette elise bettina
    veronique vero veronica
    emmanuelle manu emmanuela
    jean-baptiste jb
    genevieve ginette genoveva
    francesco checco ciccio franco cecco
    giovanni nanni gianni vanni
    salvatore toto turi
    lorenzo renzo
    domenico mimmo
    francisco chico paco pancho quico
    jose ze zeca pepe
    eduardo edu dudu lalo
    fernanda nanda
    luis lula lucho luisinho
    ana aninha anita
    gheorghe gigi gicu george gica
    ion ionel nelu john
    constantin costel constantine konstantinos kostas костас kostya
    constantine konstantinos constantin konstantin kostas κώστας
    elena lenuta lena eleni
    georgios yorgos giorgos george γιώργος giorgi gevorg
    konstantinos kostas κώστας dinos
    ioannis yannis giannis γιάννης john
    dimitrios mitsos dimitris δημήτρης takis
    panagiotis takis panos πάνος
    aikaterini katerina κατερίνα catherine
    mehmet memo memet
    ibrahim ibo
    suleyman sulo
    fatma fatos
    mustafa musti
    oleksandr сашко oles alexander
    volodymyr вова volodya vladimir
    tetiana таня tania tetyana tatiana
    mykhailo мишко mishko michael
    kateryna катя katia
    oksana ксеня ksenya
    dmitri дима митя
    ekaterina катя ekaterine catherine
    vladimir вова володя
    mikhail миша
    natalia наташа
    yevgeny женя evgeny
    maria маша
    tatiana таня
    irina ира
    konstantin костя
    pavel паша
    ivan ваня
    nikolai коля
    sergei серёжа сережа
    elena лена
    olga оля
    svetlana света
    yitzhak ike itzik isaac
    avraham avi abraham
    yosef yossi jossi joseph
    abd abdul abdel
    muhammad mo
    rajesh raju raj
    vijay viju
    michael mikheil mikayel mikael mihail mikhail michail
    nicholas nikoloz nikola nikolaos nikolai
    catherine ekaterine aikaterini ekaterina
    george gevorg giorgi georgy georgios kevork
    stephen stepan stepanos stefanos
    hannah hanna hana johanna
    robert beto roberto bobby
    meyer meier maier mayer meyr mayr majer
    schmidt schmitt schmid schmied smith szmidt
    fischer fisher fiser
    hofmann hoffmann hoffman hofman
    muller mueller moeller moller miller
    becker bekker
    schulz schulze schultz schultze szulc
    kruger krueger krieger
    thompson thomson tompson
    clarke clark
    brown browne braun
    smyth smith smythe
    reid reed read
    nielsen nilsen nielson nilsson
    pedersen petersen peterson petersson
    andersson andersen anderson
    johansson johansen johanson johnson
    macdonald mcdonald
    phillips philips
    stewart stuart steward
    kowalski kowalsky kovalsky
    rodriguez rodrigues
    gonzalez gonzales gonçalves
    fernandez fernandes
    lopez lopes
    ivanov iwanow iwanoff ivanoff
    chaudhry choudhury chowdhury chaudhary chaudhuri choudhary
    maclean mclean mclain
    mackenzie mckenzie
    neumann neuman newman
    lehmann lehman leman
    baumann bauman bowman
    weiss weis weisz
    hansen hanson hansson
    jensen janssen jansen jansson
    olsen olson olsson
    larsen larson larsson
    erikson ericson eriksson eriksen ericsson
    petrov petroff petrow
    bauer baur bower
    schneider snyder snider sznajder
    schwartz schwarz schwarcz swartz
    horvath horvat
    kovacs kovac kovach
    nguyen nguyễn
    martinez martines
    sanchez sanches
    perez peres
    alvarez alvares
    moreau moro
    """
}
