"""The words in which a shop's desk asks, and in which its customers speak."""

from turnwise.worlds.people.part import Lexicon

__all__ = ["BEYOND", "LEXICON", "REASON_WORDS"]

LEXICON = Lexicon(
    slots={
        "name": ("full name", "complete name", "first and last name", "your name", "surname", "last name",
            "who've i got", "who have i got", "who am i speaking", "who am i talking", "who's calling",
            "who is calling",
            "name on the account", "name", "what you're called", "what name", "name .. under", "name .. order"),
        "email": ("email address", "e-mail address", "electronic mail address", "email", "e-mail", "mail address",
            "address .. mails go",
            "address .. signed up", "address .. registered"),
        "postcode": ("zip code", "postal code", "postcode", "zip"),
        "phone": ("phone number", "telephone number", "contact number", "mobile number", "phone",
            "number .. reach you", "number .. call you", "mobile"),
        "birth_date": ("date of birth", "birth date", "which day were you born", "which date of birth",
            "what date of birth", "day month and year", "what day were you born",
            "birthdate", "birthday", "dob", "when were you born",
            "when you were born", "were you born", "born", "when .. born", "date .. born", "day .. born"),
        "order": ("order number", "order id", "which order", "which purchase", "what order", "number of the order",
            "order #",
            "order no", "the order", "order .. about", "order .. mean", "order .. regarding", "number .. order",
            "order .. concern", "which .. orders", "number .. purchase"),
        "item": ("which item", "which product", "which article", "what item", "what product", "name of the product",
            "item", "product", "article", "which piece", "which thing", "what part of the order",
            "which part of the order", "what thing", "what piece", "which .. pieces",
            "which of the pieces",
            "what .. return", "what .. send back", "what .. give back", "like to give back", "like to send back",
            "like to return", "what .. exchange",
            "which .. items", "which .. products", "what .. arrived broken", "what .. swap", "part of the order",
            "thing .. return", "from the order .. return"),
        "option": ("new version", "which version", "which variant", "which option", "which size", "which color",
            "what size", "what color", "which model", "which finish", "which length", "what length",
            "which material", "which pattern", "new size",
            "new color", "variant", "size", "color", "colour",
            "like to swap it for", "want to swap it for", "like instead", "want instead", "exchange it for",
            "like to have in its place", "in its place", "capacity", "version", "what .. instead",
            "which .. instead", "size .. like", "colour .. like", "color .. like", "what .. exchange it for",
            "what .. swap it for", "which .. size", "which .. color", "which .. colour", "what colour",
            "which colour", "other size", "size .. need", "size .. be", "color .. be", "colour .. be"),
        "payment": ("payment method", "method of payment", "refund method", "which card", "what card",
            "which payment", "how would you like to pay", "how would you like to be refunded", "form of payment",
            "how you'd like to pay", "how do you want to pay", "settle the difference", "pay the difference",
            "pay with", "should be charged", "be charged to", "refunded to", "where should the refund", "how .. pay",
            "where .. refund", "card .. refund", "how .. refund", "which .. refund", "where .. money",
            "where should i send the refund", "where should i send your refund",
            "where should we send the refund", "where should we send your refund", "where should i send the money",
            "where should we send the money", "where shall i send the refund", "where shall i send your refund",
            "where should the refund go", "how .. difference", "how would you like .. difference",
            "method .. refund", "card .. charge", "what .. pay with", "which .. charge", "which .. charged",
            "to which .. charged", "on what should i",
            "method .. instead", "your money back", "where .. your money", "money .. go", "refund .. go",
            "which account"),
        "reason": ("reason", "a cause", "cause for", "why", "what made you", "made you change your mind",
            "change your mind", "what .. cancel", "what the matter",
            "what's prompting", "changed your mind", "change of mind", "what don't you like", "what didn't you like",
            "what .. you don't like",
            "how come", "what's keeping", "what is keeping", "what's stopping", "what is stopping", "what's preventing",
            "what keeps you", "what stops you", "what prevents you", "what stands in the way", "what gets in the way",
            "grounds", "behind the cancellation", "behind the return", "what's behind", "what is behind",
            "didn't work out", "why cancel", "why .. return", "what speaks against"),
        "new_address": ("new address", "shipping address", "delivery address", "which address", "full address",
            "what address", "complete address", "address", "where should we deliver", "where should it be delivered",
            "where should we send", "where should it go", "where would you like it delivered", "where to send",
            "where should i send", "where should we ship", "where should the order", "where .. deliver",
            "where would you like .. delivered", "where would you like .. sent",
            "where .. delivered", "where .. send", "where .. ship", "where .. go", "where .. sent",
            "street and city", "the street", "what street", "which street", "house number", "where should i have",
            "where to", "where .. bring", "where .. order sent", "where .. order shipped", "where .. parcel",
            "right address", "where .. courier", "courier .. take"),
        "amount": ("amount", "how much", "what price", "which price", "price .. see", "price .. find",
            "what's the price", "what is the price", "other shop charge", "other store charge", "what .. other shop",
            "what do they charge", "their price", "price .. seen",
            "what sum", "which sum", "what figure", "which figure", "what difference", "what credit", "what refund",
            "in dollars", "how many dollars", "how high", "how big", "how large", "difference in price",
            "what should the refund have been",
            "what .. you've been charged", "how low", "how cheap", "price over there", "cost .. there",
            "price .. there"),
        "damage": ("what is damaged", "what's damaged", "what happened", "what's wrong with", "what is wrong with",
            "describe the damage", "kind of damage",
              "what is broken", "what's broken", "how it's damaged",
            "how it is damaged", "how it was damaged", "how is it damaged", "what does the damage look",
            "what the damage", "damage look", "sort of damage", "type of damage", "what exactly is wrong",
            "describe the fault", "in what state", "in which state", "in what condition", "where is it broken",
            "where .. broken", "where .. damaged", "how bad", "how serious",
            "what part .. broken", "which part .. broken", "which part .. damaged", "describe the defect", "the fault",
            "the defect", "kind of fault",
            "what does the crack", "how did it arrive", "what's the fault", "what .. does it show",

            "the damage", "how badly", "what .. damaged", "how .. damaged", "what .. broken", "how .. broken",
            "what kind of damage", "extent of the damage", "describe .. damage",
            "nature of the damage", "what .. happened to", "what you see", "unpacked it", "describe .. see",
            "state .. arrive", "arrive like", "kind of crack"),
        "email|new_address": ("that address",),
        "damage|reason": ("what was wrong", "what .. wrong", "what's the matter with",
            "what is the matter with", "something wrong with it", "what's the problem with"),
        "customer_id": ("customer number", "starting with c", "starting with a c", "begins with a c", "begins with c",
            "customer id", "account number"),
    },
    actions={
        "cancel": ("cancel", "call off", "stop: order"),
        "change_item": (
            "change|swap|switch|modify|update|put: item|size|color|colour|version|variant|model|one|*|green|red|"
             "blue|black|white|navy|brown|grey|gray|small|medium|large",
            "change item", "replace with", "substitute"),
        "change_address": ("change|update|correct: address|street|avenue",
            "put|enter: address|street",
            "redirect|reroute|send|ship|deliver: address|street|avenue|road|lane|row|drive|boulevard|"
             "terrace|crescent|elsewhere", "redirect", "reroute"),
        "change_payment": ("~charge|pay: visa|mastercard|paypal|card !back",
            "change|switch|update|move|put: payment|card|method|visa|mastercard|paypal|gift|amex !back",
            "set: payment|card|method|visa|mastercard|paypal|gift|amex !up"),
        "return": ("=return|returned|returning|returns !amount|difference|money|dollars", "take back",
            "send back !amount|difference|money|dollars", "accept return", "~refund"),
        "exchange": ("exchange", "swap|switch: size|color|colour|version|variant"),
        "replace": ("replace", "=replacement|replacements", "send you a new", "send a new", "send another", "resend",
            "send you another", "send again: same|new", "same one again"),
        "adjust": ("~refund|adjust|credit|match|pay|give: difference", "price adjustment", "adjustment",
            "pay|send|give|put|return back: difference|amount|dollars|cheaper", "return: amount|difference",
            "match: shop|price|competitor", "~refund"),
        "compensate": ("compensate", "=compensation",
            "credit|add|issue|give|send|put: compensation|apology|delay|late|goodwill !refund|refunded|returned",
            "add|issue|give|send|put|load: gift !refund|refunded|returned", "~credit: gift !refund|refunded|returned",
            "gift card: delay|sorry"),
        "default_address": ("change|update|replace|set|save: default|profile|account|standard|usual",
            "default address"),
        "ask": ("tell|discuss|disclose|share|reveal|give|show: anything|information|details",),
        "beyond": ("pass on", "put request to", "pass you", "hand you", "transfer you", "=forwarded|forwarding",
            "forward you|this|it|request|case"),
    },
    values={
        "damage": r"scratched|cracked|broken|dented|torn|stained|leaking|bent|chipped",
        "order": r"w\d{3,}|order with",
        "payment": (
            r"(?:your|the) card|visa|mastercard|amex|american express|paypal|gift card|credit card|"
            r"debit card|card ending|store credit|voucher"
        ),
        "option": (
            r"\d+ ?(?:ml|l|liters?|litres?|cm|gb|w)\b|size \w+|small|medium|large|x?l\b|black|white|"
            r"blue|red|green|navy|brown|gr[ae]y|olive|sand|yellow|orange|purple|pink|silver|gold|beige|"
            r"(?:in|the|a|size) \d\d\b(?! \w*(?:of|day))"
        ),
        "reason": r"by mistake|too late|cheaper",
    },
    ways={
        "change_item": ("exchange", "replace"),
        "exchange": ("change_item", "replace"),
    },
    kinds={
        "item": ("item", "product", "article"),
        "order": ("order",),
        "option": ("size", "color", "colour", "variant", "version", "model"),
        "payment": ("card", "method"),
        "new_address": ("address",),
    },
    results={
        "replace": (
            r"(?:new|another|replacement)\b[^.]{0,40}(?:is on its way|has been ordered|is coming)|"
            r"(?:sending|shipping) you the same [^,.]{2,30} (?:again|once more)|new [^.]{2,30} is being sent|"
            r"(?:sending|shipped|sent|ordered) (?:you )?(?:out )?(?:another|a new|a replacement)|"
            r"replacement (?:has been |is |was )?ordered|replacement (?:[^,.]{0,30} )?(?:is|has been) (?:arranged|"
            r"ordered|set up|on its)"
        ),
        "change_address": (
            r"will now be (?:delivered|sent|shipped)|(?:order|it) (?:\w+ )?(?:now goes|will now go|"
            r"is now (?:going|headed))|now (?:goes|ships|headed) to"
        ),
        "change_item": (
            r"order now (?:contains|has|includes)|is in your order now|(?:in|of) your order is now|"
            r"put the [^,.]{2,40} in your order"
        ),
        "default_address": (
            r"(?:default|standard|usual|profile) address (?:is now|(?:is |was |has been |has now been )?"
            r"(?:changed|updated|replaced|set))|is (?:now )?your (?:new )?(?:default|standard) address"
        ),
        "compensate": (
            r"goodwill (?:credit |amount )?(?:of \S+ )?is |(?:now have|there's now|extra) [^.]{0,30}gift card"
        ),
        "exchange": (
            r"on (?:its|their) way to you in exchange|you'll get [^.,]{2,40} in exchange|exchange is (?:done|"
            r"set up|arranged|in place|registered|on its way)"
        ),
        "return": (
            r"set up the return|registered the return|return (?:is |has been )?processed|return is (?:done|set up|"
            r"arranged|in place|registered|approved)|all set to return"
        ),
        "cancel": r"order is (?:off|gone|stopped)",
        "change_payment": (
            r"will be charged to your [\w ]{2,24} from now on|"
            r"order is now paid (?:with|by|from)|(?:payment|order) (?:method |w\d+ )?(?:is now|will now be) (?:on|"
            r"charged|paid)|now (?:on|"
            r"charged to) your"
        ),
        "adjust": (
            r"difference (?:[^.]{0,50} )?(?:is on its way|(?:has been|was|"
            r"is) (?:now )?(?:returned|refunded|"
            r"paid back))"
        ),
    },
)  # fmt: skip

REASON_WORDS = {
    "no longer needed": ("I don't need it anymore", "I no longer need it"),
    "ordered by mistake": ("I ordered it by mistake", "I clicked the wrong button and ordered it by mistake"),
    "arrives too late": ("it would get here too late for me", "I need it earlier than it would arrive"),
    "cheaper elsewhere": ("I've found it cheaper somewhere else", "I saw it for less in another shop"),
}
BEYOND = (
    "I'd like to apply for a job in your warehouse. Who do I talk to?",
    "Our company needs four hundred gift boxes with our logo on them. Who could make us an offer?",
    "I write for a consumer magazine and would like to interview somebody about how you handle returns.",
    "Your delivery driver backed into my fence this morning. I'd like somebody to deal with the damage.",
    "I make candles and would like to sell them through your shop. Who could I speak to about that?",
)
