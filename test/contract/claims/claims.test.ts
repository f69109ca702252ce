/**
 * A sentence that claims what did not happen, what is complete or what holds of all is told in a state that was checked
 * or recorded, which its row names (`users.ts`, `administrators.ts`, `messages.ts`); a new one fails until it has a
 * row. The texts are found wherever they are in `client/src`. A cause in the record of launches is tied to its check by
 * its key: the code that finds it notes it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { catalogue } from '../../../src/contract/activity/catalogue.js';
import type { Cause } from '../../../src/contract/activity/cause.js';
import { english } from '../../../src/contract/messages/catalogue.js';
import { administratorClaims } from './administrators.js';
import { claims } from './checked.js';
import { messageClaims } from './messages.js';
import { userClaims } from './users.js';

const root = resolve(import.meta.dirname, '../../..');

/** The code of files below a folder, without tests. */
function codeBelow(folder: string, isWanted: (file: string) => boolean): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file) && isWanted(file))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'));
}

/** The texts of some code that claim something: strings and text between elements, of two words and more. */
function claimsIn(code: string): string[] {
  if (!claims.test(code)) return [];
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) return;
    // A class name or an address with values put in is not a text: the catalogue has all texts (`page-texts.test.ts`).
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node)) {
      const text = node.text.trim();
      if (/\s/.test(text) && claims.test(text)) found.push(text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('code.tsx', code, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX));
  return found;
}

/** The texts of mails that are in their templates, outside of values. */
const templates = 'src/platform/mail/templates';
const templateTexts = readdirSync(join(root, templates)).flatMap((file) =>
  readFileSync(join(root, templates, file), 'utf8')
    .replace(/<style>[\s\S]*?<\/style>|<[^>]*>|\{[{%][\s\S]*?[%}]\}/g, '\n')
    .split('\n')
    .filter((text) => /\s/.test(text.trim()) && claims.test(text)),
);
const textsOf = ({ title, text, decidedBy, developer, change }: Cause) =>
  [title, text, decidedBy, developer, change?.text].filter((one) => one !== undefined);
const causes = Object.entries(catalogue as Record<string, Cause>);
const rows = [...userClaims, ...administratorClaims, ...messageClaims];

describe('A sentence about everything, or about what did not happen', () => {
  const told = new Set([
    ...codeBelow('client/src', () => true).flatMap(claimsIn),
    ...Object.values(english).filter((text) => claims.test(text)),
    ...templateTexts,
  ]);
  const listed = rows.flatMap(({ sentences }) => sentences);

  it('has the state that was checked for it', () => {
    expect(told.size).toBeGreaterThan(200);
    expect([...told].filter((text) => !listed.includes(text))).toEqual([]);
  });

  it('is listed once, and as it is told', () => {
    expect(listed.filter((text, at) => listed.indexOf(text) !== at || !told.has(text))).toEqual([]);
  });

  it('is tied to a module that exists, and to what is checked there', () => {
    const modules = rows.map(({ by }) => by).filter((by) => by !== 'specification' && by !== 'reading');
    expect(modules.filter((folder) => !existsSync(join(root, folder)))).toEqual([]);
    expect(rows.filter(({ what }) => what.length < 10)).toEqual([]);
  });

  it.each([
    ['Everything worked. There is nothing to change.', true],
    ['{{app}} has not seen anything by this attempt.', true],
    ['{{number}} invitations sent', true],
    ['We sent this receipt to your email too.', true],
    ['A test mail is on its way to your address.', true],
    ['No one has looked at your record.', true],
    ['Choose a new password', false],
    ['The invitation will be mailed.', false],
  ])('is found by its words: %s', (text, isClaim) => {
    expect(claims.test(text)).toBe(isClaim);
    expect(claimsIn(`export const page = { a: '${text}', b: <p>${text.replace(/[{}]/g, '')}</p> };`)).toHaveLength(
      isClaim ? 2 : 0,
    );
  });
});

describe('A cause in the record of launches', () => {
  it('that claims something is noted by the code that found it', () => {
    const code = codeBelow('src', (file) => !file.startsWith('contract/')).join('\n');
    const claiming = causes.filter(([, cause]) => textsOf(cause).some((text) => claims.test(text)));
    expect(claiming.length).toBeGreaterThan(40);
    expect(claiming.map(([key]) => key).filter((key) => !code.includes(`'${key}'`))).toEqual([]);
  });

  it('that tells an absence names the record, which may have lost it', () => {
    const absence =
      /\b(no (?:token request|refused request|browser|page|record|refresh token|issued token)|not come|never)\b/i;
    const namesRecord = /\brecord(?:s|ed)?\b|\bNo record says\b/i;
    // What a client gets, and what this portal does at all, is no event.
    const rules = /gets no refresh token|are never fetched/;
    const launches = causes
      .flatMap(([, cause]) => textsOf(cause))
      .filter((text) => absence.test(text) && !rules.test(text));
    expect(launches.length).toBeGreaterThan(3);
    expect(launches.filter((text) => !namesRecord.test(text))).toEqual([]);
  });
});
