import { texts as all } from '../../../texts.js';

/** A number with a noun in the plural, which is wrong where the number can be 1. */
const numbered =
  /\{\{(?:count|number|total|lines|limit|seconds|done)\}\}(?:<\/b>)? (?:[a-z]+ )?[a-z]+(?<!i|wa|ha|goe)s\b/;

/** Texts with a limit that is never 1, and texts that are shown with larger numbers only. */
const neverOne = [
  ...[
    'asker.sentText',
    'clientEdit.settings',
    'clientEdit.takenMany',
    'clientEnding.usedAtLeast',
    'dashboard.setupProgress',
  ],
  ...['presence.andOthers', 'representation.importLead'],
  ...['readiness.counts.pass', 'secretRotation.attentionMore', 'undo.hint', 'userImport.lead'],
];

function textsOf(section: object, path: string[] = []): [key: string, text: string][] {
  return Object.entries(section).flatMap(([name, value]) =>
    typeof value === 'string'
      ? [[[...path, name].join('.'), value] as [string, string]]
      : textsOf(value, [...path, name]),
  );
}

// Messages: `test/contract/messages.test.ts`.
const texts = new Map(textsOf(all).filter(([key]) => !key.startsWith('messages.')));

it('A text with a number and a plural has a form for one, or is never shown with one', () => {
  const plural = [...texts].filter(([key, text]) => !key.endsWith('_one') && numbered.test(text)).map(([key]) => key);
  const withoutOne = plural.filter((key) => !(key.endsWith('_other') && texts.has(key.replace(/_other$/, '_one'))));
  expect(withoutOne.sort()).toEqual([...neverOne].sort());
});

it('A text for one has a form for other numbers', () => {
  const single = [...texts.keys()].filter((key) => key.endsWith('_one'));
  expect(single.filter((key) => !texts.has(key.replace(/_one$/, '_other')))).toEqual([]);
});
