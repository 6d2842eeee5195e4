"""The patterns of a sentence whose values are masked: what states a value, what only stands beside it."""

import re

from turnwise.verifiers.messages.clause import FIRST, LAST, PLACE

__all__ = [
    "AMOUNT",
    "ANNOUNCED",
    "ARITHMETIC",
    "ASIDE",
    "AWAY",
    "BARE",
    "BEFORE",
    "CHAINED",
    "CONTINUED",
    "CONTRASTED",
    "COUNT",
    "DEFINITE",
    "DENIED",
    "DIGITS",
    "EITHER",
    "ELLIPTIC",
    "FOLLOWS",
    "FORM",
    "FRAGMENT",
    "GOES_ON",
    "GROUNDS",
    "HARMLESS",
    "IN_TOTAL",
    "LABELLED",
    "LATER",
    "LEADS",
    "LEFT",
    "LISTED",
    "MAX_CHARS",
    "NOTATION",
    "NOUN",
    "NO_LABEL",
    "NO_RESULT",
    "NUMBER_WORDS",
    "OBJECT",
    "OFFERS",
    "OPEN",
    "OR_ASIDE",
    "OTHER_SCRIPT",
    "PHRASE",
    "POSED",
    "PURPOSE",
    "REASON",
    "RECEIVED",
    "REQUIRED",
    "RESTATES",
    "SAME_AGAIN",
    "SIDE_BY_SIDE",
    "SUBJECT",
    "TAKES_BACK",
    "TWO_STATED",
    "UNFINISHED",
    "UNIT",
    "VALUE",
    "VALUES",
    "WHAT",
    "WORDED",
    "WORDY",
    "P",
]

