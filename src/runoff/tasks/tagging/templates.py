"""Templates of token features, as a person writes them: one per line, atoms separated by blanks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runoff.errors import DataError, UsageError
from runoff.files import reason
from runoff.tasks.tagging.atoms import FUNCTIONS, LENGTHS
from runoff.tasks.tagging.corpus import WORD
from runoff.tasks.tagging.lexicons import KINDS, LexiconColumn, read_lexicon

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TAG = "tag"  # the tags that are being found, of tokens further left
MOST_OFFSET, MOST_ATOMS, MOST_TEMPLATES = 50, 8, 1000
_ATOM = re.compile(r"([^\s\[\]()#,]+)(?:\(([^\s\[\]()#,]+)\))?\[(-?\d{1,3})(?:,(\d{1,3}))?\]")
_NAME = re.compile(r"[^\s\[\]()#,]+")
_EXPECTED = "an atom such as word[-1], suffix[0,3], pos[1] or tag[-1]"


class Atom(NamedTuple):
    """A value of the token at some distance: a column, or a function of a column's texts."""

    column: str
    function: str  # empty for the column itself
    length: int  # of prefixes and suffixes, else 0
    offset: int

    def __str__(self) -> str:
        of = f"({self.column})" if self.function and self.column != WORD else ""
        length = f",{self.length}" if self.length else ""
        return f"{self.function or self.column}{of}[{self.offset}{length}]"


class Template(NamedTuple):
    """A conjunction of atoms and, for `tag[-1]` and `tag[-2]`, of one or both of the tags before."""

    atoms: tuple[Atom, ...]
    history: int = 0  # 1: tag[-1], 2: tag[-2], 3: both

    def __str__(self) -> str:
        tags = [f"{TAG}[-{back}]" for back in (1, 2) if self.history & back]
        return " ".join([*tags, *map(str, self.atoms)])


