/**
 * Each sentence of the guide about acting for others has the test of what it says, or is advice; a new one fails until
 * it has a row in `guide.ts`. Its samples of a configuration are loaded by `test/platform/config`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { demoAccounts } from '../../../demo/demo-accounts.js';
import { demoFamilies } from '../../../demo/families.js';
import { itInLongRun } from '../../support/runs.js';
import { guideClaims } from './guide.js';

const root = resolve(import.meta.dirname, '../../..');
const guide = readFileSync(join(root, 'docs/guides/acting-for-others.md'), 'utf8');
const listed = guideClaims.flatMap(({ sentences }) => sentences);

/** Sentences, items and rows of tables; without headings and samples. */
function sentencesOf(markdown: string): string[] {
  const blocks = markdown
    .replace(/```[\s\S]*?```/g, '\n')
    .split(/\n(?=\s*(?:[-*] |\d+\. |\||#))|\n\n+/)
    .map((block) => block.replace(/\s*\n\s*/g, ' ').trim())
    .filter((block) => block !== '' && !/^#|^\|[-|]+$/.test(block));
  return blocks.flatMap((block) =>
    block.startsWith('|') ? [block] : block.replace(/^(?:[-*]|\d+\.) /, '').split(/(?<=[.!?:]["')*]?) (?=[A-Z*`])/),
  );
}

describe('A sentence of the guide about acting for others', () => {
  const sentences = sentencesOf(guide);

  itInLongRun('has the test of what it says', () => {
    expect(sentences.length).toBeGreaterThan(90);
    expect(sentences.filter((sentence) => !listed.some((begin) => sentence.startsWith(begin)))).toEqual([]);
  });

  itInLongRun('is listed as it stands there, once', () => {
    const found = (begin: string) => sentences.filter((sentence) => sentence.startsWith(begin)).length;
    expect(listed.filter((begin, at) => found(begin) !== 1 || listed.indexOf(begin) !== at)).toEqual([]);
  });

  it.each(guideClaims.flatMap(({ by }) => (by === 'reading' ? [] : [by])))('has a test in %s: %s', (file, title) => {
    const path = join(root, file);
    expect([file, existsSync(path) && readFileSync(path, 'utf8').includes(title)]).toEqual([file, true]);
  });
});

describe('The families of the demo', () => {
  it('are of accounts that the README of the demo names, on shipped bases and levels', () => {
    const [, ...lines] = demoFamilies().split('\n');
    const emails = demoAccounts().map(({ email }) => email);
    const readme = readFileSync(join(root, 'demo/README.md'), 'utf8');
    expect(lines).toHaveLength(3);
    for (const line of lines) {
      const [email = '', , , , relation = ''] = line.split(',');
      expect([line, emails.includes(email)]).toEqual([line, true]);
      expect(readme).toMatch(new RegExp(`a ${relation}\\b`));
    }
  });
});