P = PLACE
MAX_CHARS = 600
NOUN = (
    r"(?!(?:and|or|but|is|are|was|were|if|not|than|of|in|for|to|so|with|which|that|from|at|by|as|on)\b)"
    r"[A-Za-z][\w'’/²³-]*\.?"
)
CIRCUMSTANCE = (
    r"(?:after|before|until|in|over|for|during|per|on|within|with|from|by|each|every|of|at|into|through|to|across"
    r"|between|per|an?|around|out of|because of|starting|using|as|[a-z]{2,}ing)"
)
OFFERS = re.compile(
    r"\b(?:or(?! equivalently)|either|else|otherwise|alternatively|though|although|unless|whereas|except|nor|neither"
    r"|depending|whichever|respectively|instead|rather|versus|vs|try|ruled|wrong|incorrect|mistaken|false"
    r"|but|not|cannot|if|whether|candidates?|options?|attempts?|cases?|methods?|guess(?:es)?|interpretations?|readings?"
    r"|estimates?|limits?|bounds?|hints?|could|can be as)\b|n't\b|[?？]",
    re.IGNORECASE,
)
NO_RESULT = re.compile(  # what is stated is known not to be the result, or not to be all of it
    r"\b(?:(?:upper|lower|previous|partial|intermediate|common|naive|quick|rough|wrong|first|initial|other"
    r"|another|wrong) (?:bound|limit|total"
    r"|result|sum|mistake|answer|count|value|estimate|try|attempt|guess|idea|thought|question|problem)s?(?! problem)"
    r"|estimate[sd]?|claim(?:s|ed)?|expects|grad(?:er|ing)|rubric|answer key"
    r"|(?:the|my|our) (?:goal|target|hint)|in (?:one|another|that|some|the (?:best|worst)) (?:case|reading|sense"
    r"|interpretation)|so far|until now"
    r"|leads? nowhere|to be (?:checked|verified|seen|shown|proved)|only candidate|plus something|and change"
    r"|point something|give or take|thereabouts"
    r"|some (?:people|say)|to another|next to|in mind|as a factor|(?:is|are) given(?! by)"
    r"|(?<!we )(?<!you )(?<!you'll )(?:wants?|wanted)|would get|forgetting|by zero"
    r"|in (?:the |this )?case|comes? to mind|mentions?|verify|acceptable|as a possible|(?:is"
    r"|are) an? (?:multiple|divisor|factor) of .{1,15}$"
    r"|(?<!to )starts? (?:at|with|from)|half of it|digit is|error is|difference to"
    r"|before tax|without tax|not counting the rest"
    r"|the (?:problem|question|prompt|task|book|textbook) (?:gives|has|says|states|mentions|asks)|plausible"
    r"|(?:answer|result|total) (?:plus|minus|times) [a-z]+|its (?:square|negative|opposite|reciprocal|double"
    r"|half|inverse))\b"
    r"|^(?:input|given|known|start|target|confidence|range|discarded|estimated|rejected|unverified"
    r"|maximum possible)[^:]{0,20}:(?![0-9]{2}\b)",
    re.IGNORECASE,
)
ASIDE = re.compile(r"\s*\(([^()]*)\)")
FORM = re.compile(  # (about 113.1); (1200 g); (48 = 12 * 4)
    rf"(?:about|approximately|approx\.?|roughly|around|≈|~|=|i\.e\.,?|that is,?)?\s*{P}(?:\s{NOUN}){{0,6}}"
    rf"(?:\s(?:and|plus|from|to|of|is|of the|in)\s[^()]*)?|[A-Za-z' ,:-]*{P}[^()]*",
    re.IGNORECASE,
)
SAME_AGAIN = re.compile(  # because it is 9
    rf"\W*(?:because|since|as|given that) (?:it|that|this|the (?:answer|result|value|total|sum)) (?:is|equals"
    rf"|gives|makes) {P}",
    re.IGNORECASE,
)
REASON = re.compile(
    rf"[,;]?\s+(?:because|since|given that|due to|seeing that|where|when (?:you|we) (?:divide|simplify|cancel"
    rf"|reduce|multiply|add|subtract|factor|plug|substitute)|as(?=\s(?:{P}|the|there|it|they|we|each|both"
    rf"|all|an?"
    r"|he|she|you|most|half|\w+s\b)\s?)(?!\s\w+\sas\b))\b.*",
    re.DOTALL,
)
BEFORE = re.compile(  # a clause or phrase in front of the main clause
    r"(?:after|before|when(?:ever)?|once|since|because|as|with|without|given|by|at|on|in|over|during|while|for"
    r"|if|out of|from"
    r"|starting|of|to|per|using|through|until|note that|let|which|not counting|not including|excluding|besides"
    r"|apart from|[a-z]{2,}ing|[a-z]{2,}ed|multipl\w+|divid\w+|add|subtract"
    r"|split|take|convert|rewrite|combine|distribute|plug|factor|count\w*|list|just|remember)\b[^,:;]*,\s+"
    rf"(?:(?:and|then|so)\s+)?(?=.*{P})",
    re.IGNORECASE,
)
LEADS = re.compile(
    r"\s*(?:(?:so|thus|hence|therefore|then|and|now|finally|okay|sure|overall|in total|in all|altogether|all in all"
    r"|together|in conclusion|consequently|as a result|well|yes|great|right|ok|in the end|this means(?: that)?"
    r"|that means(?: that)?|meaning|it follows that|we see that|we find that|we conclude that"
    r"|we know that)\b[,:!]?\s*)+",
    re.IGNORECASE,
)
FOLLOWS = re.compile(
    r"\b(?:so|thus|hence|therefore|then|which (?:makes|leaves|gives|means|brings|works out|comes|adds|yields|results"
    r"|simplifies|reduces|evaluates)"
    r"|leaving|making|giving|leaves|makes|meaning|yielding|bringing|total|altogether|in all|left|remain\w*"
    r"|result\w*|combined"
    r"|that(?:'s|’s| is| makes| leaves| gives| means| comes| brings)|finally|overall|forces|whole|missing|all together"
    r"|we(?:'re|’re| get| find| have| obtain| end up)|you(?:'re|’re| get|'ll find|'ll get)|and once|and after)\b",
    re.IGNORECASE,
)
STATES = (
    r"(?:is|are|was|were|be|been|equals?|equal to|has|have|had|having|costs?|makes?|made|gives?|gave|giving"
    r"|gets?|got|getting|leaves?"
    r"|leaving|left with|left at|left|needs?|needed|takes?|took|earns?|earned|pays?|paid|paying|spends?|spent"
    r"|saves?|saved|sells?|sold|buys?|bought"
    r"|weighs?|measures?|contains?|holds?|carr(?:y|ies)|reads?|eats?|ate|received|used|runs?|ran|walks?|drives?"
    r"|flies|covers?"
    r"|scores?|scored|totals?|yields?|reach(?:es)?|becomes?|means|means that|obtain|find|found|see|sits? at"
    r"|lies at|stands at|lands? on"
    r"|happens (?:exactly |precisely |only )?(?:for|when|if|at)|forces|lasts?|uses?|produces?|collects?"
    r"|receives?|numbers?|amounts to|comes?(?: out)? (?:to|as|at)|takes up|counts?"
    r"|(?:flows?|travels?|moves?|goes|cruises?|works?|runs?|starts?|ends?|stays?|peaks?|settles?|sells?) (?:at|for)"
    r"|(?:arrives?|meets?|intersects?|cross(?:es)?|located|centered|lies|lie) (?:at|in|after)|(?:differ|differs|rose"
    r"|fell|went up|went down|increased|decreased|grew|dropped|shrank|reduced|changes?) by|corresponds? to"
    r"|(?:sequence|series|expression|limit|function|quotient|ratio|fraction|sum|product|integral)"
    r" (?:tends? to|converges? to|approach(?:es)?)"
    r"|multiplies out to|results? in|ends? in|(?:mapped|sent|transformed|moved|reflected|taken|simplified|reduced) to"
    r"|the same as|owes?|finish(?:es)? in|puts in|pocket|buying|cost|end(?:s|ed)? up (?:with|buying|having|at"
    r"|paying|at)?"
    r"|(?:simplif(?:y|ies)|reduc(?:e|es)|evaluates?|works? out|works out|adds? up|boils? down|collapses?"
    r"|sums? up|sums|rounds?|turns? out"
    r"|converts?|expands?|factors?|drops?|rises?|increases?|brings (?:us|it|him|her|them)|takes (?:you|us) down"
    r"|takes you|down|up) (?:to|at|as|to be|into)"
    r"|(?:written|expressed) as|written|making|meaning|namely|pops|defined (?:for|on|when|if)|(?:is"
    r"|are) (?:given|solved"
    r"|described|satisfied) by"
    r"|for a(?: grand)? total of|[A-Za-z]+['’]re [a-z]+ing|[A-Za-z]+['’](?:s|re|ll be|ll have|d be|d have"
    r"|ll [a-z]+|d [a-z]+|ve [a-z]+)"
    r"|(?:will|would|can|must|has to|have to|needs to|need to|had to|to|ll|d|'ll|’ll|'d) [a-z]+(?: [a-z]+ed"
    r"| [a-z]+en)?)"
)
FILL = (
    r"(?:\s(?:an? (?:[a-z]+ )?[a-z]+ of|[A-Z][a-z]+|a|an|the|us|me|you|him|her|them|it|now|only|still|just|also"
    r"|exactly|precisely|simply|about|approximately|roughly|total|grand"
    r"|of|sum|product|altogether|again|therefore|thus|then|hence|in|out|to|as|be|equal|left|with|being|get|find"
    r"|have|had"
    r"|value|number|back|up|down|vector|interval|point|pair|set|ordered|half-open|open|closed|fraction"
    r"|expression|exact|around|remainder|another"
    r"|final|result|answer|solution|fractions?|possible|different|takes|its|whole|standard|at|on|over|for"
    r"|average|all|two|three|four|five|six|real|distinct|integer|rational|complex|area|volume|length|width|height|perimeter|circumference|radius|diameter|slope|mass|weight"
    r"|speed|rate|price|probability|chance|age|depth|distance|coordinates|equation|solutions|roots|zeros|point"
    r"|there|here|currently|today|already|nearly|presently))"
)
OBJECT = re.compile(rf"(?<![\w'’])(?P<verb>{STATES})(?P<fill>{FILL}{{0,6}}?):?\s(?P<value>{P})")
TWO_STATED = re.compile(  # Tom is 10 and his father is 40: what was asked for is not said
    rf"(?<![\w'’])(?:{STATES}){FILL}{{0,6}}?:?\s{P}[^{FIRST}-{LAST},;:]*,?\s(?:and|while|whereas)\s"
    rf"(?!(?:it|that|this|s?he|they|we|you|i)\b)(?P<second>(?:[A-Za-z'’]+\s){{1,5}}?(?:{STATES}){FILL}{{0,6}}?\s"
    rf"{P}(?:\s{NOUN}){{0,4}}[^{FIRST}-{LAST},;:]*$)"
)
OPEN = re.compile(  # The tank gains 3 litres; James responds to 320 emails
    rf"(?!(?:By|In|At|On|See|Take|Try|Let|Of|For|To|With|From|As|After|Before|Use|Step|Page|Problem|Case|If"
    rf"|Since|Add|Subtract|Divide|Multiply|Find|Note)\b)(?:[Tt]he|[Aa]n?|[Ee]ach|[Ee]very|[A-Z][a-z]+|[Hh]e"
    rf"|[Ss]he|[Ii]t|[Tt]hey|[Ww]e|[Yy]ou|[Ii])\b(?:\s[A-Za-z'’,-]+|\s{P}){{0,12}}?"
    rf"\s(?!\w+ing\b)[a-z]{{3,}}(?:\s(?:up|to|off|out|down|in|with|for|on|at|by|a total of|an? average of|about"
    rf"|only|exactly|altogether)){{0,3}}"
    rf"\s(?P<value>{P})(?P<noun>(?:\s(?!times\b|less\b|fewer\b){NOUN})?)"
)
COUNT = re.compile(  # 52 seeds sprout; 12 apples remain; 14 of the pens are left
    rf"(?:(?i:there(?:'s|\sis|\sare|\swere|\swas|\swill be)|still|exactly|only|just|all)\s)*(?P<value>{P})"
    rf"(?P<noun>(?:\s{NOUN}){{1,5}}?|(?:\sof\s[#a-z'’A-Z ]+)?)"
    rf"(?:\s(?:is|are|were|was|will|can|remain|left|in|for|per|on|each|every|of|at|from|to|with|who|that"
    rf"|altogether|drive|make|do)\b[^.]*|\s[a-z]+(?:\s[A-Za-z'’-]+){{0,6}})?"
)
EITHER = re.compile(
    rf"(?:.*\s)?[a-z] (?:is|equals|must be|can be|has to be) (?:either )?(?P<one>{P}) or (?P<two>{P})"
)  # two roots
WHAT = re.compile(
    rf"(?P<value>{P})(?:\s{NOUN}){{0,3}}(?:\s(?:is|are|being)\s(?:what|the|our|your)\b[^.]*|,?\s(?:it|that) is)", re.I
)
RECEIVED = re.compile(
    r"(?:her|him|them|us|me|you|it|[A-Z][a-z]+)\s(?:(?:with|at|to)\s)?(?:a (?:grand )?total of |only |exactly )?"
)
FRAGMENT = re.compile(  # Ends at 22:05
    r"(?!(?:Plus|Minus|Times|Less|Guess|Across|Towards|Exceeds|Perhaps|Always|Versus|Besides|Is|Was|Has|Does)\b)"
    rf"[A-Z][a-z]{{2,}}s (?:(?:at|to|on|in|with|by|for|up to) )?(?P<value>{P})(?P<noun>(?:\s{NOUN}){{0,3}})"
)
BARE = re.compile(
    rf"(?P<value>{P})(?P<noun>(?:\s{NOUN}){{0,5}})(?:\s(?:{CIRCUMSTANCE})\s[^.,;]*)?"
    r"(?:,? (?:in all|in total|altogether|total))?"
)
LABELLED = re.compile(
    rf"(?P<label>[A-Za-z∴][^:\n=?]{{0,120}}?)\s*(?::|=)\s*(?P<value>{P})(?P<noun>(?:\s{NOUN}){{0,4}})"
)
NO_LABEL = re.compile(
    r"\b(?:option|case|guess|try|attempt|only candidate|method|step|format|example|not|plan|hint|grader|system"
    r"|user|question"
    r"|gold|reference|expected|alternative|maybe|check|note|page|line|possible|would|output|either|or)\b"
    r"|^(?:[A-Za-z]|first|second|third)$|\d|[a-z][._][a-z]",
    re.IGNORECASE,
)
GOES_ON = re.compile(
    rf"\s*(?:in|out of|to|over|by)\s{P}(?!\s[a-z])|"
    r"\s(?!and\b|or\b|is\b|are\b)(?:[a-z]+ )?(?:below|above|short of|away from|ahead of)\s(?:the|its|his|her|their"
    r"|that|this|zero)\b|"
    r"\s*(?:squared|cubed|times|plus|minus|divided|multiplied|percent of|choose|factorial|to the|x\b|mod|modulo"
    r"|or so|or more"
    r"|hundred|thousand|million|billion|dozen|%|[-+*/×÷^=<>|∨±!]|percent (?:more|less)|(?:[a-z]+ ){0,2}(?:than"
    r"|of|by|with|and|to|from|the)\W*$|and (?:a half|more|counting)|as (?:many|much|large|big)|at (?:most|least))",
    re.IGNORECASE,
)
DEFINITE = re.compile(  # the 3 friends; her 60 seeds; a 5 day week; of the 60
    rf"(?:(?<![A-Za-z'’])(?:the|these|those|all|both|his|(?<!take )(?<!takes )(?<!took )(?<!cost )(?<!costs )her"
    rf"|their|its|our|my|your|other|first|next|last)|(?<![Tt]hat)(?<![Ii]t)(?<![Hh]e)(?<!here)(?<=[A-Za-z])['’]s"
    rf"|(?<=s)(?<!radius)\sof)\s(?:first |last |next |other |remaining )?"
    rf"{P}(?=\s[a-z])|\ban?\s{P}(?=\s[a-z]+\s[a-z])|{P}(?=-[a-z])"
)
PHRASE = re.compile(
    rf"(?:\s(?:{CIRCUMSTANCE})(?:\s(?!and\b|or\b|but\b|is\b|are\b|was\b|were\b|least\b|most\b|best\b|about\b"
    rf"|than\b)[A-Za-z'’]+){{0,4}}?\s{P})(?:\s{NOUN})?"
)
NUMBER_WORDS = re.compile(
    r"\b(?!one\b)(?:(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-(?:one|two|three|four|five|six|seven|eight|nine))?"
    r"|zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|[a-z]{3,5}teen)\b",
    re.IGNORECASE,
)
VALUE = re.compile(rf"(?P<value>{P})")
AMOUNT = re.compile(r"[$€£%°]")
LATER = re.compile(
    r"\s(?:when|while|once|until|before|after)\s(?:he|she|it|they|his|her|the|their|its|[A-Z][a-z]+)\b[^,;=]*$"
)
GROUNDS = re.compile(r"(?:if|since|because|as|not counting|not including|without)\b", re.IGNORECASE)
CONTINUED = re.compile(rf"and (?:he|she|it|they|there|the|each|a|an|[A-Z][a-z]+)\b[^,:;]*,\s+(?=.*{P})")
SIDE_BY_SIDE = re.compile(r"\b(?:or|either|otherwise|else|maybe|perhaps)\b", re.IGNORECASE)
IN_TOTAL = re.compile(
    rf".*,\s(?:for|so|that's|with) (?P<value>{P})(?:\s{NOUN}){{0,4}} (?:in total|in all|altogether|overall|total)"
)
LEFT = re.compile(
    rf"(?:.*[;,]\s+|.*\band\s|.*{P}\s[a-z]+\s)?(?:only )?(?P<value>{P})(?:\s{NOUN}){{0,2}}\s(?:(?:is|are|were"
    rf"|was|will be)\s)?(?:still )?"
    rf"(?:left|remain(?:s|ing)?|left over|missing)\b[^.{FIRST}-{LAST}]*"
)
ARITHMETIC = re.compile(  # twice 9 is 18; 2 fewer than 20 is 18
    rf"(?:twice|double|triple|half(?: of)?|a (?:half|third|quarter|fifth|tenth) of|{P} (?:more|less|fewer"
    rf"|greater) than|{P}(?: percent)? of"
    rf"|the (?:square|cube|double|half) of)(?: the)? {P}(?:\s{NOUN}){{0,2}} (?:is|are|equals|makes"
    rf"|gives) (?P<value>{P})(?:\s{NOUN}){{0,3}}",
    re.IGNORECASE,
)
WORDED = re.compile(
    rf"\b(?:root|square|cube|half|third|power|double|product|sum|quotient) of(?: the)? {P}(?: (?:and|divided by"
    rf"|by) {P})?$|\b(?:root|square) of .*{P}$|{P} (?:divided by|over|times|plus|minus) {P}$"
)
CONTRASTED = re.compile(rf"({P}(?:\s{NOUN}){{0,3}}),? (?:and )?not {P}(?:\s{NOUN}){{0,3}}$")  # 7 apples, not 8
DENIED = re.compile(  # it's not 8, it's 7; first I thought 8, but it is 7
    rf"[^;,{FIRST}-{LAST}]*(?:\bnot\b|n't\b|\bthought\b)[^;,{FIRST}-{LAST}]*{P}(?:\s{NOUN}){{0,3}}(?:[;,]"
    rf"| but\b)\s*(?:but |instead |rather )?(?=.*{P})"
)
UNFINISHED = re.compile(r"(?:[-+*/×÷=^]|\b(?:times|plus|minus|divided by))\W*$")
LISTED = re.compile(rf"(?:,\s{P})*,?\s(?:and|&)\s(?P<last>{P})(?:\s{NOUN}){{0,3}}")
DIGITS = re.compile(r"[0-9]+(?:\.[0-9]+)?")
PURPOSE = re.compile(  # 4 hours to dig 30 small holes
    rf"({P}(?:\s{NOUN}){{0,3}}(?:\s(?:is|are|was|were|will be|would be|can be) (?:needed|required|enough"
    rf"|necessary|used|available))?(?:\s(?:each|in total|in all))?) (?:in order )?to (?!be\b|the\b|a\b|an\b"
    rf"|about\b|begin\b|start\b|get\b)[a-z]+\b(?!.*\b(?:or|but)\b)[^,;]*$"
)
REQUIRED = re.compile(
    rf"(\b(?:must|needs?|requires?|has to|have to|should)\b(?:(?!\b(?:not|or)\b"
    rf"|n't)[^.,;{FIRST}-{LAST}]){{0,60}}?)\sat (?:least|most)(?=\s{P}\s[a-z]{{3,}})"
)
COMPARED = re.compile(  # the mean exceeds the median by 2
    rf"[^{FIRST}-{LAST}]*\b(?:exceeds?|exceeded|beats?|outnumbers?|outweighs?|(?:is|are|was|were) (?:[a-z]+er|more|less"
    rf"|fewer)(?: [a-z]+){{0,3}} than)\b[^{FIRST}-{LAST}]*\sby\s(?P<value>{P})(?:\s{NOUN}){{0,3}}"
)
ANNOUNCED = re.compile(rf"([^{FIRST}-{LAST}]*{P}.*):\s+(?P<value>{P})(?:\s{NOUN}){{0,3}}")
NOTATION = re.compile(  # ..., which in interval notation is [-1, 4)
    rf"(?:.*[\s,])?[Ii]n (?:interval|scientific|set|set-builder|decimal|standard|slope-intercept|vertex|factored"
    rf"|expanded|simplest|lowest"
    rf"|exponential|mixed) (?:notation|form|terms)[,:]?(?:\s(?:this|that|it|we|you|the [a-z ]+?))?(?:\s(?:is"
    rf"|becomes|reads|gets?|have|equals))?:?\s(?P<value>{P})"
)
SUBJECT = re.compile(  # the number of integers greater than 10 that are prime
    rf"(?:the|its|their|his|her)(?:\s(?!is\b|are\b|answer\b)[a-z]+){{1,4}}?"
    rf"\s(?:of|that|which|from|between|for)\s(?P<what>(?:(?!\b(?:is|equals|was|maybe|perhaps|if|answer|would"
    rf"|could|may|might|or)\b)[^.;:?=])*?)(?=\s(?:is|are|equals|was)\s(?:equal to |then |therefore |thus "
    rf"|exactly )?{P}(?:\s{NOUN}){{0,3}}$)",
    re.IGNORECASE,
)
CHAINED = re.compile(rf"[^,;{FIRST}-{LAST}]*[A-Za-z]{{3}}[^,;]*=\s*(?P<value>{P})(?P<noun>(?:\s{NOUN}){{0,4}})")
RESTATES = re.compile(
    rf"(?:,?\s+or(?=\s(?:about|approximately|roughly|around)\s{P})|,\s+or(?=\s{P})|,(?=\s(?:about|approximately|roughly)\s{P})"
    rf"|[,;]?\s+\(?(?:i\.e\.,?|that is,?|in other words,?|which (?:is|equals|simplifies to"
    rf"|reduces to|(?:is|can be) (?:the same as|written as|equal to)"
    rf"|reduces|is also)|or equivalently|equivalently|or simply))\s(?:to |on |in )?(?P<near>about |approximately "
    rf"|roughly |around |just )?(?P<value>{P})(?P<rest>[^,;]*)$",
    re.IGNORECASE,
)
OR_ASIDE = re.compile(  # 3/8 (or 37.5%); 5/18 (about 0.278)
    rf"\s\((?:or\s)?((?:about|approximately|roughly|around)\s{P}|(?<=or\s){P}(?:\s{NOUN}){{0,3}})\)(?=\W*$)"
)
AWAY = re.compile(  # after 3 hours, 210 km from where the faster train started
    rf"(?<={P}\s[a-z])([a-z]*),\s{P}(?:\s{NOUN}){{1,2}}\s(?:from|away|before|behind|ahead|short|later|earlier)\b"
    rf"[^,;{FIRST}-{LAST}]*$"
)
ELLIPTIC = re.compile(  # the first goes up to 54 m, the second to 36 m, and the third to 24 m
    rf"{P}(?:\s{NOUN}){{0,3}},\s(?:the|and)\s[a-z ]{{2,30}}\s(?:to|at|is|has|gets)?\s?{P}(?:\s{NOUN}){{0,3}},?"
    rf"\s(?:and\s)?(?:the )?[a-z ]{{2,30}}\s(?:to|at|is|has|gets)\s{P}(?:\s{NOUN}){{0,3}}$"
)
OTHER_SCRIPT = re.compile("[\u0400-\u052f\u0590-\u1cff\u3040-\ud7af]")
WORDY = re.compile(
    r"^(?:So|Thus|Hence|Then|Therefore|And|Finally|Now)\b|\bi\.e\.|['’]s [0-9$]|\([^()]*[0-9][^()]*\s[a-z]{3}"
    r"|[A-Za-z]{2}.*\s(?!\\)[A-Za-z]{2}|=.*\s[a-z]{3}|:\s",
    re.DOTALL,
)
VALUES = re.compile(rf"{P}(?:(?:,? and|,? or|[,;&])\s*{P})*(?:\s{NOUN}){{0,3}}")
HARMLESS = re.compile(r"[^\W\d_][^?？=<>]{0,80}$")
TAKES_BACK = re.compile(
    r"\b(?:not?|none|never|nope|yes|wait|wrong|incorrect|zero|impossible|actually|but|however|or|if|cannot"
    r"|unless|infinite\w*|either|maybe"
    r"|sorry|error|mistake|mistaken|false|instead|ruled|retract|correct(?:ion|ed)|reject\w*|fail\w*"
    r"|contradict\w*|unsure|verify|verified|check)\b|n't\b",
    re.IGNORECASE,
)
POSED = re.compile(
    r"[$0-9.,() ]*[0-9)]\s*(?:[-+*×÷·−]|x(?=\s*[0-9$(]))\s*[$0-9.,() ]*(?:[-+*/×÷·−$0-9.,() ]"
    r"|x(?=\s*[0-9$(]))*"
)  # 12 - 4: not worked out
UNIT = re.compile(
    r"\s*(?:more |full |whole |extra )?((?:square |cubic )?(?:seconds?|minutes?|hours?|days?|weeks?"
    r"|months?|years?|(?:[mck]m|m|ft)[²³]?"
    r"|millimeters?|centimeters?"
    r"|(?:kilo|centi|milli)?met(?:er|re)s?|[mk]?g|kgs|lbs?|m?l|(?:kilo)?grams?|pounds?|ounces?|feet|foot|inch(?:es)?"
    r"|miles?|yards?|dollars?|cents?|percent|degrees?|lit(?:er|re)s?|gallons?|quarts?|pints?|tons?|[ap]\.?m\.?"
    r"|[AP]\.?M\.?|(?:k?m|cm|ft)/(?:s|h|hr|min)(?:²|\^2)?|k?N|[kM]?J|[kM]?W|k?Pa|k?Hz|mph))\b(?!\s+per\b|/)"
)
