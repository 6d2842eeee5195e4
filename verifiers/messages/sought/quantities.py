"""Words for quantities of which a value can be but one: who asks for the radius is not told the diameter.

Each group is a tuple of patterns that exclude each other, in English and Chinese.
"""

import re

__all__ = ["QUANTITIES", "WHOLE"]

_TIMES = r"(?:[0-9]+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty)"
_GROUPS = (
    # extremes and comparisons
    (
        r"maxim\w+|larg(?:est|er)|great(?:est|er)(?! common)|big(?:gest|ger)|highest|最大(?!公)|较大",
        r"minim\w+|small(?:est|er)|(?<!at )least(?! common)|lowest|最小(?!公)|较小",
    ),
    (r"longe(?:r|st)|较长|最长", r"shorte(?:r|st)|较短|最短"),
    (r"younge(?:r|st)", r"olde(?:r|st)"),
    (r"faste(?:r|st)", r"slowe(?:r|st)"),
    (r"cheape(?:r|st)", r"more expensive|deare(?:r|st)"),
    (r"talle(?:r|st)", r"shorte(?:r|st)"),
    # changes, money
    (
        r"ris(?:e[sn]?|ing)|rose|increas\w+|gr[eo]w\w*|gain\w*|went up|增加|增长|上涨",
        r"f[ae]ll(?:s|en|ing)?|decreas\w+|declin\w+|drop\w*|shr[aiu]nk\w*|lo(?:ses?|st|ss)|went down|减少|下降|下跌",
    ),
    (
        r"positive(?=\s(?:on|for|when|if|between|in|over|where|outside|elsewhere|otherwise)\b|\?)",
        r"negative(?=\s(?:on|for|when|if|between|in|over|where|outside|elsewhere|otherwise)\b|\?)",
    ),
    (r"concave up(?:wards?)?|convex", r"concave down(?:wards?)?"),
    (r"profit\w*|gain\w*|盈利|赚了?", r"loss|los[et]s?|亏损?"),
    (
        r"pa(?:y|ys|id)|cost\w*|price[sd]?|charge[sd]?|售价|原价|支付",
        r"sav(?:es?|ed|ings?)|discount(?:s|ed)?|(?:reduced|lowered|marked down) by"
        r"|been (?:reduced|lowered|marked down|cut)(?! (?:to|from)\b)|reductions?|markdown|节省|优惠了?",
    ),
    (r"change(?= (?:does|do|did|will|should)\b|\?)|back|找回?零?", r"pa(?:y|ys|id)|cost\w*|spends?|spent|支付"),
    (r"interest|利息", r"balance|account (?:holds|contains)|(?:total|final) amount|principal|本金|本利和"),
    (
        r"original\w*|initial\w*|at first|beginning|原价|最初|原来",
        r"current\w*|final(?! answer| result| step)|eventual\w*|in the end|afterwards|降价后|最终|最后",
    ),
    (r"present(?= values?\b)", r"future(?= values?\b)"),
    (r"capacity", r"current\w*|initial\w*|at first"),
    # geometry
    (r"perimeter|circumference|周长", r"area|面积", r"volume|体积"),
    (r"radius|半径", r"diameter|直径", r"circumference"),
    (r"inscribed|inradius|incircle|内切", r"circumscribed|circumradius|circumcircle|外接"),
    (r"side|sides|边长", r"diagonals?|对角线"),
    (r"width|wide|宽", r"length|long|长"),
    (r"interior|inner|(?:third|missing|remaining|other) angle|内角|第三个角", r"exterior|outer|外角"),
    (r"edges?|棱", r"faces?|面(?!积)", r"vert(?:ex|ices)|corners?|顶点"),
    (r"tangent|切线", r"normal|法线|secant"),
    (r"slope|gradient|斜率", r"(?:[xy]-)?intercept|截距"),
    (r"x-(?:intercept|coordinate)", r"y-(?:intercept|coordinate)"),
    (r"vertex|顶点", r"(?:[xy]-)?intercepts?|focus|交点|焦点"),
    # numbers and statistics
    (r"sum(?! of (?:the )?money)", r"mean|average|平均\w*", r"median|中位数", r"mode|众数"),
    (r"variance|方差", r"standard deviation|标准差"),
    (r"domain|定义域", r"(?<!\bin the )range|值域"),
    (r"numerator|分子", r"denominator|分母"),
    (r"determinant|行列式", r"trace|迹"),
    (r"derivative|differentiat\w+|导数", r"antiderivative|integral|primitive|原函数|积分"),
    (r"sum|和", r"product|积", r"differences?|差", r"quotient|商"),
    (r"quotient|商", r"remainder|余数"),
    (r"greatest common|gcd|最大公[因约]数", r"least common|lcm|最小公倍数"),
    (r"units? digit|last digit|个位", r"tens digit|first digit|leading digit|十位"),
    (r"even(?= numbers?\b| integers?\b)", r"odd"),
    (r"infinite|infinity", rf"first {_TIMES} terms|partial sum"),
    (r"permutations?", r"combinations?"),
    (r"probabilit\w+|chances?|概率", r"odds"),
    # people and times
    (r"boys?|男生", r"girls?|女生"),
    (r"men", r"women"),
    (r"adults?", r"child(?:ren)?|kids?"),
    (r"pass(?:es|ed)?", r"fail(?:s|ed)?"),
    (r"wins?|won", r"los[et]s?|lost|dr[ae]ws?|drawn|tied"),
    (r"correct(?:ly)?(?! answer)", r"incorrect(?:ly)?|wrong(?:ly)?"),
    (r"present", r"absent"),
    (r"heads?", r"tails?"),
    (r"vowels?", r"consonants?"),
    (r"arriv\w+|到达", r"leav\w+|left|depart\w+|start\w*|出发"),
    (
        r"fathers?|dad|父亲|爸爸",
        r"mothers?|mom|mum|母亲|妈妈",
        r"sons?|儿子",
        r"daughters?|女儿",
        r"brothers?",
        r"sisters?",
        r"nephews?",
        r"nieces?",
        r"uncles?",
        r"aunts?",
        r"grand(?:father|pa)",
        r"grand(?:mother|ma)",
        r"husband",
        r"wife",
    ),
    (
        r"now|current\w*|today|at present|现在|今年",
        rf"(?:in|after) {_TIMES} (?:years|days|weeks|months|hours|minutes)"
        rf"|{_TIMES} (?:years|days|weeks|months|hours) ago|年后|年前",
    ),
    (r"left|remain\w*|still|剩\w*", r"ga(?:ve|ives?) away|given away|sold|ate|eaten|used up|spent|卖\w*|用\w*|吃\w*"),
)
_OF_CONDITIONS = (  # which may stand in the condition of a question
    (
        r"neither|none|outside both|都不",
        r"at least one|either|至少",
        r"(?<!outside )both|两\w?都",
        r"exactly one|only one",
    ),
    (r"exactly|恰好?", r"at least|至少", r"at most|至多|最多"),
)


def _found(groups: tuple[tuple[str, ...], ...]) -> tuple[tuple[re.Pattern[str], ...], ...]:
    """The patterns of groups: words of their own, before no comparison, and no factors: base area times height."""
    return tuple(
        tuple(
            re.compile(
                rf"(?<![A-Za-z])(?:{names})(?![A-Za-z-])(?! (?:than|times|multiplied by|divided by|plus|minus)\b)",
                re.IGNORECASE,
            )
            for names in group
        )
        for group in groups
    )


WHOLE = _found(_OF_CONDITIONS)
QUANTITIES = (*_found(_GROUPS), *WHOLE)