@dataclass(frozen=True)
class Templates:
    """What a tagger looks at, with the lexicons that add columns.

    One template per line; `#` begins comments. Atoms are `word[0]`, or any other column by its name, at a distance from
    the token; functions of words `lower[0]`, `shape[0]`, `short-shape[0]`, `prefix[0,3]`, `suffix[0,3]`,
    `lower-prefix[0,3]`, `lower-suffix[0,3]`; and the flags `digit`, `capital`, `upper`, `mixed`, `hyphen`, `period`,
    `number`, `symbol`. Functions of other columns are written `prefix(cluster)[0,4]`. Several atoms on a line are a
    conjunction. `tag[-1]` and `tag[-2]` are the tags before, alone or with other atoms. A template gives no feature
    where an atom has no value: a flag that is not so, a prefix of a word that is shorter. Tokens outside the sentence
    have a value of their own on either side.

    `gazetteer NAME FILE` adds a column of phrases of a file (longest match; `B-` and `I-` before the value), and
    `clusters NAME FILE` one of values of words; lines of both are a text, a tab and a value.

    Examples
    --------
    >>> templates = Templates.parse('''
    ... word[0]          # the token itself
    ... suffix[0,3]
    ... pos[-1] pos[0]
    ... tag[-1]          # transitions
    ... ''')
    >>> print(*templates.lines, sep="; ")
    word[0]; suffix[0,3]; pos[-1] pos[0]; tag[-1]
    >>> Templates.parse("word[zero]")
    Traceback (most recent call last):
    runoff.errors.DataError: templates, line 1: expected an atom such as word[-1], suffix[0,3], pos[1] or tag[-1], ...
    """

    templates: tuple[Template, ...]
    lexicons: tuple[LexiconColumn, ...] = ()

    @classmethod
    def parse(
        cls, text: str, *, path: str | Path = "templates", lexicons: Mapping[str, LexiconColumn] | None = None
    ) -> Templates:
        """Templates from text; files of lexicons are looked for beside `path` unless they are given by name."""
        found: dict[Template, None] = {}
        columns: dict[str, LexiconColumn] = dict(lexicons or {})
        for number, line in enumerate(text.splitlines(), 1):
            words = line.partition("#")[0].split()
            if not words:
                continue
            if words[0] in KINDS:
                lexicon = _lexicon(words, Path(path), number)
                if lexicon.name in columns or lexicon.name in (WORD, TAG) or lexicon.name in FUNCTIONS:
                    raise DataError(f"the name {lexicon.name!r} is taken; choose another.", path=path, line=number)
                columns[lexicon.name] = lexicon
                continue
            template = _template(words, path, number)
            if template in found:
                raise DataError(f"the template {str(template)!r} comes twice.", path=path, line=number)
            found[template] = None
        if not found:
            raise DataError(f"there is no template; expected {_EXPECTED} on a line.", path=path)
        if len(found) > MOST_TEMPLATES:
            raise DataError(f"there are {len(found):,} templates; at most {MOST_TEMPLATES:,} are possible.", path=path)
        looked_at = {atom.column for template in found for atom in template.atoms}
        for name in columns.keys() - looked_at - (lexicons or {}).keys():
            raise DataError(f"no template looks at the {columns[name].kind} {name!r}; add a line {name}[0].", path=path)
        return cls(tuple(found), tuple(columns.values()))

    @classmethod
    def read(cls, path: str | Path) -> Templates:
        """Templates from a file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {reason(error)}.") from error
        except UnicodeDecodeError as error:
            raise DataError("expected text in UTF-8.", path=path) from error
        return cls.parse(text, path=path)

    @property
    def lines(self) -> list[str]:
        """The templates as they are written."""
        return [str(template) for template in self.templates]

    @property
    def columns(self) -> list[str]:
        """Columns of the corpus that are needed."""
        added = {lexicon.name for lexicon in self.lexicons}
        named = [atom.column for template in self.templates for atom in template.atoms]
        return list(dict.fromkeys([name for name in named if name not in added] + [WORD] * bool(added)))

    def only(self, columns: Iterable[str]) -> Templates:
        """Without the templates that look at columns of the corpus other than these.

        Examples
        --------
        >>> Templates.parse("word[0]\\nchunk[0]\\nword[0] chunk[-1]").only(["word", "pos"]).lines
        ['word[0]']
        """
        known = {*columns, *(lexicon.name for lexicon in self.lexicons)}
        kept = tuple(each for each in self.templates if all(atom.column in known for atom in each.atoms))
        if not any(each.atoms for each in kept):
            raise UsageError(
                f"the templates look at {', '.join(self.columns)}, and the sentences have {', '.join(columns)} only."
            )
        return Templates(kept, self.lexicons)

    def with_lexicons(self, lexicons: Iterable[LexiconColumn], lines: str) -> Templates:
        """Further lexicons, and templates that look at them."""
        more = {each.name: each for each in (*self.lexicons, *lexicons)}
        return Templates.parse("\n".join(self.lines) + "\n" + lines, lexicons=more)


def _template(words: list[str], path: str | Path, line: int) -> Template:
    atoms: list[Atom] = []
    history = 0
    for word in words:
        match = _ATOM.fullmatch(word)
        if match is None:
            raise DataError(f"expected {_EXPECTED}, found {word!r}.", path=path, line=line)
        name, column, offset, length = match[1], match[2], int(match[3]), match[4]
        if name == TAG:
            if column or length or offset not in (-1, -2):
                raise DataError(f"expected tag[-1] or tag[-2], found {word!r}.", path=path, line=line)
            history |= -offset
            continue
        if abs(offset) > MOST_OFFSET:
            raise DataError(f"expected a distance of at most {MOST_OFFSET}, found {word!r}.", path=path, line=line)
        function = name if name in FUNCTIONS else ""
        if column and not function:
            known = ", ".join(FUNCTIONS)
            raise DataError(f"there is no function {name!r}; there are: {known}.", path=path, line=line)
        if (function in LENGTHS) != bool(length) or length == "0":
            one = f"{name}[{offset},3]" if function in LENGTHS else f"{name}[{offset}]"
            raise DataError(f"expected {one}, found {word!r}.", path=path, line=line)
        atoms.append(Atom(column or (WORD if function else name), function, int(length or 0), offset))
    if len(atoms) > MOST_ATOMS:
        raise DataError(f"expected at most {MOST_ATOMS} atoms, found {len(atoms)}.", path=path, line=line)
    return Template(tuple(dict.fromkeys(atoms)), history)


def _lexicon(words: list[str], path: Path, line: int) -> LexiconColumn:
    kind = words[0]
    if len(words) != 3 or not _NAME.fullmatch(words[1]):
        raise DataError(f"expected `{kind} NAME FILE`, found {' '.join(words)!r}.", path=path, line=line)
    return read_lexicon(path.parent / words[2], words[1], kind)
