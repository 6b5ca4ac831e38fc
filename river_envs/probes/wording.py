"""What kind of work an instruction asks for, and when its wording forbids an accusation.

Every question here is answered from the words alone. Each errs to the side of silence: a probe that stays silent costs
recall, a probe that takes dictated or free content for a determined value accuses a sound environment.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

READ: Final = 40_000
"""Characters of an instruction that are read: longer ones are cut, so that a hostile one costs seconds at most."""
LONGEST: Final = 2_000
"""Characters of one sentence that are read."""
FENCE: Final = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([\w+-]*)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)

_COMPUTES = (
    r"find|comput(?:e|es|ing)|calculat\w+|determin(?:e|es|ing)|identif(?:y|ies|ying)|extract|recover|decode|decrypt"
    r"|deriv(?:e|ing)|pars(?:e|ing)|analy[sz](?:e|ing)|measur(?:e|ing)|solv(?:e|ing)|estimat\w+|detect|locate"
    r"|hash (?:the|all|every|each)|checksums?"
    r"|reconstruct|aggregat\w+|summari[sz]e|how (?:many|much|often|long|frequent)|figure out|work out"
    r"|train|predictions?|classifier|forecast|simulat(?:e|ing)|pull out|fit (?:the|a)"
    r"|(?:know|see|tell\w*|show\w*|list\w*|report\w*|out|one|ones) (?:which|who|whose|when|what|where)"
    r"|look up|crack|infer|tally|convert|transform|merge|evaluat(?:e|ing)|predict|classify|rank|deduplicate"
    r"|count (?:the|how|all|every|each|up)|want to know|need to know|like to know|tell me"
    r"|total (?:the|our|all|up)|sum (?:the|up|all)"
)
_SUGGESTS = (
    r"(?:sum|total|totals|average|mean|median|number|count|counts|ratio|percentage|maximum|minimum|highest|lowest"
    r"|largest|smallest|longest|latest|earliest|difference|share) (?:\w+ )?(?:of|for|per|from|in|by)"
    r"|report (?:the|which|how|all|every)|(?:list|filter|join|fit|compare|group|generate) (?:the|all|every|each|which"
    r"|those|them|only|out|it)|sort(?:ed)?|in alphabetical order|comes after|exactly one right|grouped by"
    r"|(?:are|be|to) compared|(?:order|rank)ed by|ascending|descending|sums? of|differences?"
    r"|(?:is|are) (?:left out|ignored|skipped|dropped)|only (?:rows|lines|records|entries|orders|events|those)\b"
    r"|one (?:json )?(?:object|row|line|entry) per|(?:add|adds|counts?) up"
    r"|(?:highest|greatest|latest|newest) (?:\w+ )?wins"
    r"|(?:one|a) (?:row|line|entry|object|record|file) (?:per|for each|for every)|split|summary|statistics?"
)
_STRONG = re.compile(rf"\b(?:{_COMPUTES})\b|(?:^|[.!?]\s)(?:which|who|what|when|where)\b", re.IGNORECASE | re.MULTILINE)
_FINDS = re.compile(
    rf"\b(?:{_COMPUTES}|{_SUGGESTS})\b|(?:^|[.!?]\s)(?:which|who|what|when|where)\b", re.IGNORECASE | re.MULTILINE
)
_FREE = re.compile(
    r"\b(of your (?:own )?choice|of your (?:own )?choosing|you (?:can|may) (?:choose|pick|invent|decide)"
    r"|any (?:name|value|text|content|number|string|message|data|words?)\b(?! that| in| of| is| which| has)|arbitrary"
    r"|whatever you|random(?:ly)? (?:chosen|generated|value|data|number|string|password|content)"
    r"|your own (?:words|choice)|up to you|feel free|do(?:es)? not matter|do(?:es)?n't matter"
    r"|sample (?:records?|users?|entries|rows|customers|products)"
    r"|(?:synthetic|fake|dummy|mock|made[- ]up|fictional|fictitious) "
    r"(?:data|records?|users?|entries|rows|values|content|customers|products|text))\b",
    re.IGNORECASE,
)
_SPECIMEN = re.compile(
    r"\b(examples?|illustrat\w+|specimens?|shown?|shape|looks?|e\.g\.|form|format|layout)\b[^.!?\n]{0,40}"
    r"\b(?:synthetic|fake|dummy|mock|made[- ]up|fictional|fictitious)\b|\b(?:synthetic|fake|dummy|mock|made[- ]up"
    r"|fictional|fictitious) (?:data|records?|entries|rows|values|content|text)\b[^.!?\n]{0,20}:\s*$",
    re.IGNORECASE,
)
"""What introduces an example: its values are invented, those asked for are not."""
_MAKES = re.compile(r"\b(creat|generat|invent|writ|mak|produc|insert|seed|populat|fill|add)\w*\b", re.IGNORECASE)
_DISTANCE = re.compile(
    r"\b(rmse|mse|mae|r2|r²|root mean square|(?:absolute|squared) error|correlation|psnr|ssim)\b", re.I
)
_TEMPLATE = re.compile(
    r"\b(?:create|write|produce|make|generate|build|add)\b[^.\n]{0,40}\btemplates?\b|\.(?:tmpl|tpl|j2|jinja2?|template)\b"
    r"|placeholders? (?:must|should|has to|have to|is to|are to)? ?(?:stay|remain|be kept)",
    re.IGNORECASE,
)
_TOLERANCE = re.compile(
    r"\b(?:error|rmse|mse|mae|deviation|distance|difference|loss)\b[^.]{0,60}?\b(?:below|under|less than|at most|within"
    r"|smaller than|not exceed\w*)\b",
    re.IGNORECASE,
)
_ABOUT_FORM = re.compile(
    r"\b(indent\w*|order(?:ing)?|whitespace|spac(?:es?|ing)|format(?:ting)?|style|methods?|approach|language|tools?"
    r"|librar(?:y|ies)|implement\w*|how you|comments?|blank|algorithm|quot(?:es|ing)|newline|case|invented"
    r"|placeholders?|below|above|shown?)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"\b(empty (?:file|marker|directory|folder|json|list|array|object)\b(?!s)|(?<!not )(?<!n't )(?<!never )(?<!to )"
    r"touch(?= [`/\w])|zero[- ](?:byte|length)|placeholder file)",
    re.IGNORECASE,
)
_COPIES = re.compile(
    r"\b(cop(?:y|ies|ied|ying)|restor\w+|mov(?:e|ed|ing)|renam\w+|recover\w*|back(?:ed)?[- ]?up|backups?|duplicat\w+"
    r"|mirror\w*|symlinks?|unchanged|exactly as they are|as[- ]is|byte for byte|verbatim|preserv\w+|identical)\b",
    re.IGNORECASE,
)
_WORKS = re.compile(
    r"(?:^[\W\d]*|[:;,]\s+|\b(?:please|to|must|should|can|you|then|and|we|i|now|needs?|be|it|also|first|just)\s+)"
    r"(?:\w+ly\s+)?(?:repair|fix|migrate|back up|clean|delete|remove|prune|rotate|move|rename|install|configure|deploy"
    r"|apply|restart|upgrade|patch|restore|archive|compress|encrypt|tighten|chmod|chown|enable|disable|rebuild|reset"
    r"|sync|import|load|normali[sz]e|deduplicate|kill|stop|purge|vacuum|reindex|update|insert|set up|correct|register"
    r"|(?:create|make|take) (?:a |an )?(?:\w+ )?(?:backup|snapshot|archive)"
    r"|replace|rewrite|re-?organi[sz]e|consolidate|harden|secure|unpack|extract|drop|revoke|lock|bring|resolve|truncate"
    r"|moved|deleted|removed|cleaned|repaired|fixed|migrated|applied|archived|renamed)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(status|marker|done|finished|complet(?:e|ed|ion)|confirmation|receipt|success|ok"
    r"|(?:migrat\w*|clean\w*|retention|backup|repair\w*|fix\w*|rotat\w*|deploy\w*|install\w*|upgrade|prun\w*|purg\w*"
    r"|sync|maintenance|recovery|restore|action|work|job|audit|change)s? (?:log|report|summary|note)s?)\b",
    re.IGNORECASE,
)
_ACCOUNT = re.compile(
    r"\b((?:summary|explanation|description|report|account) of (?:the|what|your|how)"
    r" (?:root|fix|change|problem|issue|work|cause|you)"
    r"|(?:explain|describ)(?:e|es|ing) (?:the (?:fix|change|cause|problem|root)|what you|how you)"
    r"|append|status|marker|confirm\w*|tells? (?:how|that)|report(?:s|ing)? (?:that|success)"
    r"|(?:when|once) (?:you are |you're |you have |everything is |all is |it is |that is )?(?:all )?(?:done|finished"
    r"|complete\w*)|(?:record|log|document|note|state)(?:s|ed|ing)? (?:what (?:you|was|has)|progress|that|how|every"
    r"|each|the (?:work|changes?|actions?|result|outcome)))\b",
    re.IGNORECASE,
)
_SIGNALS = re.compile(
    r"\b(?:(?:when|once|after|as soon as)\b[^.,;]{0,40}\b(?:finished|done|complet\w+|ready|through|last step|the end"
    r"|everything|all (?:of )?(?:this|that|steps?)|succe(?:ss|ed)\w*)|(?:up)?on (?:success|completion)"
    r"|(?:report|signal|mark|confirm|indicat|announc|acknowledg)\w*"
    r"\b[^.,;]{0,30}\b(?:success\w*|completion|complete|done|finished|the end)"
    r"|(?:finally|at the end|in the end|lastly)\b"
    r"|to (?:show|say|tell|prove) that (?:you|it|the|all|everything)\b[^.;]{0,40}\b(?:done|finished|complete\w*))",
    re.IGNORECASE,
)
_METRIC = re.compile(
    r"(?:\b(?:at least|above|over|more than|exceed\w*|minimum(?: of)?|reach\w*|>=?|≥)\W{0,3}(?:an? )?(?:\w+ ){0,3}"
    r"(?:\d+(?:\.\d+)?\s?(?:%|percent|per cent)|0?\.\d+)"
    r"|\b(?:accuracy|precision|recall|f1|auc|rmse|mse|mae|r2|r²|root mean square|mean (?:absolute|squared) error"
    r"|error rate|word error|similarity|psnr|ssim|iou|score|correlation)\b[^.\n]{0,60}?"
    r"(?:\d+(?:\.\d+)?\s?%|\b\d*\.\d+|\b\d+\b))",
    re.IGNORECASE,
)
_FORM = re.compile(r"\b(keys?|columns?|header|fields?|object|format|form|for example|e\.g\.)\b", re.IGNORECASE)
_DICTATES = re.compile(
    r"\b(?:contain(?:s|ing)?|contents?(?: (?:is|are|of))?|reads?|reading|saying|says|write|put|echo|save|set(?: it)? to"
    r"|consist(?:s|ing)? of|phrase|message|word|line|string|text)\W{1,3}"
    r"(?:(?:exactly|only|just|the|a|single|following|literal|exact|word|line|text|string|phrase|message|value|content)s?"
    r"\W{1,2}){0,4}(?:`[^`\n]+`|\"[^\"\n]+\"|'[^'\n]+')",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def prose(instruction: str) -> str:
    """The instruction without its fenced blocks, as far as it is read."""
    return FENCE.sub("\n", instruction[:READ])


@lru_cache(maxsize=256)
def sentences(instruction: str) -> tuple[str, ...]:
    """Sentences and list lines of the prose; lines wrapped inside a paragraph are joined."""
    joined = re.sub(r"(?<=[^\n])\n(?=[^\s|*#>-])(?!\d+[.)] )", " ", prose(instruction))
    pieces = (piece for piece in re.split(r"(?<=[.!?])\s+(?=[^a-z])|\n", joined) if piece.strip())
    return tuple(piece[:LONGEST] for piece in pieces)


def sentences_naming(instruction: str, name: str) -> tuple[str, ...]:
    """The sentences (or list lines) of the instruction that mention ``name``."""
    pieces = re.split(r"(?<=[.!?])\s+|\n", instruction[:READ])
    return tuple(piece for piece in pieces if name in piece)


def asks_to_find(instruction: str) -> bool:
    """Whether the instruction asks for a value that has to be found or computed."""
    return bool(_FINDS.search(prose(instruction)))


def asks_to_compute(instruction: str) -> bool:
    """Whether a verb of the instruction asks for it, not just a noun that may describe a setting ("number of")."""
    return bool(_STRONG.search(prose(instruction)))


def makes_template(instruction: str) -> bool:
    """Whether a template is what is asked for: its placeholders are to stay."""
    return bool(_TEMPLATE.search(prose(instruction)))


def leaves_free(instruction: str) -> bool:
    """Whether the instruction lets the agent choose values: then two different answers may both be right.

    Freedom of form only (indentation, order, method, language) does not count.
    """
    return any(
        _FREE.search(sentence)
        and not _ABOUT_FORM.search(sentence)
        and not (_SPECIMEN.search(sentence) and not _MAKES.search(sentence))
        for sentence in sentences(instruction)
    )


def signals_completion(instruction: str, path: str) -> bool:
    """Whether ``path`` is to be written to say that the work is done: a sentence about it speaks of the end of the work
    or of success.
    """
    name = path.rstrip("/").rsplit("/", 1)[-1]
    return any(_SIGNALS.search(sentence) for sentence in sentences(instruction) if name in sentence)


def asks_for_empty(instruction: str) -> bool:
    """Whether an empty artefact may be what the instruction asks for."""
    return bool(_EMPTY.search(prose(instruction)))


def may_be_copied(instruction: str) -> bool:
    """Whether handing in an unchanged input may be (part of) what the instruction asks."""
    return bool(_COPIES.search(prose(instruction)))


def has_metric(instruction: str) -> bool:
    """Whether answers are judged by a stated threshold: then different answers may both be right."""
    return bool(_METRIC.search(prose(instruction)))


def asks_for_work(instruction: str) -> bool:
    """Whether the instruction asks to change something in place (repair, migrate, delete, move, ...)."""
    return any(_WORKS.search(sentence) for sentence in sentences(instruction))


def only_tells(instruction: str, path: str) -> bool:
    """Whether ``path`` is asked for as an account of the work (log, status, marker) by its name or its sentence."""
    name = path.rstrip("/").rsplit("/", 1)[-1]
    if _TOLD.search(re.sub(r"[._-]+", " ", name)):
        return True
    return any(_ACCOUNT.search(sentence) for sentence in sentences(instruction) if name in sentence)


def appends(instruction: str, path: str) -> bool:
    """Whether something is to be added to ``path``."""
    name = path.rstrip("/").rsplit("/", 1)[-1]
    words = re.compile(r"\b(append|add (?:a|one|the) (?:line|entry|note|record)|log|record)\b", re.IGNORECASE)
    return any(words.search(sentence.replace(name, "")) for sentence in sentences(instruction) if name in sentence)


def dictates(instruction: str, path: str) -> bool:
    """Whether the sentence that names ``path`` also states, in quotes, what is to stand in it."""
    name = path.rstrip("/").rsplit("/", 1)[-1]
    for sentence in sentences(instruction):
        if name not in sentence or _FINDS.search(sentence) or _FORM.search(sentence):
            continue
        rest = re.sub(rf"[`\"'][^`\"'\n]*{re.escape(name)}[`\"']", " ", sentence)
        if _DICTATES.search(rest):
            return True
    return False


def has_tolerance(instruction: str) -> bool:
    """Whether answers are compared by an error that may not exceed a stated number."""
    return bool(_TOLERANCE.search(prose(instruction)))


def low_threshold(instruction: str) -> bool:
    """Whether a stated share to be reached may be one half or less: then two constants could both reach it."""
    shares = [
        float(value) / 100 for value in re.findall(r"(\d+(?:\.\d+)?)\s?(?:%|percent|per cent)", prose(instruction))
    ]
    return any(0 < share <= 0.5 for share in shares)


def has_error(instruction: str) -> bool:
    """Whether the threshold is one of distance (an error, a correlation), not a share of right answers."""
    return has_tolerance(instruction) or bool(_DISTANCE.search(prose(instruction)))
