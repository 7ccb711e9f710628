/// What the columns of personnel lists are called: the only place that says so beside `KnownField`.
///
/// English, German, French, Spanish, Chinese and Japanese headings, among them those of exports by
/// Workday, SAP (ERP HCM and SuccessFactors), BambooHR, Personio, WeCom and Feishu. Compared are
/// headings without accents, case and signs.
package enum HeadingCatalogue {
  /// What a column may hold, a key of a mapping or a part of a value, and its headings.
  ///
  /// A column named `id` or `no` holds the id where there is no other one (`number`); beside another
  /// one it is mostly the row's number.
  package static let words: [(key: Substring, headings: [Substring])] = """
    id: personnel no|personnel number|pers no|employee id|employee number|employee no|employee|emp id|\
    staff id|staff no|staff number|worker id|user id|userid|person id|employee code|\
    emp no|employee nr|person number|payroll no|payroll number|ma nr|ma nummer|\
    personalnummer|personal nr|pers nr|persnr|mitarbeiternummer|mitarbeiter nr|mitarbeiter id|\
    matricule|numero de matricule|id salarie|numero employe|identifiant|\
    numero de empleado|no de empleado|n de empleado|id de empleado|legajo|codigo de empleado|\
    工号|员工id|员工编号|员工工号|人员编号|帐号|账号|用户id|职工号|員工編號|社員番号|従業員番号|職員番号|社員id
    number: id|no|nr|编号|編號|番号
    name: full name|name|employee name|worker|worker name|legal name|display name|preferred full name|\
    vollstandiger name|mitarbeiter|mitarbeitername|anzeigename|\
    nom complet|nom et prenom|nom prenom|salarie|collaborateur|\
    nombre completo|nombre y apellidos|apellidos y nombre|empleado|\
    姓名|员工姓名|名字|名前|氏名|社員名|従業員名
    given_name: first name|firstname|given name|forename|legal first name|preferred first name|vorname|rufname|\
    prenom|nombre|nombres|nombre de pila|名|名 名前
    family_name: last name|lastname|family name|surname|legal last name|nachname|familienname|zuname|\
    nom|nom de famille|apellido|apellidos|primer apellido|姓|氏|苗字
    company: company|company name|legal entity|subcompany|entity|gesellschaft|firma|unternehmen|\
    societe|entreprise|entite|empresa|sociedad|公司|公司名称|所属公司|会社|会社名|法人
    business_unit: business unit|geschaftsbereich|personnel area|personalbereich|unite commerciale|\
    unidad de negocio|事业部|事業部|一级部门|本部
    division: division|bereich|direction|direccion|sector|部門 大|部門|部|二级部门|統括部
    department: department|department path|department name|dept|org unit|organizational unit|\
    organisational unit|organization|organisation|supervisory organization|orgunit|\
    org unit path|text organisationseinheit|\
    abteilung|organisationseinheit|orgeinheit|org einheit|fachabteilung|\
    departement|service|departamento|area|\
    部门|所属部门|所在部门|部门名称|部门路径|三级部门|部署|所属|所属部署|部署名
    team: team|group|sub department|unit|section|gruppe|untergruppe|equipe|groupe|equipo|grupo|\
    组|小组|团队|四级部门|課|チーム|グループ|係
    title: title|job title|business title|position|position title|job|role|job profile|job name|\
    stelle|planstelle|funktion|stellenbezeichnung|berufsbezeichnung|jobtitel|positionsbezeichnung|\
    poste|fonction|intitule du poste|emploi|cargo|puesto|puesto de trabajo|\
    职务|职位|岗位|职称|头衔|役職|役職名|職位|職種|肩書
    email: email|e mail|mail|email address|e mail address|work email|email work|business email|\
    primary work email|email primary work|company email|e mail adresse|mailadresse|email adresse|\
    e mail geschaftlich|dienstliche e mail|courriel|adresse e mail|adresse email|adresse mail|\
    correo|correo electronico|correo corporativo|\
    邮箱|企业邮箱|工作邮箱|电子邮箱|邮件|メール|メールアドレス|電子メール
    phone: phone|telephone|work phone|phone work|business phone|office phone|phone number|\
    primary work phone|phone primary work|telephone number|telefon dienstlich|telefon|telefonnummer|telefon geschaftlich|festnetz|durchwahl|\
    telephone fixe|telephone professionnel|numero de telephone|telefono|telefono fijo|\
    telefono trabajo|座机|电话|办公电话|固定电话|联系电话|電話|電話番号|内線
    mobile: mobile|mobile phone|cell|cell phone|mobile number|cellphone|work mobile|\
    mobil|handy|mobiltelefon|mobiltelefon geschaftlich|mobiltelefon dienstlich|handynummer|mobilnummer|mobile professionnel|portable|\
    telephone portable|telephone mobile|movil|telefono movil|celular|\
    手机|手机号|手机号码|移动电话|携帯|携帯電話|携帯番号
    manager: manager|manager name|manager id|supervisor|reports to|reporting to|line manager|\
    worker s manager|manager email|supervisor id|supervisor name|supervisor email|\
    vorgesetzter|vorgesetzte|vorgesetzte r|fuhrungskraft|vorgesetzter name|vorgesetzter e mail|\
    responsable|superieur|superieur hierarchique|n 1|jefe|supervisor directo|responsable directo|\
    直属上级|上级|直接上级|汇报对象|主管|上司|上長|直属上司
    joined: hire date|start date|date of hire|original hire date|entry date|joined|date joined|\
    joining date|eintrittsdatum|einstellungsdatum|eintritt|startdatum|\
    date d embauche|date d entree|fecha de ingreso|fecha de alta|fecha de contratacion|\
    入职日期|入职时间|入社日|入社年月日
    birthday: birthday|date of birth|birth date|dob|geburtsdatum|geburtstag|date de naissance|\
    fecha de nacimiento|生日|出生日期|生年月日|誕生日
    office: office|location|work location|office location|room|standort|buro|buro standort|arbeitsort|\
    bureau|lieu de travail|localisation|site|oficina|ubicacion|lugar de trabajo|centro de trabajo|\
    工作地点|工作城市|办公地点|座位|勤務地|拠点|オフィス
    employment: employment type|worker type|employee type|employment status|employee class|\
    beschaftigungsart|mitarbeitergruppe|anstellungsart|type de contrat|tipo de contrato|\
    人员类型|员工类型|雇用形態|雇用区分
    cost_centre: cost center|cost centre|cost ctr|costcenter|kostenstelle|centre de cout|centre de couts|\
    centro de coste|centro de costos|成本中心|コストセンター
    nickname: nickname|nick name|alias|spitzname|别名|英文名|ニックネーム
    phonetic_name: name kana|氏名カナ|フリガナ|ふりがな|カナ氏名|氏名 カナ|拼音|姓名拼音
    home_phone: home phone|telefon privat|telephone personnel|telefono particular|家庭电话|自宅電話
    fax: fax|business fax|telefax|传真|ファックス
    address: address|work address|adresse|direccion postal|地址|住所
    pronouns: pronouns|pronomen|pronoms|pronombres
    building: building|gebaude|batiment|edificio|楼|建物
    """.split(separator: "\n").map { line in
      let parts = line.split(separator: ": ")
      return (parts[0], parts[1].split(separator: "|"))
    }
}
