import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  getMetadataStorage,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsISO8601,
  IsNotEmpty,
  IsObject,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateNested,
  validate,
} from 'class-validator';
import { Printable } from '../../../src/contract/list-query.js';
import { inEnglish } from '../../../src/platform/language/translator.js';
import { fieldProblems, sentences } from '../../../src/platform/values/field-problems.js';

class Inner {
  @IsString()
  name: unknown = 'a';
}

class Form {
  @IsString()
  @MaxLength(3)
  text: unknown = 'abc';

  @IsNotEmpty()
  needed: unknown = 'a';

  @Matches(/^a+$/)
  form: unknown = 'a';

  @Printable()
  printed: unknown = 'a';

  @IsBoolean()
  flag: unknown = true;

  @IsInt()
  @Min(2)
  @Max(4)
  number: unknown = 3;

  @IsIn(['a', 'b'])
  choice: unknown = 'a';

  @IsIn(['a', 'b'], { each: true })
  choices: unknown = [];

  @IsUUID()
  id: unknown = '7d1a3c52-6f0b-4c0e-9a51-2f8f3f1f9b64';

  @IsISO8601({ strict: true })
  time: unknown = '2026-11-28';

  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(2)
  list: unknown = [1];

  @IsObject()
  object: unknown = {};

  @ValidateNested()
  inner: unknown = new Inner();
}

/** A rule of the form is inherited by the forms that are made of it. */
class LaterForm extends Form {}

async function problemsOf(members: object): Promise<[string | undefined, string][]> {
  const form = plainToInstance(LaterForm, members);
  const problems = fieldProblems(await validate(form, { whitelist: true, forbidNonWhitelisted: true }));
  return problems.flatMap(({ field, messages }) =>
    messages.map((one): [string | undefined, string] => [field, inEnglish(one)]),
  );
}

it.each<[field: string, value: unknown, sentence: string]>([
  ['text', 7, 'Only text is allowed'],
  ['text', 'abcd', 'Please enter at most 3 characters'],
  ['needed', '', 'Field is required'],
  ['form', 'b', 'Only text of this form is allowed: ^a+$'],
  ['printed', 'a\u0007', 'This has a character that cannot be displayed'],
  ['flag', 'yes', 'Only true or false is allowed'],
  ['number', 2.5, 'Only a whole number is allowed'],
  ['number', 1, 'The smallest number is 2'],
  ['number', 5, 'The largest number is 4'],
  ['choice', 'c', 'Only these values are allowed: a, b'],
  ['choices', ['a', 'c'], 'Only these values are allowed: a, b'],
  ['id', '17', 'Only a UUID is allowed'],
  ['time', 'noon', 'Only a time of ISO 8601 is allowed, such as 2026-11-28T10:00:00Z'],
  ['list', 'a', 'Only a list is allowed'],
  ['list', [], 'Please enter at least 1 value'],
  ['list', [1, 2, 3], 'Please enter at most 2 values'],
  ['object', 'a', 'Only an object is allowed'],
  ['inner', 'a', 'Only an object is allowed'],
  ['more', 'a', 'This member is not allowed'],
])('the member %s with %j is refused with a sentence of ours', async (field, value, sentence) => {
  expect(await problemsOf({ [field]: value })).toEqual([[field, sentence]]);
});

it('a member of a member is named by its path', async () => {
  const inner = Object.assign(new Inner(), { name: 7 });
  expect(await problemsOf({ inner })).toEqual([['inner.name', 'Only text is allowed']]);
});

it('each rule that the contract uses has a sentence', async () => {
  const folder = resolve('src/contract');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  for (const file of files) await import(join(folder, file));
  const { validationMetadatas } = getMetadataStorage() as unknown as {
    validationMetadatas: Map<unknown, { name?: string; type: string; context?: unknown }[]>;
  };
  const rules = [...validationMetadatas.values()].flat().filter(({ context }) => context === undefined);
  const names = new Set(rules.map(({ name, type }) => name ?? type));
  // They refuse nothing.
  for (const name of ['isOptional', 'conditionalValidation', 'ruleLimits']) names.delete(name);
  expect(names.size).toBeGreaterThan(12);
  expect([...names].filter((name) => !Object.hasOwn(sentences, name))).toEqual([]);
});
