"""How the almanac says what it says, and how one asks for it: several templates for every fact."""

from __future__ import annotations

# For every kind of article and every fact, ways to say it; the fact that is first stays first.
SENTENCES: dict[str, dict[str, tuple[str, ...]]] = {
    "town": {
        "river": (
            "[NP {name} ] [VP is/VBZ ] [NP a/DT town/NN ] [PP on/IN ] [NP the/DT river/NN {river} ] ./.",
            "[NP {name} ] [VP lies/VBZ ] [PP on/IN ] [NP the/DT {river} ] ,/, [NP a/DT quiet/JJ river/NN ] ./.",
            "[NP The/DT town/NN ] [PP of/IN ] [NP {name} ] [VP stands/VBZ ] [PP on/IN ] [NP the/DT {river} ] ./.",
        ),
        "population": (
            "[NP {name} ] [VP has/VBZ ] [NP a/DT population/NN ] [PP of/IN ] [NP {population} ] ./.",
            "[NP {population} people/NNS ] [VP live/VBP ] [PP in/IN ] [NP {name} ] ./.",
            "[NP The/DT population/NN ] [PP of/IN ] [NP {name} ] [VP is/VBZ ] [NP {population} ] ./.",
        ),
        "founded": (
            "[NP {name} ] [VP was/VBD founded/VBN ] [PP in/IN ] [NP {founded} ] ./.",
            "[NP Fishermen/NNS ] [VP founded/VBD ] [NP {name} ] [PP in/IN ] [NP {founded} ] ./.",
        ),
        "mayor": (
            "[NP The/DT mayor/NN ] [PP of/IN ] [NP {name} ] [VP is/VBZ ] [NP {mayor} ] ./.",
            "[NP {mayor} ] [VP is/VBZ ] [NP the/DT mayor/NN ] [PP of/IN ] [NP {name} ] ./.",
            "[NP {mayor} ] [VP was/VBD elected/VBN ] [NP mayor/NN ] [PP of/IN ] [NP {name} ] [ADVP twice/RB ] ./.",
        ),
        "market": (
            "[NP A/DT market/NN ] [VP is/VBZ held/VBN ] [PP in/IN ] [NP {name} ] [NP every/DT week/NN ] ./.",
            "[NP Visitors/NNS ] [VP know/VBP ] [NP {name} ] [PP for/IN ] [NP its/PRP$ old/JJ market/NN ] ./.",
        ),
        "fire": (
            "[NP A/DT fire/NN ] [VP destroyed/VBD ] [NP half/NN ] [PP of/IN ] [NP {name} ] [NP long/RB ago/RB ] ./.",
        ),
    },
    "person": {
        "born": (
            "[NP {name} ] [VP was/VBD born/VBN ] [PP in/IN ] [NP {born} ] ./.",
            "[NP The/DT writer/NN {name} ] [VP was/VBD born/VBN ] [PP in/IN ] [NP {born} ] ./.",
        ),
        "town": (
            "[NP {name} ] [VP was/VBD born/VBN ] [PP in/IN ] [NP {town} ] ./.",
            "[NP {town} ] [VP is/VBZ ] [NP the/DT birthplace/NN ] [PP of/IN ] [NP {name} ] ./.",
        ),
        "author": (
            "[NP {name} ] [VP wrote/VBD ] [NP the/DT novel/NN \"/`` {book} \"/'' ] [ADVP slowly/RB ] ./.",
            "[NP The/DT novel/NN \"/`` {book} \"/'' ] [VP was/VBD written/VBN ] [PP by/IN ] [NP {name} ] ./.",
            "[NP {name} ] [VP is/VBZ ] [NP the/DT author/NN ] [PP of/IN ] [NP \"/`` {book} \"/'' ] ./.",
        ),
        "published": (
            "[NP \"/`` {book} \"/'' ] [VP was/VBD published/VBN ] [PP in/IN ] [NP {published} ] ./.",
            "[NP The/DT novel/NN \"/`` {book} \"/'' ] [VP appeared/VBD ] [PP in/IN ] [NP {published} ] ./.",
        ),
        "inventor": (
            "[NP {name} ] [VP invented/VBD ] [NP the/DT {device} ] ./.",
            "[NP The/DT {device} ] [VP was/VBD invented/VBN ] [PP by/IN ] [NP {name} ] ./.",
            "[NP {name} ] [VP is/VBZ ] [NP the/DT inventor/NN ] [PP of/IN ] [NP the/DT {device} ] ./.",
        ),
        "garden": (
            "[NP {name} ] [VP kept/VBD ] [NP a/DT small/JJ garden/NN ] [PP near/IN ] [NP the/DT sea/NN ] ./.",
            "[NP A/DT street/NN ] [PP in/IN ] [NP {town} ] [VP is/VBZ named/VBN ] [PP after/IN ] [NP {name} ] ./.",
        ),
    },
    "bridge": {
        "river": (
            "[NP The/DT {name} ] [VP crosses/VBZ ] [NP the/DT river/NN {river} ] [PP in/IN ] [NP {town} ] ./.",
            "[NP The/DT {name} ] [PP in/IN ] [NP {town} ] [VP spans/VBZ ] [NP the/DT {river} ] ./.",
        ),
        "builder": (
            "[NP The/DT {name} ] [VP was/VBD built/VBN ] [PP by/IN ] [NP {builder} ] ./.",
            "[NP {builder} ] [VP built/VBD ] [NP the/DT {name} ] [PP with/IN ] [NP local/JJ stone/NN ] ./.",
            "[NP The/DT engineer/NN {builder} ] [VP built/VBD ] [NP the/DT {name} ] ./.",
        ),
        "opened": (
            "[NP The/DT {name} ] [VP was/VBD opened/VBN ] [PP in/IN ] [NP {opened} ] ./.",
            "[PP In/IN ] [NP {opened} ] ,/, [NP the/DT {name} ] [VP opened/VBD ] ./.",
            "[NP The/DT {name} ] [VP opened/VBD ] [PP in/IN ] [NP {opened} ] ./.",
        ),
        "length": (
            "[NP The/DT {name} ] [VP is/VBZ ] [NP {length} ] [ADJP long/JJ ] ./.",
            "[NP The/DT {name} ] [VP has/VBZ ] [NP a/DT length/NN ] [PP of/IN ] [NP {length} ] ./.",
        ),
        "toll": (
            "[NP Carts/NNS ] [VP paid/VBD ] [NP a/DT toll/NN ] [PP on/IN ] [NP the/DT {name} ] ./.",
            "[NP A/DT flood/NN ] [ADVP nearly/RB ] [VP carried/VBD ] [NP the/DT {name} ] [ADVP away/RB ] ./.",
        ),
        "paint": ("[NP Painters/NNS ] [PP from/IN ] [NP {town} ] [VP love/VBP ] [NP the/DT {name} ] ./.",),
    },
    "firm": {
        "founder": (
            "[NP {name} ] [VP was/VBD founded/VBN ] [PP by/IN ] [NP {founder} ] ./.",
            "[NP {founder} ] [VP founded/VBD ] [NP {name} ] [PP with/IN ] [NP a/DT small/JJ loan/NN ] ./.",
            "[NP The/DT founder/NN ] [PP of/IN ] [NP {name} ] [VP was/VBD ] [NP {founder} ] ./.",
        ),
        "founded": (
            "[NP The/DT history/NN ] [PP of/IN ] [NP {name} ] [VP began/VBD ] [PP in/IN ] [NP {founded} ] ./.",
            "[NP The/DT company/NN {name} ] [VP was/VBD founded/VBN ] [PP in/IN ] [NP {founded} ] ./.",
        ),
        "town": (
            "[NP {name} ] [VP is/VBZ based/VBN ] [PP in/IN ] [NP {town} ] ./.",
            "[NP The/DT offices/NNS ] [PP of/IN ] [NP {name} ] [VP are/VBP ] [PP in/IN ] [NP {town} ] ./.",
        ),
        "product": (
            "[NP {name} ] [VP makes/VBZ ] [NP {product} ] ./.",
            "[NP {name} ] [VP is/VBZ ] [ADJP known/JJ ] [PP for/IN ] [NP its/PRP$ {product} ] ./.",
        ),
        "workers": (
            "[NP {name} ] [VP employs/VBZ ] [NP {workers} workers/NNS ] ./.",
            "[NP {workers} people/NNS ] [VP work/VBP ] [PP for/IN ] [NP {name} ] ./.",
        ),
        "strike": ("[NP A/DT strike/NN ] [VP closed/VBD ] [NP {name} ] [PP for/IN ] [NP a/DT month/NN ] ./.",),
    },
}

