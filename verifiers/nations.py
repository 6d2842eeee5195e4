"""Nations: names, adjectives, capitals, and the states of some."""

from typing import NamedTuple

__all__ = ["CONTAINING", "Nation", "capital_of", "nation_of"]


class Nation(NamedTuple):
    """A country, or a part of one that is treated as such."""

    name: str
    others: frozenset[str]
    capital: str


# name = other name, other name / adjective, people : capital
_TABLE = """
afghanistan / afghan, afghani, afghans : kabul
albania / albanian, albanians : tirana
algeria / algerian, algerians : algiers
andorra / andorran : andorra la vella
angola / angolan, angolans : luanda
argentina / argentine, argentinian, argentinians, argentines : buenos aires
armenia / armenian, armenians : yerevan
australia / australian, australians : canberra
austria / austrian, austrians : vienna
azerbaijan / azerbaijani, azeri : baku
bangladesh / bangladeshi, bangladeshis : dhaka
barbados / barbadian, bajan : bridgetown
belarus / belarusian, belarusians : minsk
belgium / belgian, belgians : brussels
bolivia / bolivian, bolivians : la paz
bosnia and herzegovina = bosnia / bosnian, bosnians : sarajevo
botswana / motswana : gaborone
brazil / brazilian, brazilians : brasilia
bulgaria / bulgarian, bulgarians : sofia
cambodia / cambodian, khmer : phnom penh
cameroon / cameroonian : yaounde
canada / canadian, canadians : ottawa
chile / chilean, chileans : santiago
china = peoples republic of china, prc / chinese : beijing
colombia / colombian, colombians : bogota
costa rica / costa rican, costa ricans : san jose
croatia / croatian, croat, croats : zagreb
cuba / cuban, cubans : havana
cyprus / cypriot, cypriots : nicosia
czech republic = czechia / czech, czechs : prague
denmark / danish, dane, danes : copenhagen
ecuador / ecuadorian : quito
egypt / egyptian, egyptians : cairo
england / english, englishman : london
estonia / estonian, estonians : tallinn
ethiopia / ethiopian, ethiopians : addis ababa
fiji / fijian, fijians : suva
finland / finnish, finn, finns : helsinki
france / french, frenchman : paris
germany / german, germans : berlin
ghana / ghanaian, ghanaians : accra
greece / greek, greeks : athens
guatemala / guatemalan : guatemala city
haiti / haitian, haitians : port-au-prince
honduras / honduran : tegucigalpa
hungary / hungarian, hungarians : budapest
iceland / icelandic, icelander : reykjavik
india / indian, indians : new delhi
indonesia / indonesian, indonesians : jakarta
iran / iranian, iranians : tehran
iraq / iraqi, iraqis : baghdad
ireland = republic of ireland / irish, irishman : dublin
israel / israeli, israelis : jerusalem
italy / italian, italians : rome
ivory coast = cote divoire / ivorian : yamoussoukro
jamaica / jamaican, jamaicans : kingston
japan / japanese : tokyo
jordan / jordanian, jordanians : amman
kazakhstan / kazakh, kazakhstani : astana
kenya / kenyan, kenyans : nairobi
kosovo / kosovar, kosovan : pristina
kuwait / kuwaiti : kuwait city
laos / laotian, lao : vientiane
latvia / latvian, latvians : riga
lebanon / lebanese : beirut
liberia / liberian : monrovia
libya / libyan, libyans : tripoli
lithuania / lithuanian, lithuanians : vilnius
luxembourg / luxembourgish : luxembourg city
madagascar / malagasy : antananarivo
malaysia / malaysian, malaysians : kuala lumpur
malta / maltese : valletta
mexico / mexican, mexicans : mexico city
monaco / monegasque : monte carlo
mongolia / mongolian, mongol, mongolians : ulaanbaatar
montenegro / montenegrin : podgorica
morocco / moroccan, moroccans : rabat
mozambique / mozambican : maputo
myanmar = burma / burmese : naypyidaw
namibia / namibian : windhoek
nepal / nepalese, nepali : kathmandu
netherlands = holland / dutch, dutchman : amsterdam
new zealand / new zealander, new zealanders : wellington
nicaragua / nicaraguan : managua
nigeria / nigerian, nigerians : abuja
north korea / north korean, north koreans : pyongyang
northern ireland / northern irish : belfast
norway / norwegian, norwegians : oslo
pakistan / pakistani, pakistanis : islamabad
panama / panamanian : panama city
paraguay / paraguayan : asuncion
peru / peruvian, peruvians : lima
philippines / filipino, philippine, filipinos : manila
poland / polish, pole, poles : warsaw
portugal / portuguese : lisbon
qatar / qatari : doha
romania / romanian, romanians : bucharest
russia = russian federation / russian, russians : moscow
rwanda / rwandan : kigali
saudi arabia / saudi, saudi arabian, saudis : riyadh
scotland / scottish, scot, scots, scotsman : edinburgh
senegal / senegalese : dakar
serbia / serbian, serb, serbs : belgrade
singapore / singaporean : singapore
slovakia / slovak, slovakian, slovaks : bratislava
slovenia / slovenian, slovene : ljubljana
somalia / somali, somalian, somalis : mogadishu
south africa / south african, south africans : pretoria
south korea = republic of korea / south korean, south koreans : seoul
soviet union = ussr, union of soviet socialist republics / soviet, soviets :
spain / spanish, spaniard, spaniards : madrid
sri lanka / sri lankan, sri lankans : colombo
sudan / sudanese : khartoum
sweden / swedish, swede, swedes : stockholm
switzerland / swiss : bern
syria / syrian, syrians : damascus
taiwan / taiwanese : taipei
tanzania / tanzanian : dodoma
thailand / thai, thais : bangkok
trinidad and tobago / trinidadian : port of spain
tunisia / tunisian, tunisians : tunis
turkey = turkiye / turkish, turk, turks : ankara
uganda / ugandan, ugandans : kampala
ukraine / ukrainian, ukrainians : kyiv
united arab emirates = uae / emirati : abu dhabi
united kingdom = uk, great britain, britain / british, briton, britons : london
united states = us, usa, united states of america, america / american, americans : washington
uruguay / uruguayan : montevideo
uzbekistan / uzbek, uzbekistani : tashkent
venezuela / venezuelan, venezuelans : caracas
vietnam / vietnamese : hanoi
wales / welsh, welshman : cardiff
yemen / yemeni : sanaa
zambia / zambian : lusaka
zimbabwe / zimbabwean : harare
"""
_STATES = {
    "united states": """alabama al, alaska ak, arizona az, arkansas ar, california ca, colorado co, connecticut ct,
        delaware de, florida fl, georgia ga, hawaii hi, idaho id, illinois il, indiana, iowa ia, kansas ks, kentucky ky,
        louisiana la, maine, maryland md, massachusetts ma, michigan mi, minnesota mn, mississippi ms, missouri mo,
        montana mt, nebraska ne, nevada nv, new hampshire nh, new jersey nj, new mexico nm, new york ny,
        north carolina nc, north dakota nd, ohio oh, oklahoma ok, oregon, pennsylvania pa, rhode island ri,
        south carolina sc, south dakota sd, tennessee tn, texas tx, utah ut, vermont vt, virginia va, washington wa,
        west virginia wv,
        wisconsin wi, wyoming wy""",
    "canada": """alberta, british columbia bc, manitoba, new brunswick, newfoundland, nova scotia, ontario, quebec,
        saskatchewan""",
    "australia": "new south wales nsw, queensland, south australia, tasmania, victoria, western australia",
}
_KINGDOM = ("england", "scotland", "wales", "northern ireland")


