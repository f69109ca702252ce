import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogue as causes } from '../../src/contract/activity/catalogue.js';
import { codeOf, english } from '../../src/contract/messages/catalogue.js';
import { type MessageCode, message } from '../../src/contract/messages/message.js';
import { Problem } from '../../src/platform/errors.js';
import { inEnglish } from '../../src/platform/language/translator.js';

const codes = [...new Set(Object.keys(english).map(codeOf))] as MessageCode[];

/** The text of all source files that can name a message. */
function sources(folder: string): string {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx|liquid)$/.test(entry.name) && !/\.(en|test)\.ts$/.test(entry.name))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

describe('a message', () => {
  it('is a code with parameters, and English fills them in', () => {
    const tooLong = message('too-long', { maximum: 20 });
    expect(tooLong).toEqual({ code: 'too-long', params: { maximum: 20 } });
    expect(inEnglish(tooLong)).toBe('Please enter at most 20 characters');
    expect(inEnglish(message('claim-reserved', { name: '{{name}}' }))).toBe(
      "The claim '{{name}}' is set by the server and cannot be chosen.",
    );
    expect(message('field-required')).toEqual({ code: 'field-required' });
  });

  it('with a duration has it in days, hours, minutes and seconds', () => {
    expect(inEnglish(message('access-token-long', { duration: 93_784 }))).toBe(
      'Warning: Access token lifetime set to 1 day 2 hours 3 minutes 4 seconds, but should be no more than 1 hour.',
    );
  });

  it('is refused by the compiler without a text, or with other parameters than the text has', () => {
    const refused = () => [
      // @ts-expect-error There is no such code.
      message('no-such-message'),
      // @ts-expect-error The text has a parameter.
      message('too-long'),
      // @ts-expect-error The parameter has another name.
      message('too-long', { minimum: 20 }),
      // @ts-expect-error The text has no parameter.
      message('field-required', { maximum: 20 }),
      // @ts-expect-error A duration is a number of seconds.
      message('access-token-long', { duration: '1 day' }),
    ];
    expect(refused).toBeInstanceOf(Function);
  });
});

/** Pages show texts as they are, without Markdown. */
it.each([
  ['messages', english],
  ['causes', causes],
])('the %s have no backticks', (_, texts) => {
  expect(JSON.stringify(texts).match(/.{0,40}`.{0,40}/g)).toBeNull();
});

describe('the catalogue', () => {
  const used = `${sources('src')}\n${sources('client/src')}`;

  it.each(codes)('has %s because code or a template uses it', (code) => {
    expect(used).toContain(`'${code}'`);
  });
});

/** A number with a noun in the plural, which is wrong where the number can be 1. */
const numbered = /\{\{(?:count|number|days|found|length|limit|maximum|minimum|months)\}\} (?:[a-z]+ )?[a-z]+s\b/;

it('A message with a number and a noun has a text for each form of the plural', () => {
  const texts = Object.entries(english);
  expect(texts.filter(([key, text]) => numbered.test(text) && !key.endsWith('_other')).map(([key]) => key)).toEqual([]);
  const single = Object.keys(english).filter((key) => key.endsWith('_one'));
  expect(single.filter((key) => !Object.hasOwn(english, key.replace(/_one$/, '_other')))).toEqual([]);
  expect(single.length).toBeGreaterThan(10);
});

it('A cause in the record of a launch agrees with its number: no plural is behind a number that can be 1', () => {
  const numbers = /\{\{(?:seconds|allowed|lifetime|length|count)\}\} (?:[a-z]+ )?[a-z]{2,}s\b/;
  const texts = Object.entries(causes).flatMap(([code, cause]) =>
    Object.entries(cause)
      .filter(([, text]) => typeof text === 'string' && numbers.test(text))
      .map(([name]) => `${code}.${name}`),
  );
  expect(texts).toEqual([]);
  expect(['expired {{seconds}} seconds ago', 'the {{count}} kinds'].every((text) => numbers.test(text))).toBe(true);
});

describe('a refusal', () => {
  it('has the specified texts, and the code of each in the same order', () => {
    const problem = Problem.invalid([
      { field: 'name', messages: [message('too-long', { maximum: 20 }), message('value-invalid')] },
      { messages: [message('value-duplicate')] },
    ]);
    expect(problem.body()).toEqual({
      errors: [
        { field: 'name', messages: ['Please enter at most 20 characters', 'Please enter a valid value'] },
        { messages: ['Duplicate values are not allowed'] },
      ],
      title: 'Bad Request',
      statusMessage: 'Bad Request',
      message: 'Please enter at most 20 characters',
      codes: [
        { field: 'name', code: 'too-long', params: { maximum: 20 } },
        { field: 'name', code: 'value-invalid' },
        { code: 'value-duplicate' },
      ],
    });
  });
});