# For every kind of article and fact, the class of the question and ways to ask.
QUESTIONS: dict[str, dict[str, tuple[str, tuple[str, ...]]]] = {
    "town": {
        "river": (
            "LOC:other",
            (
                "[NP What/WP river/NN ] [VP is/VBZ ] [NP {name} ] [PP on/IN ] ?/.",
                "[PP On/IN ] [NP which/WDT river/NN ] [VP does/VBZ ] [NP {name} ] [VP lie/VB ] ?/.",
            ),
        ),
        "population": (
            "NUM:count",
            (
                "[NP How/WRB many/JJ people/NNS ] [VP live/VBP ] [PP in/IN ] [NP {name} ] ?/.",
                "[NP What/WP ] [VP is/VBZ ] [NP the/DT population/NN ] [PP of/IN ] [NP {name} ] ?/.",
            ),
        ),
        "founded": (
            "NUM:date",
            (
                "[ADVP When/WRB ] [VP was/VBD ] [NP {name} ] [VP founded/VBN ] ?/.",
                "[PP In/IN ] [NP what/WP year/NN ] [VP was/VBD ] [NP {name} ] [VP founded/VBN ] ?/.",
            ),
        ),
        "mayor": (
            "HUM:ind",
            (
                "[NP Who/WP ] [VP is/VBZ ] [NP the/DT mayor/NN ] [PP of/IN ] [NP {name} ] ?/.",
                "[NP Who/WP ] [VP was/VBD elected/VBN ] [NP mayor/NN ] [PP of/IN ] [NP {name} ] ?/.",
            ),
        ),
    },
    "person": {
        "born": ("NUM:date", ("[ADVP When/WRB ] [VP was/VBD ] [NP {name} ] [VP born/VBN ] ?/.",)),
        "town": ("LOC:city", ("[ADVP Where/WRB ] [VP was/VBD ] [NP {name} ] [VP born/VBN ] ?/.",)),
        "author": (
            "HUM:ind",
            (
                "[NP Who/WP ] [VP wrote/VBD ] [NP \"/`` {book} \"/'' ] ?/.",
                "[NP Who/WP ] [VP is/VBZ ] [NP the/DT author/NN ] [PP of/IN ] [NP \"/`` {book} \"/'' ] ?/.",
            ),
        ),
        "inventor": (
            "HUM:ind",
            (
                "[NP Who/WP ] [VP invented/VBD ] [NP the/DT {device} ] ?/.",
                "[NP Who/WP ] [VP was/VBD ] [NP the/DT inventor/NN ] [PP of/IN ] [NP the/DT {device} ] ?/.",
            ),
        ),
        "published": (
            "NUM:date",
            (
                "[ADVP When/WRB ] [VP was/VBD ] [NP \"/`` {book} \"/'' ] [VP published/VBN ] ?/.",
                "[PP In/IN ] [NP what/WP year/NN ] [VP did/VBD ] [NP \"/`` {book} \"/'' ] [VP appear/VB ] ?/.",
            ),
        ),
    },
    "bridge": {
        "river": ("LOC:other", ("[NP What/WP river/NN ] [VP does/VBZ ] [NP the/DT {name} ] [VP cross/VB ] ?/.",)),
        "builder": (
            "HUM:ind",
            (
                "[NP Who/WP ] [VP built/VBD ] [NP the/DT {name} ] ?/.",
                "[PP By/IN ] [NP whom/WP ] [VP was/VBD ] [NP the/DT {name} ] [VP built/VBN ] ?/.",
            ),
        ),
        "opened": (
            "NUM:date",
            (
                "[ADVP When/WRB ] [VP was/VBD ] [NP the/DT {name} ] [VP opened/VBN ] ?/.",
                "[PP In/IN ] [NP what/WP year/NN ] [VP did/VBD ] [NP the/DT {name} ] [VP open/VB ] ?/.",
            ),
        ),
        "length": ("NUM:dist", ("[ADJP How/WRB long/JJ ] [VP is/VBZ ] [NP the/DT {name} ] ?/.",)),
    },
    "firm": {
        "founder": (
            "HUM:ind",
            (
                "[NP Who/WP ] [VP founded/VBD ] [NP {name} ] ?/.",
                "[NP Who/WP ] [VP was/VBD ] [NP the/DT founder/NN ] [PP of/IN ] [NP {name} ] ?/.",
            ),
        ),
        "founded": ("NUM:date", ("[ADVP When/WRB ] [VP was/VBD ] [NP {name} ] [VP founded/VBN ] ?/.",)),
        "town": ("LOC:city", ("[ADVP Where/WRB ] [VP is/VBZ ] [NP {name} ] [VP based/VBN ] ?/.",)),
        "product": ("ENTY:product", ("[NP What/WP ] [VP does/VBZ ] [NP {name} ] [VP make/VB ] ?/.",)),
        "workers": (
            "NUM:count",
            ("[NP How/WRB many/JJ people/NNS ] [VP work/VBP ] [PP for/IN ] [NP {name} ] ?/.",),
        ),
    },
}
