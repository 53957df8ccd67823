"""Mutants that no check can kill, each with a reason: equivalent.toml.

  [[equivalent]]            nobody can tell it from the original
  mutant = "<id>"
  form = "..."              its printable form, for the reader
  lemma = "..."             a name that README.md or pool/README.md explains
  argument = "..."          why it applies here

  [[beyond]]                weaker, but Relacy runs no execution that shows it
  mutant = "<id>"
  form = "..."
  oracle = "..."            the handshake of the litmus oracle that shows it
"""

import tomllib
from pathlib import Path

NEEDED = {'equivalent': ('mutant', 'form', 'lemma', 'argument'),
          'beyond': ('mutant', 'form', 'oracle')}


class JudgementError(Exception):
    """The file says what cannot be so."""


def load(path):
    """id -> entry, with its 'kind'."""
    path = Path(path)
    try:
        document = tomllib.loads(path.read_text()) if path.exists() else {}
    except tomllib.TOMLDecodeError as error:
        raise JudgementError(f'{path.name}: {error}') from error
    entries = {}
    for kind, listed in document.items():
        if kind not in NEEDED:
            raise JudgementError(f'{path.name}: there is no kind "{kind}"')
        for entry in listed:
            missing = [k for k in NEEDED[kind] if not entry.get(k)]
            if missing:
                raise JudgementError(f'{path.name}: {entry.get("mutant")}: '
                                     f'{missing[0]} is missing')
            if entry['mutant'] in entries:
                raise JudgementError(f'{path.name}: {entry["mutant"]} twice')
            entries[entry['mutant']] = {**entry, 'kind': kind}
    return entries


def complaints(entries, mutants, records):
    """What is wrong with the entries, given today's mutants and verdicts."""
    known = {m.id: m for m in mutants}
    for name, entry in entries.items():
        if name not in known:
            yield f'{name} ({entry["form"]}): there is no such mutant any more'
        elif records.get(name, {}).get('verdict') == 'killed':
            yield (f'{name} ({entry["form"]}): listed as {entry["kind"]}, but '
                   f'killed by {records[name]["by"]}')
    equivalent = sum(e['kind'] == 'equivalent' for e in entries.values())
    if equivalent * 10 > len(mutants):
        yield (f'{equivalent} of {len(mutants)} mutants are listed as '
               'equivalent, more than a tenth')
