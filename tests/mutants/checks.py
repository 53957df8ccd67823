"""The checks: model searches and test programs, and what each one found."""

import json
import re
import shlex
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import process

TIERS = ('quick', 'tests', 'stress', 'deep', 'thread', 'address')
MEMORY = 4 << 30
HANG_SECONDS = 20
TEST_ENVIRONMENT = {'SEED': '1', 'PROPERTY_CASES': '100',
                    'HANG_ALARM_SECONDS': str(HANG_SECONDS),
                    'STRESS_ROUNDS': '4'}


@dataclass
class Check:
    name: str
    tier: str
    argv: list
    reached_as: str  # the check whose record says what this one reaches
    env: dict = field(default_factory=dict)
    memory: int = MEMORY
    must_print: str = ''  # a pattern; empty: the status decides

    def is_model(self):
        return self.tier in ('quick', 'deep')

    def command(self, number):
        """The line that repeats it for a mutant."""
        env = {'MUTANT': str(number), **self.env}
        return ' '.join([*(f'{k}={shlex.quote(v)}' for k, v in env.items()),
                         *(shlex.quote(str(a)) for a in self.argv)])


@dataclass
class Found:
    """What a check found: '' (nothing), failed, crashed, hung, or endless: a
    search that would not end, which is a suspicion and no more."""
    what: str
    seconds: float
    detail: str = ''
    executions: int = 0
    search: str = ''


def run(check, log, number=0, *, seconds, reached=None, more=()):
    env = {'MUTANT': str(number), **check.env}
    if reached:
        env['MUTANT_REACHED'] = str(reached)
    json_file = Path(f'{log}.json')
    json_file.unlink(missing_ok=True)
    argv = [*check.argv, *more,
            *(['--json', json_file] if check.is_model() else [])]
    ended = process.run(argv, log, env=env, seconds=seconds,
                        memory=check.memory)
    if ended.timed_out:
        return Found('hung', ended.seconds, f'no end after {seconds:.0f} s')
    if check.is_model():
        return _model(ended, json_file)
    return _test(check, ended)


def _model(ended, json_file):
    if ended.status == 0:
        return Found('', ended.seconds)
    try:
        with open(json_file) as file:
            rows = [json.loads(line) for line in file]
    except (FileNotFoundError, ValueError):
        return _crashed(ended)
    endless = None
    for row in rows:
        if row['verdict'] != 'FAILED':
            continue
        found = Found('failed', ended.seconds, str(row.get('result')),
                      row.get('executions') or 0, row['search'])
        if row.get('result') == 'SUCCESS':
            found.what, found.detail = 'endless', 'not exhausted in its time'
            endless = found
            continue
        if row.get('result') in (None, '', 'none'):
            found.what, found.detail = 'crashed', 'the search crashed'
        return found
    return endless or _crashed(ended)


def _test(check, ended):
    hang = re.search(r'^HANG in .*', ended.output, re.M)
    if hang:
        return Found('hung', ended.seconds, hang[0])
    if check.must_print:
        if re.search(check.must_print, ended.output):
            return Found('', ended.seconds)
        return Found('failed', ended.seconds, _last_line(ended.output))
    if ended.status == 0:
        return Found('', ended.seconds)
    failed = re.search(r'^\[  FAILED  \] (\S+)|^(WARNING: ThreadSanitizer.*|.*'
                       r'ERROR: AddressSanitizer.*|.*runtime error.*)',
                       ended.output, re.M)
    if failed:
        return Found('failed', ended.seconds, failed[1] or failed[2])
    return _crashed(ended)


def _crashed(ended):
    name = '' if ended.status >= 0 else signal.Signals(-ended.status).name
    return Found('crashed', ended.seconds, name or _last_line(ended.output))


def _last_line(output):
    lines = output.strip().splitlines()
    return lines[-1][:200] if lines else 'no output'


def models(folder, names, mode, *more):
    """One check per model of the programs, in a mode."""
    tier = 'quick' if mode == 'quick' else 'deep'
    for name in names:
        program = folder / 'models' / f'model_{name}'
        listed = subprocess.run(
            [program, '--list', '--mode', mode], check=True, text=True,
            capture_output=True).stdout
        for model in dict.fromkeys(line.split('\t')[1]
                                   for line in listed.splitlines()):
            yield Check(f'{tier} {name} {model}', tier,
                        [program, '--mode', mode, '--only', model, '--jobs',
                         '1', *more],
                        f'quick {name} {model}')  # every one has a quick part


def tests(folder, build):
    """One check per test program, by what ctest knows of it."""
    shown = subprocess.run(
        ['ctest', '--test-dir', folder, '--show-only=json-v1'], check=True,
        text=True, capture_output=True).stdout
    for test in json.loads(shown)['tests']:
        properties = {p['name']: p['value'] for p in test['properties']}
        labels = properties.get('LABELS', [])
        if build == 'test':
            tier = 'stress' if 'stress' in labels else 'tests'
        else:
            tier = build
        yield Check(f'{build} {test["name"]}', tier, test['command'],
                    f'test {test["name"]}', dict(TEST_ENVIRONMENT),
                    # A sanitizer reserves more than any machine has.
                    memory=MEMORY if build == 'test' else 0,
                    must_print=(properties.get('PASS_REGULAR_EXPRESSION') or
                                [''])[0])
