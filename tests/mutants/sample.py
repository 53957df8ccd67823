"""Which mutants `make mutants-sample` plants: few, quick, always the same."""


def program(row):
    return row['by'].split()[1]


def choose(results, most):
    """Rows of results.json: every order that a model kills, and of the others
    that the same programs kill every k-th, so that there are `most` at most."""
    quick = [r for r in results if r.get('kind') == 'model' and
             r['by'].startswith('quick ')]
    orders = [r for r in quick if r['operator'] == 'order']
    programs = {program(r) for r in orders}
    others = [r for r in quick if program(r) in programs and
              r['operator'] != 'order']
    room = max(most - len(orders), 1)
    step = max(-(-len(others) // room), 1)
    return orders + others[::step]
