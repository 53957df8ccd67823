"""Builds the checks against the mutated headers."""

import json
import os
import re
import shlex

import process
from verdicts import write_json

ERROR = re.compile(r'\b(pool/\w+\.h):(\d+):(?:\d+:)? (?:fatal )?error:', re.M)
FAILED_UNIT = re.compile(r'(\S+\.cpp)\.o\] Error')


class BuildError(Exception):
    """The checks could not be built, whatever was left out."""


KINDS = {
    'models': ('g++', '-O1', ['-DWORKERPOOL_MODELS=ON']),
    'test': ('g++', '-O1', ['-DWORKERPOOL_TESTS=ON']),
    'thread': ('clang++', '-O1', ['-DWORKERPOOL_TESTS=ON',
                                  '-DWORKERPOOL_SANITIZER=thread']),
    'address': ('g++', '-O1', ['-DWORKERPOOL_TESTS=ON',
                               '-DWORKERPOOL_SANITIZER=address']),
}


def flags(kind):
    compiler, optimise, options = KINDS[kind]
    return ' '.join([compiler, optimise, *options])


class Builds:
    """Build folders below `place`. `jobs`: compilations at a time."""

    def __init__(self, tree, place, jobs, report):
        self.tree = tree
        self.place = place
        self.jobs = jobs
        self.report = report
        self.dropped = self._remembered()
        self.tree.write(place / 'tree', self.dropped)

    def folder(self, kind):
        return self.place / kind

    def build(self, kind, targets=()):
        """Builds the targets, all by default. Mutants that do not compile are
        left out and remembered."""
        self._configure(kind)
        for _ in range(20):
            self.report(f'building {kind} against the mutated headers')
            ended = self._make(kind, targets)
            if ended.status == 0:
                return
            with open(f'{self.place / kind}.log', errors='replace') as log:
                self._drop(kind, log.read())
        raise BuildError(f'{kind}: does not compile; see '
                         f'{self.place / kind}.log')

    def _configure(self, kind):
        compiler, optimise, options = KINDS[kind]
        header = self.tree.root.resolve() / 'tests/mutants/mutant.h'
        # Warnings are for code that somebody wrote.
        ended = process.run(
            ['cmake', '-S', self.place / 'tree', '-B', self.folder(kind),
             f'-DCMAKE_CXX_COMPILER={compiler}', '-DCMAKE_BUILD_TYPE=',
             f'-DCMAKE_CXX_FLAGS={optimise} -w -include {header}', *options],
            f'{self.place / kind}.log')
        if ended.status != 0:
            raise BuildError(f'{kind}: cannot be configured:\n{ended.output}')

    def _make(self, kind, targets):
        argv = ['cmake', '--build', self.folder(kind), '-j', str(self.jobs),
                '--', '-k']
        if targets:
            argv[3:3] = ['--target', *targets]
        return process.run(argv, f'{self.place / kind}.log')

    # A mutant that does not compile is found by the lines of the errors: all
    # of those lines are left out, then each is tried again.

    def _drop(self, kind, output):
        suspects = self._suspects(output)
        units = set(FAILED_UNIT.findall(output))
        commands = [c for c in self._commands(kind)
                    if any(c['file'].endswith('/' + os.path.basename(u))
                           for u in units)]
        if not suspects or not commands:
            raise BuildError(f'{kind}: does not compile:\n{output[-3000:]}')
        guilty = set(suspects)
        self.tree.write(self.place / 'tree', self.dropped | guilty)
        for name in sorted(suspects):
            tried = guilty - {name}
            self.tree.write(self.place / 'tree', self.dropped | tried)
            if all(self._compiles(kind, c) for c in commands):
                guilty = tried
        if not guilty:
            raise BuildError(f'{kind}: does not compile:\n{output[-3000:]}')
        self.dropped |= guilty
        self.report(f'{len(guilty)} mutants do not compile')
        self.tree.write(self.place / 'tree', self.dropped)
        write_json(self.place / 'dropped.json', sorted(self.dropped))

    def _suspects(self, output):
        lines = {(file, int(line)) for file, line in ERROR.findall(output)}
        return {m.id for m in self.tree.mutants if m.id not in self.dropped and
                any(file == m.file and
                    m.line <= line <= m.line + m.original.count('\n')
                    for file, line in lines)}

    def _commands(self, kind):
        with open(self.folder(kind) / 'compile_commands.json') as file:
            return json.load(file)

    def _compiles(self, kind, command):
        return process.run(
            shlex.split(command['command']) + ['-fsyntax-only'],
            f'{self.place / kind}-try.log',
            directory=command['directory']).status == 0

    def _remembered(self):
        known = {m.id for m in self.tree.mutants}
        try:
            with open(self.place / 'dropped.json') as file:
                return set(json.load(file)) & known
        except FileNotFoundError:
            return set()
