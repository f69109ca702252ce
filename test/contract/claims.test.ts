/**
 * Sentences that claim what did not happen, or that something holds of everything. Each is told in a state that was checked or recorded, which
 * its row names; a new sentence of this kind fails until it has one. `client/src` has no other texts than these (`page-texts.test.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue } from '../../src/contract/activity/catalogue.js';
import type { Cause } from '../../src/contract/activity/cause.js';
import { english } from '../../src/contract/messages/catalogue.js';

const claims =
  /\b(everything worked|all good|has not seen|under way|is wrong with|never came|no one has|nobody has|everything works)\b/i;

/** The state in which a sentence is shown, by the sentence. */
const checked: Record<string, string> = {
  'It seems a server error occurred. Luckily your data security is all good.': 'The text of the specification.',
  'Rotation under way': 'A row of secret_rotation.',
  'The rotation of {{count}} secret is under way': 'Rows of secret_rotation.',
  'The rotation of {{count}} secrets is under way': 'Rows of secret_rotation.',
  'The rotation of more than {{count}} secrets is under way': 'Rows of secret_rotation.',
  'Another request exchanged the code while this one was under way. This one got no tokens, and no access was ended.':
    'The use of the code, and the time at which the request was complete.',
  'Another request used the refresh token while this one was under way. This one got no tokens, and no access was ended.':
    'The use of the successor, and the time at which the request was complete.',
};

/** What did not happen, as far as launches tell it. A note that is lost with its node must not make one of these false. */
const absence =
  /\b(no (?:token request|refused request|browser|page|record|refresh token|issued token)|not come|never)\b/i;
const namesRecord = /\brecord(?:s|ed)?\b|\bNo record says\b/i;

const folder = join(import.meta.dirname, '../../client/src/shared/i18n/en');
const pageTexts = readdirSync(folder).flatMap((file) =>
  [...readFileSync(join(folder, file), 'utf8').matchAll(/(?<!import .*)(['"`])((?:\\.|(?!\1)[^\\\n])+)\1/g)].map(
    ([, , text = '']) => text.replace(/\\(.)/g, '$1'),
  ),
);
const causeTexts = Object.values(catalogue as Record<string, Cause>).flatMap(
  ({ title, text, decidedBy, developer, change }) =>
    [title, text, decidedBy, developer, change?.text].filter((one) => one !== undefined),
);

it('a sentence about everything, or about what did not happen, has the state that was checked for it', () => {
  const all = [...pageTexts, ...causeTexts, ...Object.values(english)];
  expect(all.length).toBeGreaterThan(2000);
  expect([...new Set(all.filter((text) => claims.test(text) && !(text in checked)))]).toEqual([]);
  expect(Object.keys(checked).filter((text) => !all.includes(text))).toEqual([]);
});

it('what a launch says about an absence names the record, which may have lost it', () => {
  // What a client gets, and what this portal does at all, is no event.
  const rules = /gets no refresh token|are never fetched/;
  const launches = causeTexts.filter((text) => absence.test(text) && !rules.test(text));
  expect(launches.length).toBeGreaterThan(3);
  const silent = launches.filter((text) => !namesRecord.test(text));
  expect(silent).toEqual([]);
});
