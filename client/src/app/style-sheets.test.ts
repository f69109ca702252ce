import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const source = join(import.meta.dirname, '..');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'));

/** The values of a declaration; a function is one of them. */
const valuesOf = (text: string) => text.match(/(?:[^\s(]|\((?:[^()]|\([^()]*\))*\))+/g) ?? [];

/** True if the declaration stays as it is where text runs from right to left. */
function isOneSided(property: string, text: string): boolean {
  // In the middle, as seen from both sides.
  if (property === 'left') return text !== '50%';
  if (/^(right|(margin|padding|border)-(left|right)(-\w+)?)$/.test(property)) return true;
  if (/^(text-align|float|clear)$/.test(property)) return /left|right/.test(text);
  const [first, second, third, fourth] = valuesOf(text);
  if (fourth === undefined) return false;
  if (/^(padding|margin|inset|border-(width|color|style))$/.test(property)) return second !== fourth;
  return property === 'border-radius' && (first !== second || third !== fourth);
}

const oneSided = (css: string) =>
  [...css.matchAll(/^\s*([\w-]+):\s*([^;{}]+);/gm)].flatMap(([, property = '', text = '']) =>
    isOneSided(property, text) ? [`${property}: ${text}`] : [],
  );

describe('the style sheets', () => {
  it('name sides that are mirrored where text runs from right to left', () => {
    const css =
      '.a {\n  left: 50%;\n  padding: 1px 2px 3px 4px;\n  margin: 0 auto;\n  margin-left: 1px;\n  inset: 0 calc(1px + env(a)) 1px;\n}';
    expect(oneSided(css)).toEqual(['padding: 1px 2px 3px 4px', 'margin-left: 1px']);
    expect(files.length).toBeGreaterThan(50);
    const found = files.flatMap((file) =>
      oneSided(readFileSync(join(source, file), 'utf8')).map((declaration) => `${file}: ${declaration}`),
    );
    expect(found).toEqual([]);
  });

  it('let bars scroll away in a low window (WCAG 1.4.10)', () => {
    const keepsBar = (css: string) => {
      const isLow = /@media [^{]*\(max-height: 479\.98px\) \{[^@]*position: (static|relative);/;
      return css.includes('position: sticky') && !isLow.test(css);
    };
    expect(keepsBar('.bar {\n  position: sticky;\n}\n')).toBe(true);
    const sheets = files.map((file) => [file, readFileSync(join(source, file), 'utf8')] as const);
    expect(sheets.filter(([, css]) => css.includes('position: sticky')).length).toBeGreaterThan(5);
    expect(sheets.flatMap(([file, css]) => (keepsBar(css) ? [file] : []))).toEqual([]);
  });

  it('mirror by the attribute that the direction of the configuration sets: of :dir() the build makes a list of languages', () => {
    const found = files.filter((file) => readFileSync(join(source, file), 'utf8').includes(':dir('));
    expect(found).toEqual([]);
  });
});
