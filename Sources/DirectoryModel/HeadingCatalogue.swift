/// What columns are called, those of fields and others: the only place that says so.
///
/// English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian, Chinese, Japanese and
/// Korean headings, among them those of exports by Workday, SAP (ERP HCM and SuccessFactors), BambooHR,
/// Personio, DATEV, WeCom and Feishu. Compared are headings without accents, case and signs.
package enum HeadingCatalogue {
  /// What a column may hold, a key of a mapping or a part of a value, and its headings.
  ///
  /// A column named `id` or `no` holds the id where there is no other one (`number`); beside another
  /// one it is mostly the row's number. `department_id` is that of the lowest department,
  /// or of the only one; `left` is a day or yes, and `status` a word for it.
  package static let words: [(key: Substring, headings: [Substring])] = """
    id: personnel no|personnel number|pers no|employee id|employee number|employee no|employee|emp id|\
    staff id|staff no|staff number|worker id|user id|userid|person id|employee code|\
    emp no|employee nr|person number|payroll no|payroll number|ma nr|ma nummer|\
    personalnummer|personal nr|pers nr|persnr|mitarbeiternummer|mitarbeiter nr|mitarbeiter id|\
    matricule|numero de matricule|id salarie|numero employe|identifiant|\
    numero de empleado|no de empleado|n de empleado|id de empleado|legajo|codigo de empleado|\
    工号|员工id|员工编号|员工工号|人员编号|帐号|账号|用户id|职工号|員工編號|社員番号|従業員番号|職員番号|社員id|\
    employee identification number|staff code|clock number|badge number|hr id|workday id|pernr|employee key|\
    personal id|mitarbeiterkennung|personalnr arbeitnehmer|arbeitnehmernummer|stammnummer|\
    matricola|codice dipendente|numero matricola|id dipendente|\
    matricula|codigo do funcionario|numero do funcionario|id do funcionario|chapa|\
    personeelsnummer|medewerkernummer|werknemersnummer|registratienummer|\
    numer pracownika|nr pracownika|numer ewidencyjny|id pracownika|\
    табельный номер|таб номер|номер сотрудника|код сотрудника|id сотрудника|\
    사번|사원번호|직원번호|社員コード|従業員コード|员工号|人员工号|employee user id
    number: id|no|nr|编号|編號|番号
    name: full name|name|employee name|worker|worker name|legal name|display name|preferred full name|\
    vollstandiger name|mitarbeiter|mitarbeitername|anzeigename|\
    nom complet|nom et prenom|nom prenom|salarie|collaborateur|\
    nombre completo|nombre y apellidos|apellidos y nombre|empleado|\
    姓名|员工姓名|名字|名前|氏名|社員名|従業員名|\
    preferred name|last name first name|name last first|employee full name|name of employee|staff name|person name|complete name|\
    name vorname|name des mitarbeiters|nachname vorname|vor und nachname|arbeitnehmer|\
    nome e cognome|cognome e nome|nominativo|dipendente|nome completo|nome do funcionario|colaborador|\
    funcionario|naam|volledige naam|medewerker|werknemer|weergavenaam|\
    imie i nazwisko|nazwisko i imie|pracownik|фио|ф и о|сотрудник|полное имя|имя сотрудника|\
    이름|성명|사원명|직원명|漢字氏名
    given_name: first name|firstname|given name|forename|legal first name|preferred first name|vorname|rufname|\
    prenom|nombre|nombres|nombre de pila|名|名 名前|\
    fore name|christian name|legal name first name|preferred name first name|\
    nome|nome proprio|primeiro nome|voornaam|roepnaam|imie|имя|이름 영문|名字 名
    family_name: last name|lastname|family name|surname|legal last name|nachname|familienname|zuname|\
    nom|nom de famille|apellido|apellidos|primer apellido|姓|氏|苗字|\
    legal name last name|surnames|family names|birth surname|nom usuel|segundo apellido|\
    cognome|sobrenome|ultimo nome|achternaam|nazwisko|фамилия|성|姓氏
    company: company|company name|legal entity|subcompany|entity|gesellschaft|firma|unternehmen|\
    societe|entreprise|entite|empresa|sociedad|公司|公司名称|所属公司|会社|会社名|法人|\
    company code|legal employer|employer|buchungskreis|mandant|arbeitgeber|\
    azienda|societa|empresa contratante|organizacao|bedrijf|organisatie|werkgever|\
    firma spolka|spolka|pracodawca|компания|организация|юридическое лицо|회사|법인|회사명|一级组织
    business_unit: business unit|geschaftsbereich|personnel area|personalbereich|unite commerciale|\
    unidad de negocio|事业部|事業部|一级部门|本部|\
    level 1|org level 1|business area|sparte|ebene 1|niveau 1|nivel 1|livello 1|niveau 1 organisation|\
    unita aziendale|unidade de negocio|bedrijfsonderdeel|jednostka biznesowa|бизнес единица|\
    사업부|부문|事業本部|一级组织名称
    division: division|bereich|direction|direccion|sector|部門 大|部門|部|二级部门|統括部|\
    level 2|org level 2|hauptabteilung|ebene 2|niveau 2|nivel 2|livello 2|divisione|direzione|\
    divisao|diretoria|divisie|dywizja|pion|дивизион|дирекция|본부|실|二级组织
    department: department|department path|department name|dept|org unit|organizational unit|\
    organisational unit|organization|organisation|supervisory organization|orgunit|\
    org unit path|text organisationseinheit|\
    abteilung|organisationseinheit|orgeinheit|org einheit|fachabteilung|\
    departement|service|departamento|area|\
    部门|所属部门|所在部门|部门名称|部门路径|三级部门|部署|所属|所属部署|部署名|\
    level 3|org level 3|departments|dept name|department description|abt|abteilungsname|ebene 3|niveau 3|\
    nivel 3|livello 3|reparto|dipartimento|ufficio|setor|secao|afdeling|dienst|dzial|wydzial|departament|\
    отдел|подразделение|департамент|부서|부서명|소속|소속부서|部門名|所属名|所属組織|部门全路径
    team: team|group|sub department|unit|section|gruppe|untergruppe|equipe|groupe|equipo|grupo|\
    组|小组|团队|四级部门|課|チーム|グループ|係|\
    level 4|org level 4|subdepartment|squad|ebene 4|niveau 4|nivel 4|livello 4|sottogruppo|squadra|\
    ploeg|zespol|grupa|команда|группа|팀|팀명|그룹|班|班组
    title: title|job title|business title|position|position title|job|role|job profile|job name|\
    stelle|planstelle|funktion|stellenbezeichnung|berufsbezeichnung|jobtitel|positionsbezeichnung|\
    poste|fonction|intitule du poste|emploi|cargo|puesto|puesto de trabajo|\
    职务|职位|岗位|职称|头衔|役職|役職名|職位|職種|肩書|\
    position name|designation|job description|occupation|working title|job position|function|\
    funktionsbezeichnung|tatigkeit|tatigkeitsbezeichnung|beruf|dienststellung|\
    qualifica|mansione|ruolo|posizione|titolo|cargo atual|funcao|\
    functie|functietitel|functienaam|stanowisko|funkcja|должность|позиция|직책|직위|직급|직무|役職 名称|担当
    email: email|e mail|mail|email address|e mail address|work email|email work|business email|\
    primary work email|email primary work|company email|e mail adresse|mailadresse|email adresse|\
    e mail geschaftlich|dienstliche e mail|courriel|adresse e mail|adresse email|adresse mail|\
    correo|correo electronico|correo corporativo|\
    邮箱|企业邮箱|工作邮箱|电子邮箱|邮件|メール|メールアドレス|電子メール|\
    email id|e mail id|office email|corporate email|business e mail|work e mail|smtp address|\
    e mail dienstlich|dienst e mail|e mail firma|courrier electronique|adresse de courriel|\
    email professionnel|e mail professionnel|e mail aziendale|email aziendale|posta elettronica|\
    e mail corporativo|email corporativo|correio eletronico|e mailadres|zakelijk e mailadres|\
    adres e mail|poczta elektroniczna|почта|электронная почта|эл почта|адрес электронной почты|\
    이메일|메일|회사메일|電子郵件|公司邮箱|メール アドレス
    phone: phone|telephone|work phone|phone work|business phone|office phone|phone number|\
    primary work phone|phone primary work|telephone number|telefon dienstlich|telefon|telefonnummer|telefon geschaftlich|festnetz|durchwahl|\
    telephone fixe|telephone professionnel|numero de telephone|telefono|telefono fijo|\
    telefono trabajo|座机|电话|办公电话|固定电话|联系电话|電話|電話番号|内線|\
    tel|tel no|telephone no|phone no|ext|extension|ext no|work tel|tel work|office tel|direct line|landline|\
    direct dial|ddi|nebenstelle|tel dienstlich|tel geschaftlich|rufnummer|dienstnummer|\
    poste telephonique|ligne directe|tel bureau|tel fixe|tel fijo|extension telefonica|anexo|\
    interno|telefono ufficio|numero di telefono|telefono aziendale|\
    telefone|telefone comercial|ramal|telefoonnummer|telefoon|toestelnummer|doorkiesnummer|\
    telefon sluzbowy|nr telefonu|numer telefonu|телефон|рабочий телефон|внутренний номер|\
    전화|전화번호|내선|내선번호|回線番号|内線番号|直通|分机|分机号|电话号码|分機
    mobile: mobile|mobile phone|cell|cell phone|mobile number|cellphone|work mobile|\
    mobil|handy|mobiltelefon|mobiltelefon geschaftlich|mobiltelefon dienstlich|handynummer|mobilnummer|mobile professionnel|portable|\
    telephone portable|telephone mobile|movil|telefono movil|celular|\
    手机|手机号|手机号码|移动电话|携帯|携帯電話|携帯番号|\
    mobile no|mob|mob no|cell no|gsm|cellular|mobile phone number|phone mobile|primary mobile phone|\
    handy nr|mobilfunk|mobilfunknummer|tel mobil|diensthandy|tel portable|gsm professionnel|\
    cellulare|telefono cellulare|celular corporativo|telemovel|telefone celular|\
    mobiel|mobiele telefoon|mobiel nummer|komorka|telefon komorkowy|мобильный|мобильный телефон|\
    сотовый|휴대폰|휴대전화|핸드폰|휴대폰번호|携帯電話番号|手機
    manager: manager|manager name|manager id|supervisor|reports to|reporting to|line manager|\
    worker s manager|manager email|supervisor id|supervisor name|supervisor email|\
    vorgesetzter|vorgesetzte|vorgesetzte r|fuhrungskraft|vorgesetzter name|vorgesetzter e mail|\
    responsable|superieur|superieur hierarchique|n 1|jefe|supervisor directo|responsable directo|\
    直属上级|上级|直接上级|汇报对象|主管|上司|上長|直属上司|\
    line manager id|line manager name|line manager email|manager employee id|manager user id|\
    direct manager|direct supervisor|reports to id|reports to name|reports to email|superior|boss|\
    disziplinarischer vorgesetzter|vorgesetzter personalnummer|leiter|fuhrungskraft id|\
    manager direct|responsable hierarchique|matricule du responsable|jefe directo|jefe inmediato|\
    responsabile|superiore|capo|gestor|gestor direto|supervisor direto|chefe|\
    leidinggevende|direct leidinggevende|manager naam|przelozony|bezposredni przelozony|kierownik|\
    руководитель|непосредственный руководитель|начальник|상사|직속상사|관리자|팀장|\
    上司 氏名|上司コード|直属主管|直接主管|上级工号|主管姓名
    joined: hire date|start date|date of hire|original hire date|entry date|joined|date joined|\
    joining date|eintrittsdatum|einstellungsdatum|eintritt|startdatum|\
    date d embauche|date d entree|fecha de ingreso|fecha de alta|fecha de contratacion|\
    入职日期|入职时间|入社日|入社年月日|\
    date of joining|doj|joining|employment start date|employed since|service date|seniority date|\
    commencement date|first day|entry|dienstantritt|eintritt am|beschaftigt seit|dienstbeginn|\
    date entree|entree|date d arrivee|date de debut|fecha de inicio|fecha ingreso|alta|\
    data assunzione|data di assunzione|data inizio|data de admissao|admissao|data de inicio|\
    datum in dienst|in dienst|indiensttreding|startdatum dienstverband|\
    data zatrudnienia|data przyjecia|дата приема|дата приема на работу|дата найма|\
    입사일|입사일자|入社年月|就職日|到职日期|入職日期
    birthday: birthday|date of birth|birth date|dob|geburtsdatum|geburtstag|date de naissance|\
    fecha de nacimiento|生日|出生日期|生年月日|誕生日|\
    geb datum|geb am|naissance|date naissance|fecha nacimiento|data di nascita|data nascita|\
    data de nascimento|nascimento|geboortedatum|data urodzenia|дата рождения|생년월일|생일|誕生年月日
    office: office|location|work location|office location|room|standort|buro|buro standort|arbeitsort|\
    bureau|lieu de travail|localisation|site|oficina|ubicacion|lugar de trabajo|centro de trabajo|\
    工作地点|工作城市|办公地点|座位|勤務地|拠点|オフィス|\
    office name|work site|workplace|site name|duty station|einsatzort|dienstort|dienstsitz|niederlassung|\
    buronummer|raum|raumnummer|lieu|etablissement|sede|sede di lavoro|luogo di lavoro|stanza|\
    local de trabalho|unidade|escritorio|sala|kantoor|werklocatie|standplaats|vestiging|kamer|\
    biuro|miejsce pracy|lokalizacja|pokoj|офис|место работы|кабинет|локация|\
    근무지|사무실|근무장소|事業所|勤務先|办公城市|工位
    employment: employment type|worker type|employee type|employment status|employee class|\
    beschaftigungsart|mitarbeitergruppe|anstellungsart|type de contrat|tipo de contrato|\
    人员类型|员工类型|雇用形態|雇用区分|\
    contract type|employment category|employment class|staff category|worker sub type|\
    vertragsart|beschaftigungsverhaltnis|mitarbeiterkreis|type d emploi|contrat|statut|\
    tipo contrato|modalidad|tipo di contratto|tipo de vinculo|vinculo|contracttype|soort contract|\
    rodzaj umowy|typ umowy|тип занятости|вид занятости|고용형태|근로형태|雇用契約|社員区分|用工类型
    cost_centre: cost center|cost centre|cost ctr|costcenter|kostenstelle|centre de cout|centre de couts|\
    centro de coste|centro de costos|成本中心|コストセンター|\
    cost center code|cost centre code|cost center id|cost code|kst|kostenstellen nr|kostenstellennummer|\
    code centre de cout|ceco|centro costo|centro di costo|centro de custo|kostenplaats|\
    centrum kosztow|mpk|центр затрат|мвз|코스트센터|비용센터|原価センタ|部门成本中心
    nickname: nickname|nick name|alias|spitzname|别名|英文名|ニックネーム|\
    known as|goes by|surnom|apodo|soprannome|apelido|roepnaam alias|pseudonim|псевдоним|닉네임|呼称|花名
    phonetic_name: yomi name|name kana|氏名カナ|フリガナ|ふりがな|カナ氏名|氏名 カナ|拼音|姓名拼音|\
    kana|カナ|かな|氏名フリガナ|氏名かな|よみがな|读音
    home_phone: home phone|telefon privat|telephone personnel|telefono particular|家庭电话|自宅電話|\
    private phone|personal phone|tel privat|privatnummer|telefono casa|telefone residencial|prive telefoon|telefon prywatny|домашний телефон|자택전화
    fax: fax|business fax|telefax|传真|ファックス|\
    fax no|fax number|faxnummer|telecopie|numero fax|faks|факс|팩스|ｆａｘ
    address: address|work address|business address|postal address|adresse|direccion postal|地址|住所|\
    office address|street address|anschrift|dienstanschrift|direccion|indirizzo|endereco|adres|адрес|주소
    other_phones: additional phones
    other_emails: alternate emails
    employee_number: employee id
    url: web page|website
    languages: language
    note: notes
    section: level 5|org level 5|sub team|ebene 5|niveau 5|nivel 5|livello 5|sub unit|五级部门
    department_id: dept code|dept id|dept no|department code|department id|department number|org unit id|org unit code|\
    organizational unit id|abteilungsnummer|abteilungs nr|abteilungskurzel|abt nr|orgeinheit nr|\
    organisationseinheit nr|code departement|code service|codigo de departamento|codigo departamento|\
    codice reparto|codigo do departamento|codigo do setor|afdelingscode|afdelingsnummer|\
    kod dzialu|код подразделения|код отдела|부서코드|部門コード|所属コード|部署コード|部门编号|部门编码|部门id
    left: termination date|date of leaving|leaving date|leave date|last day|last working day|exit date|end date|\
    separation date|date left|terminated|employment end date|contract end date actual|\
    austrittsdatum|austritt|austritt am|ausgeschieden am|enddatum|\
    date de sortie|date sortie|date de depart|date fin|fecha de baja|fecha baja|fecha de salida|\
    data cessazione|data di cessazione|data uscita|data de desligamento|data de demissao|desligamento|\
    datum uit dienst|uit dienst|einddatum|data zwolnienia|data odejscia|\
    дата увольнения|увольнение|퇴사일|퇴직일|退職日|退社日|退職年月日|离职日期|离职时间|離職日期
    status: status|employee status|worker status|employment state|work status|active status|mitarbeiterstatus|\
    beschaftigungsstatus|etat|estado|estado del empleado|situacion|stato|stato dipendente|situacao|\
    stan|status pracownika|статус|состояние|재직상태|재직구분|상태|在職区分|在籍区分|状態|\
    状态|员工状态|在职状态|人员状态
    disabled: disabled|blocked|locked|gesperrt|禁用|账号禁用|禁用状态|帐号禁用
    pronouns: pronouns|pronomen|pronoms|pronombres
    building: building|site|gebaude|batiment|edificio|楼|建物|\
    bldg|edificio sede|fabbricato|predio|gebouw|budynek|здание|건물|楼宇|大厦
    """.split(separator: "\n").map { line in
      let parts = line.split(separator: ": ")
      return (parts[0], parts[1].split(separator: "|"))
    }

  /// The headings of a column, from the most usual to the rarest.
  static func headings(of key: String) -> [Substring] {
    words.first { $0.key == key }?.headings ?? []
  }
}
