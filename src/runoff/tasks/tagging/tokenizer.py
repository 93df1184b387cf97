"""Words of running English text, split much as in the Penn Treebank, each with its place in the text.

Rules, the first that fits at a place wins:

1. Web and mail addresses, and names with @ or # before them, are one word; punctuation at their end is not part of it.
2. Escaped brackets (-LRB-), a few smileys, and runs of one mark (..., --, !!, ***) are one word.
3. Abbreviations keep their period: letters with periods between them (U.S., e.g.), initials (J.), and a list of titles,
   companies, months and places. Other periods are words of their own, if they are not inside a word or number.
4. Numbers keep points, commas, colons and slashes between digits, and letters after them (1990s, 10:30, 1/2, 3rd).
   Currency and percent signs are words.
5. n't, 's, 'm, 'd, 're, 've and 'll are split off (do n't, dogs '), and so are cannot, gonna, gotta, wanna, gimme,
   lemme, 'tis and 'twas (can not, gon na, …). A curly apostrophe counts like a straight one.
6. Words keep hyphens, apostrophes, ampersands and slashes inside (well-known, O'Neill, AT&T, and/or).
7. Any other mark is a word of its own: quotes, brackets, commas. Quotes stay as they are written.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import NamedTuple

_TITLES = (
    "Mr Mrs Ms Messrs Mmes Dr Prof Rev Hon Sr Jr St Sen Sens Rep Reps Gov Govs Gen Adm Col Capt Lt Sgt Maj Cmdr Pres"
)
_FIRMS = "Inc Corp Co Cos Ltd Bros Assn Dept Mfg Intl Univ Natl Bhd Pty Int'l Ass'n Dep't"
_MONTHS = "Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon Tue Tues Wed Thu Thur Thurs Fri"
_PLACES = (
    "Ala Ariz Ark Calif Colo Conn Del Fla Ga Ill Ind Kan Ky La Mass Md Mich Minn Miss Mo Mont Neb Nev Okla Ore Pa Tenn "
    "Tex Va Vt Wash Wis Wyo Ave Blvd Rd Mt Ft"
)
_OTHERS = "v vs etc al cf ca approx est No Nos no Vol Ph Ed ed Esq Vs Cie Dist Fed ft hr hrs lbs oz pp"
ABBREVIATIONS = frozenset(chain.from_iterable(each.split() for each in (_TITLES, _FIRMS, _MONTHS, _PLACES, _OTHERS)))

_APOSTROPHE = "['\u2019]"
_CLITIC = rf"{_APOSTROPHE}(?:[sSmMdD]|re|RE|ve|VE|ll|LL)(?!\w)"
# Lengths are bounded, so that no text takes more than a time proportional to its length.
_TOKEN = re.compile(
    rf"""
    (?:https?://|ftp://|www\.)[^\s<>"]{{1,2000}}(?<![.,;:!?)\]'])    # 1. addresses
  | [\w.+-]{{1,64}}+@(?:\w[\w-]{{0,62}}\.){{1,8}}\w{{2,24}}
  | (?:\w[\w-]{{0,62}}\.){{1,4}}(?:com|org|net|edu|gov|info|co\.uk)(?:/[^\s<>"]{{0,2000}}(?<![.,;:!?)\]']))?(?![\w])
  | [@\#](?=[A-Za-z_])\w{{1,140}}
  | -[LR][RSC]B-                                                     # 2. escaped brackets, smileys, runs
  | [:;=8][-']?[)(DPp/\\|\]\[](?![\w)])
  | <3
  | (?P<run>[.!?*_=~+<>$\-\u2014\u2026])(?:(?P=run))+
  | [!?]{{2,}}
  | ''|``
  | (?:[A-Za-z]\.){{2,40}}(?:[A-Za-z](?![\w.]))?(?:-\w+)*+                                           # 3. abbreviations
  | (?<![\w.])(?:{"|".join(sorted(map(re.escape, ABBREVIATIONS), key=len, reverse=True))})\.(?!\w)
  | (?<![\w.'\u2019])[A-Z]\.(?=\s)
  | [A-Z]{{1,3}}\$                                                   # 4. currencies, numbers
  | [+-]?(?<!\w)\d++(?:(?:[.,:/]|\\/)\d+)*+(?:st|nd|rd|th|s|{_APOSTROPHE}s|am|pm|k|K|m|M|bn)?(?![\w-])
  | \d++(?:(?:[.,:/]|\\/)\d+)*+%?(?:-\w+)++
  | \.\d+(?!\w)
  | [cC]an(?=not(?!\w)) | (?<=[cC]an)not(?!\w)                       # 5. clitics
  | [gG]on(?=na(?!\w)) | [gG]ot(?=ta(?!\w)) | [wW]an(?=na(?!\w)) | [gG]im(?=me(?!\w)) | [lL]em(?=me(?!\w))
  | {_APOSTROPHE}[tT](?=(?:is|was)(?!\w))
  | {_CLITIC}
  | [nN]{_APOSTROPHE}[tT](?!\w)
  | {_APOSTROPHE}(?:em|n|til|cause|bout|round|\d\ds?)(?!\w)
  | \w+?(?=[nN]{_APOSTROPHE}[tT](?!\w))
  | \w+(?:(?:[-&/.]|\\/|{_APOSTROPHE})\w+)*?(?={_CLITIC})             # 6. words
  | \w+(?:(?:[-&/.@]|\\/|{_APOSTROPHE}(?!(?:[sSmMdD]|re|RE|ve|VE|ll|LL)(?!\w)))\w+)*
  | \S                                                               # 7. anything else
    """,
    re.VERBOSE,
)


class Token(NamedTuple):
    """A word with its place: `text[start:stop]`.

    Examples
    --------
    >>> Token("cat", 2, 5).stop
    5
    """

    text: str
    start: int
    stop: int


def tokenize(text: str) -> list[Token]:
    """Split text into words by the rules above, which are for one sentence at a time. O(characters).

    Examples
    --------
    >>> [token.text for token in tokenize("Mr. O'Neill can't pay $5.50 (he said).")]
    ['Mr.', "O'Neill", 'ca', "n't", 'pay', '$', '5.50', '(', 'he', 'said', ')', '.']
    >>> tokenize("It's on")
    [Token(text='It', start=0, stop=2), Token(text="'s", start=2, stop=4), Token(text='on', start=5, stop=7)]
    """
    return [Token(found[0], found.start(), found.end()) for found in _TOKEN.finditer(text)]
