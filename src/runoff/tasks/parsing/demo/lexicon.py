"""Words of the synthetic treebank, and which of them go together."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple


class Verb(NamedTuple):
    """The forms of a verb, by the tag that each has."""

    VBP: str
    VBZ: str
    VBD: str


def _words(text: str) -> list[str]:
    return text.split()


def _verbs(text: str) -> list[Verb]:
    return [Verb(*forms.split()) for forms in text.split(",")]


# Frequent words first: all except names are drawn with a probability of about 1/rank.
THINGS = _words(
    "box coat lamp table boat horse wagon barrel basket carpet clock mirror ladder kettle pillow cradle saddle lantern "
    "bucket cupboard trumpet blanket parasol violin cannon tapestry harpoon samovar"
)
PEOPLE = _words(
    "sailor baker farmer teacher singer painter doctor lawyer hunter miller porter tailor weaver printer barber "
    "gardener dancer beggar banker potter saddler drummer glazier cooper tanner "
    "cobbler fiddler ferryman juggler minstrel"
)
PEOPLE += [f"{thing}-{work}" for work, thing in product(("maker", "seller"), THINGS[:14])]
PLACES = _words("garden market harbour village castle mill church tavern forest palace meadow chapel cellar monastery")
TOOLS = _words("fork hammer rope needle spoon telescope shovel chisel")  # what one does something with
PARTS = _words("handle ribbon button wheel pattern stain lock stripe")  # what things have
ADJECTIVES = _words(
    "old young small red green tall quiet clever heavy round wooden broken pale narrow cheap famous gentle rusty "
    "crooked hollow dusty solemn brittle lopsided mossy threadbare gaudy"
)
ADJECTIVES += [
    f"{one}-{two}"
    for one, two in product(
        _words("long red dark silver left sharp grey blue short broad"),
        _words("haired eyed sided handed footed edged"),
    )
]
NAMES = [
    f"{one}{two}"
    for one, two in product(
        _words("Mar Tes Bel Cor Hal Ost Ren Wil Yar Dun Ger Fen Lod Sta Pem Gri Nor Ulm Vos Kel Jor Zan Eld Rud"),
        _words("low sen ding mund wick ton gard by stad ley ford nell beck mar vik holt"),
    )
]
ADVERBS = _words("quietly often soon slowly badly gladly again loudly rarely twice")
TIMES = _words("morning evening summer winter afternoon autumn")

TAKES_THING = _verbs(
    "see sees saw,paint paints painted,find finds found,want wants wanted,praise praises praised,watch watches watched,"
    "break breaks broke,mend mends mended,lift lifts lifted,clean cleans cleaned"
)
TAKES_NOTHING = _verbs(
    "sleep sleeps slept,sing sings sang,wait waits waited,laugh laughs laughed,work works worked,dance dances danced,"
    "cough coughs coughed,whistle whistles whistled,snore snores snored,pray prays prayed"
)
TAKES_CLAUSE = _verbs("say says said,think thinks thought,claim claims claimed,hope hopes hoped,swear swears swore")
TAKES_BOTH = _verbs("know knows knew,remember remembers remembered,hear hears heard,notice notices noticed")
# A verb, or a noun, and the preposition that belongs to it.
VERB_TAKES = {
    "to": _verbs("send sends sent,bring brings brought,carry carries carried,show shows showed"),
    "from": _verbs("buy buys bought,steal steals stole,borrow borrows borrowed,take takes took"),
    "in": _verbs("hide hides hid,keep keeps kept,leave leaves left,lose loses lost"),
}
NOUN_TAKES = {
    "to": _words("key road answer door"),
    "from": _words("letter song story gift"),
    "in": _words("fountain bench statue crack"),
}
