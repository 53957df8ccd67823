"""Mutants that no check can kill, each with a reason: equivalent.toml.

  [[equivalent]]            nobody can tell it from the original
  mutant = "<id>"
  form = "..."              its printable form, for the reader
  lemma = "..."             a name that README.md or pool/README.md explains
  argument = "..."          why it applies here

  [[beyond]]                weaker, but Relacy runs no execution that shows it
  mutant = "<id>"
  form = "..."
  oracle = "..."            a handshake of models/litmus/handshakes.txt
  site = "..."              weakened there, the oracle shows the bad outcome

An equivalent weakening of an order may have oracle and site instead of lemma
and argument: weakened there, the oracle shows no bad outcome.
"""

import subprocess
import tomllib
from pathlib import Path

ORACLE = ('oracle', 'site')
NEEDED = {'equivalent': ('mutant', 'form', 'lemma', 'argument'),
          'beyond': ('mutant', 'form', *ORACLE)}
LITMUS = Path(__file__).resolve().parents[2] / 'models/litmus/run'


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
            needed = NEEDED['beyond' if 'oracle' in entry else kind]
            missing = [k for k in needed if not entry.get(k)]
            if missing:
                raise JudgementError(f'{path.name}: {entry.get("mutant")}: '
                                     f'{missing[0]} is missing')
            if entry['mutant'] in entries:
                raise JudgementError(f'{path.name}: {entry["mutant"]} twice')
            entries[entry['mutant']] = {**entry, 'kind': kind}
    return entries


def ask_oracle(entry):
    """Whether the bad outcome of the handshake is shown with the site weakened."""
    asked = subprocess.run([LITMUS, '--handshake', entry['oracle'],
                            '--weaken', entry['site']],
                           capture_output=True, text=True)
    if asked.returncode not in (0, 1):
        raise JudgementError(f'{entry["mutant"]}: {asked.stderr.strip()}')
    return asked.returncode == 0


def oracle_complaints(entries, ask=ask_oracle):
    """Entries that lean on the oracle, and are wrong about what it says."""
    for name, entry in entries.items():
        if 'oracle' in entry and ask(entry) != (entry['kind'] == 'beyond'):
            yield (f'{name} ({entry["form"]}): listed as {entry["kind"]}, but '
                   f'the oracle says otherwise of {entry["oracle"]} without '
                   f'{entry["site"]}')


def gone(entries, mutants):
    """Entries of mutants that do not exist any more."""
    known = {m.id for m in mutants}
    for name, entry in entries.items():
        if name not in known:
            yield f'{name} ({entry["form"]}): there is no such mutant any more'


def complaints(entries, mutants, records):
    """What is wrong with the entries, given today's mutants and verdicts."""
    yield from gone(entries, mutants)
    for name, entry in entries.items():
        if records.get(name, {}).get('verdict') == 'killed':
            yield (f'{name} ({entry["form"]}): listed as {entry["kind"]}, but '
                   f'killed by {records[name]["by"]}')
    equivalent = sum(e['kind'] == 'equivalent' for e in entries.values())
    if equivalent * 10 > len(mutants):
        yield (f'{equivalent} of {len(mutants)} mutants are listed as '
               'equivalent, more than a tenth')
