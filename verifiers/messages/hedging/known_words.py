"""The words of a plain statement of an answer: what a message that shows no work may say beside its value."""

__all__ = ["KNOWN_WORDS", "QUANTITIES"]

_FUNCTION = """
    an the this that these those it its he his she her him they their them we our us you your is are was were
    be been being am has have had having do does did will can must of to in on at by for from with into over
    per each every all both and as so thus hence therefore then now finally here there which who what than out
    off up down if one two three
"""
_STATING = """
    answer answers result results solution solutions value values final correct right exact exactly equals
    equal get gets got getting give gives gave giving given find finds found obtain obtains obtained conclude
    know see shows show yields yield makes make made come comes came works work leaves leave left leaving
    remains remain remaining follows follow means mean implies imply becomes become simplifies simplify reduces
    evaluates amounts turns total overall altogether conclusion consequently accordingly summary short brief ok
    okay sure yes no hi hello hey great done voila namely simply just only also together combined same again
    still calculated computed calculation calculate compute computing solving solve adding add added
    subtracting subtract multiplying multiply dividing divide simplifying simplified evaluating taking using
    use combining let's lets it's that's there's here's we're we've you're you've he's she's i've collect
    expand expanding factor combine substitute substituting plug plugging middle you'll we'll they'll i'll
    takes take pulling moving isolate rearrange rearranging squaring doubling halving counting components
    component question problem required asked desired unknown ans sol qed equation expression function let like
    happy help helps hope enjoy glad thanks thank welcome please feel free ask any more other questions good
    luck day nice my known called wanted four five six seven eight nine ten
"""
_QUANTITIES = """
    sum difference product quotient remainder total number count area perimeter volume length width height
    depth radius diameter circumference distance speed velocity rate time age weight mass price cost amount
    profit change discount tax percentage percent fraction ratio average mean median mode range probability
    chance angle slope degree side sides edge base hypotenuse square root cube power factor multiple divisor
    digit digits integer integers roots zero zeros point points vertex vertices center centre midpoint interval
    intercept domain line curve circle triangle polynomial derivative integral limit determinant matrix vector
    set sequence term terms minimum maximum min max least greatest smallest largest highest lowest coefficient
    constant variable exponent period amplitude frequency temperature salary income score balance bill
"""
_MATHEMATICS = """
    real complex positive negative even odd prime whole rational common possible distinct different ordered
    pair pairs numerator denominator formula formulas logarithm logarithms read since because needed arabic
    numerals closest decimal form simplest standard notation unit units place places nearest approximately
    about inverse reciprocal opposite absolute satisfying satisfies where when such open closed half infinitely
    many none modulo mod times plus minus squared cubed pi sqrt sin cos tan log ln exp twice natural missing cm
    mm km kg mg ml ft inch inches foot feet yard yards mile miles meter meters metre metres second seconds
    minute minutes hour hours days week weeks month months year years old dollar dollars cent cents euro euros
    usd eur degrees liter liters litre litres gallon gallons pound pounds ounce ounces gram grams kilogram
    kilograms ton tons mph kmh kph newton newtons joule joules watt watts volt volts amp amps ohm ohms mol
    moles cubic option choice letter true false
"""
_OTHER_LANGUAGES = """
    la le les el los las un une una der die das den dem ein eine il lo et und es est ist sono son sont sind sei
    respuesta réponse reponse antwort ergebnis resultado résultat risposta risultato resposta solución lösung
    donc por tanto quindi portanto ainsi así somit daher deshalb finale endgültige correcta richtige ответ
    равен итак значит таким образом получаем решение результат jibu ni jawaban adalah
"""
QUANTITIES = frozenset(_QUANTITIES.split())
KNOWN_WORDS = QUANTITIES.union(*(words.split() for words in (_FUNCTION, _STATING, _MATHEMATICS, _OTHER_LANGUAGES)))
"""Words in lower case; one that is not among them counts as unknown, whatever it means."""
