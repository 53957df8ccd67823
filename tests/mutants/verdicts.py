"""Verdicts as they come, kept from one run to the next."""

import hashlib
import json
import os
import threading
from pathlib import Path


def write_json(path, value):
    """Never half a file: written beside it, then renamed."""
    new = Path(f'{path}.new')
    new.write_text(json.dumps(value, indent=1, sort_keys=True) + '\n')
    os.replace(new, path)


def read_json(path, otherwise):
    try:
        return json.loads(Path(path).read_text())
    except FileNotFoundError:
        return otherwise
    except ValueError as error:
        raise SystemExit(f'error: {path} is not JSON: {error}; remove it')


def fingerprint(root, texts):
    """Of everything a verdict depends on, but for the mutant itself."""
    root = Path(root)
    here = root / 'tests/mutants'
    files = [*root.glob('pool/*.h'), *root.glob('models/*'),
             *root.glob('tests/*'), root / 'CMakeLists.txt',
             *(here / name for name in ('mutant.h', 'statements.py',
                                        'expressions.py', 'writer.py'))]
    digest = hashlib.sha256('\0'.join(texts).encode())
    for path in sorted(files):
        if path.is_file() and path.suffix != '.md':
            digest.update(f'\0{path.relative_to(root)}\0'.encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Verdicts:
    """id -> record. A record counts while its fingerprint is today's; an old
    one still says which check to try first."""

    def __init__(self, path, current):
        self.path = path
        self.current = current
        self._records = read_json(path, {})
        self._lock = threading.Lock()

    def get(self, mutant):
        record = self._records.get(mutant.id)
        return record if record and record['of'] == self.current else None

    def killer(self, mutant):
        record = self._records.get(mutant.id)
        return record.get('by') if record else None

    def put(self, mutant, record):
        with self._lock:
            self._records[mutant.id] = {**record, 'of': self.current}
            write_json(self.path, self._records)

    def learn(self, results):
        """Takes the killers of a published run, where there is no record."""
        for row in results:
            if row.get('by'):
                self._records.setdefault(row['id'], {'by': row['by'], 'of': ''})
