import fc from 'fast-check';
import { csvHead, csvLine } from '../../src/contract/rules/csv.js';
import { runs } from '../support/runs.js';

/** The cells of one line, read by the grammar of RFC 4180. */
function read(line: string): string[] {
  const cells = [...`,${line.replace(/\r\n$/, '')}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g)];
  return cells.map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
}

describe('a line of a CSV file', () => {
  it('has its cells between commas, and ends as RFC 4180 wants', () => {
    expect(csvLine(['a', 'b', ''])).toBe('a,b,\r\n');
    expect(csvLine([])).toBe('\r\n');
  });

  it('is a head after the mark of UTF-8', () => {
    expect(csvHead(['a', 'b'])).toBe('\uFEFFa,b\r\n');
  });

  it.each<[unknown, string]>([
    [null, ''],
    [undefined, ''],
    [0, '0'],
    [12.5, '12.5'],
    [true, 'true'],
    [{ a: 1 }, '"{""a"":1}"'],
    ['plain', 'plain'],
    ['ünï', 'ünï'],
    // Each sign that a program could take for the end of a cell.
    ['a b', '"a b"'],
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    ["a'b", '"a\'b"'],
    ['a\tb', '"a\tb"'],
    ['say "hi", "you"', '"say ""hi"", ""you"""'],
    // Each record is one line.
    ['a\r\n\nb\rc', '"a b c"'],
    ['\n=1', '"\' =1"'],
    // Each sign that begins a formula.
    ...['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠'].map((sign): [string, string] => [
      `${sign}1`,
      `"'${sign}1"`,
    ]),
    ['  =1', '"\'  =1"'],
    ['\u200B\u0000=1', '"\'\u200B\u0000=1"'],
    ['\tA', '"\'\tA"'],
    [-5, '"\'-5"'],
    ['a=1', 'a=1'],
    ['1-2', '1-2'],
  ])('has %j as %j', (value, cell) => {
    expect(csvLine([value])).toBe(`${cell}\r\n`);
  });

  it('has the texts that it was made of, and none that a spreadsheet would compute', () => {
    const text = fc.string({ unit: fc.constantFrom(...'ab"\',;= \t-+@|%\r\n＝\u200B') });
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
        const line = csvLine(texts);
        expect(line.slice(0, -2)).not.toMatch(/[\r\n]/);
        const cells = read(line);
        expect(cells.map((cell) => cell.replace(/^'(?=[\s\p{Cf}]*[=+\-@|%＝]|\t)/u, ''))).toEqual(
          texts.map((one) => one.replace(/[\r\n]+/g, ' ').replace(/^'(?=[\s\p{Cf}]*[=+\-@|%＝]|\t)/u, '')),
        );
        for (const cell of cells) expect(cell).not.toMatch(/^[\s\p{Cf}]*[=+\-@|%＝]/u);
      }),
      runs(200, 20_000),
    );
  });
});
