"""The text of one header: lines, and what surrounds a place in it."""

import re

BLANK = re.compile(r'(?:\s|//[^\n]*\n|/\*.*?\*/)*', re.S)


class SourceError(Exception):
    """The text is not what the operators understand."""


class Source:
    def __init__(self, name, text):
        if not text.isascii():
            raise SourceError(f'{name}: not plain ASCII; offsets would be off')
        self.name = name
        self.text = text
        self._lines = text.split('\n')

    def line(self, offset):
        return self.text.count('\n', 0, offset) + 1

    def line_text(self, number):
        return self._lines[number - 1] if number <= len(self._lines) else ''

    def where(self, offset):
        return f'{self.name}:{self.line(offset)}'

    def skip_blank(self, offset):
        """The first offset at or after `offset` that is code."""
        return BLANK.match(self.text, offset).end()

    def after_semicolon(self, offset):
        """A statement's end, given the end of its expression."""
        offset = self.skip_blank(offset)
        if self.text[offset:offset + 1] != ';':
            raise SourceError(f'{self.where(offset)}: no ";" where a statement '
                              'should end')
        return offset + 1

    def closing(self, opening):
        """The offset of the parenthesis that closes the one at `opening`."""
        depth = 0
        for offset in self._code(opening):
            depth += {'(': 1, ')': -1}.get(self.text[offset], 0)
            if depth == 0:
                return offset
        raise SourceError(f'{self.where(opening)}: "(" is never closed')

    def parts(self, start, end):
        """Splits start..end at its outermost semicolons."""
        pieces, begin, depth = [], start, 0
        for offset in self._code(start):
            if offset >= end:
                break
            character = self.text[offset]
            depth += {'(': 1, '{': 1, '[': 1}.get(character, 0)
            depth -= {')': 1, '}': 1, ']': 1}.get(character, 0)
            if character == ';' and depth == 0:
                pieces.append(self.trim(begin, offset))
                begin = offset + 1
        return pieces + [self.trim(begin, end)]

    def trim(self, start, end):
        start = min(self.skip_blank(start), end)
        while end > start and self.text[end - 1].isspace():
            end -= 1
        return start, end

    def _code(self, offset):
        """Offsets from `offset` on that are in no literal and no comment."""
        while offset < len(self.text):
            two = self.text[offset:offset + 2]
            if two in ('//', '/*'):
                offset = self.skip_blank(offset)
                continue
            quote = self.text[offset]
            if quote in '"\'':
                offset += 1
                while self.text[offset] != quote:
                    offset += 2 if self.text[offset] == '\\' else 1
                offset += 1
                continue
            yield offset
            offset += 1


def normalised(text):
    """The text without comments, each run of blanks as one."""
    return ' '.join(re.sub(r'//[^\n]*|/\*.*?\*/', ' ', text, flags=re.S).split())


def shortened(text, most=60):
    text = normalised(text)
    return text if len(text) <= most else text[:most - 3] + '...'