def _read() -> dict[str, Nation]:
    found: dict[str, Nation] = {}
    for row in _TABLE.strip().splitlines():
        names, _, capital = row.partition(":")
        called, _, adjectives = names.partition("/")
        name, _, others = called.partition("=")
        words = [word.strip() for word in (*others.split(","), *adjectives.split(",")) if word.strip()]
        nation = Nation(name.strip(), frozenset(words), capital.strip())
        for word in (nation.name, *words):
            found[word] = nation
    return found


_NATIONS = _read()
_CAPITALS = {nation.capital: nation.name for nation in _NATIONS.values() if nation.capital}
CONTAINING: dict[str, str] = {}
"""Maps regions that may follow a place, in lower case, to their nations."""
for _nation in _NATIONS.values():
    for _word in (_nation.name, *_nation.others):
        if (
            _word in ("uk", "us", "usa", "uae", "ussr")
            or _word == _nation.name
            or _word.endswith(("britain", "america"))
        ):
            CONTAINING[_word] = "united kingdom" if _nation.name in _KINGDOM else _nation.name
for _country, _listed in _STATES.items():
    for _state in _listed.split(","):
        _words = _state.split()
        _short = _words.pop() if len(_words[-1]) <= 3 and len(_words) > 1 else ""
        CONTAINING.setdefault(" ".join(_words), _country)
        if _short:
            CONTAINING[_short] = _country


def nation_of(text: str) -> str | None:
    """Return the nation that a text in lower case names, by its name or by the adjective; None for other texts.

    >>> nation_of("french"), nation_of("usa"), nation_of("paris")
    ('france', 'united states', None)
    """
    nation = _NATIONS.get(text)
    return nation.name if nation else None


def capital_of(text: str) -> str | None:
    """Return the nation whose capital a text in lower case is.

    >>> capital_of("paris"), capital_of("lyon")
    ('france', None)
    """
    name = _CAPITALS.get(text)
    return "united kingdom" if name in _KINGDOM else name
