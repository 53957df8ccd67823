"""Verdicts as tables, and as results.json."""

from collections import defaultdict

COLUMNS = ('mutants', 'by models', 'by tests', 'time-outs', 'equivalent',
           'beyond', 'survivors')
NOT_COUNTED = ('does not compile', 'implied')


def rows(mutants, records, entries):
    """One dictionary per mutant, for results.json."""
    for mutant in mutants:
        record = dict(records[mutant.id])
        record.pop('of', None)
        if record['verdict'] in ('survived', 'not reached') and \
                mutant.id in entries:
            entry = entries[mutant.id]
            record = {'verdict': entry['kind'],
                      'why': entry.get('lemma') or entry['oracle']}
        yield {'id': mutant.id, 'file': mutant.file, 'line': mutant.line,
               'function': mutant.function, 'operator': mutant.operator,
               'form': mutant.printable(), **record}


def column(row):
    """Which column of the tables the row counts in; None: not counted."""
    verdict = row['verdict']
    if verdict in NOT_COUNTED:
        return None
    if verdict == 'killed':
        return {'model': 'by models', 'test': 'by tests',
                'time-out': 'time-outs'}[row['kind']]
    return verdict if verdict in COLUMNS else 'survivors'


def count(results):
    total = dict.fromkeys(COLUMNS, 0)
    for row in results:
        name = column(row)
        if name:
            total[name] += 1
            total['mutants'] += 1
    return total


def score(counts):
    killed = counts['by models'] + counts['by tests'] + counts['time-outs']
    decided = killed + counts['survivors']
    return f'{100 * killed / decided:.1f} %' if decided else '-'


def last_line(results):
    c = count(results)
    killed = c['by models'] + c['by tests'] + c['time-outs']
    return (f'{c["mutants"]} mutants: {killed} killed ({c["by models"]} by '
            f'models, {c["by tests"]} by tests, {c["time-outs"]} time-outs), '
            f'{c["equivalent"]} equivalent, {c["beyond"]} beyond Relacy, '
            f'{c["survivors"]} survivors')


def table(results, by):
    """Counts per value of the column `by`: file or operator."""
    groups = defaultdict(list)
    for row in results:
        groups[row[by]].append(row)
    name = {'file': 'header'}.get(by, by)
    yield f'| {name} | ' + ' | '.join(COLUMNS) + ' | score |'
    yield '|---|' + '---:|' * (len(COLUMNS) + 1)
    for key in sorted(groups):
        yield _line(key, count(groups[key]))
    yield _line('all', count(results))


def _line(name, counts):
    return f'| {name} | ' + ' | '.join(
        str(counts[c]) for c in COLUMNS) + f' | {score(counts)} |'


def document(results):
    """The tables of README.md here."""
    lines = [last_line(results) + '.', '']
    lines += [*table(results, 'file'), '', *table(results, 'operator')]
    apart = [r for r in results if column(r) in ('survivors', 'beyond')]
    if apart:
        lines += ['', '| not killed | verdict |', '|---|---|']
        lines += [f'| `{r["id"]}` {cell(r["form"])} | {r["verdict"]} |'
                  for r in apart]
    return '\n'.join(lines)


def short(results):
    """The block of the project's README."""
    return last_line(results) + f'. Score {score(count(results))}.'


def full(results):
    """Every mutant, and what became of it."""
    yield '| mutant | verdict | by | after |'
    yield '|---|---|---|---|'
    for r in results:
        how = f'{r["verdict"]}, {r["kind"]}' if 'kind' in r else r['verdict']
        after = f'{r["executions"]} executions' if r.get('executions') else \
            f'{r["seconds"]} s' if 'seconds' in r else ''
        yield f'| `{r["id"]}` {cell(r["form"])} | {how} | ' \
              f'{cell(r.get("by") or r.get("why", ""))} | {after} |'


def cell(text):
    return text.replace('|', '\\|')
