import { same } from './same.mjs';

/** Of the rules that the browser also needs. */
export const inContract = [
  ...same('src/contract/rules/acr.ts', 'indexOf', 'lastIndexOf', 'the list has each level once', [
    'return acrValues.indexOf(acr as Acr) >= acrValues.indexOf(needed);',
  ]),
  ...same('src/contract/rules/clients/client-form.ts', 'find', 'findLast', 'the names of groups are unique', [
    'const membersOf = (name: string) => resourceTypeGroups.find((group) => group.name === name)?.resourceTypes ?? [name];',
  ]),
  ...same('src/contract/rules/clients/client-form.ts', '0', '1', 'neither lifetime is above the recommended one', [
    'const access = parseLifetime(form.accessTokenLifetime) ?? 0;',
  ]),
  ...same(
    'src/contract/rules/clients/client-form.ts',
    'every',
    'some',
    'each list that a client type forces has one item',
    ['return left.length === right.length && left.every((item) => right.includes(item));'],
  ),
  ...same('src/contract/rules/clients/client-form.ts', 'every', 'some', 'the items of a list are of one type', [
    "if (Array.isArray(value) && value.every((item) => typeof item === 'string')) {",
  ]),
  ...same(
    'src/contract/rules/clients/client-secrets.ts',
    'expires === null',
    'false',
    'NaN is not a day before the limit either',
    ['const days = expires === null ? Number.POSITIVE_INFINITY : (Date.parse(expires) - now.getTime()) / 86_400_000;'],
  ),
  ...same('src/contract/rules/clients/client-secrets.ts', 'find', 'findLast', 'the ids of stored secrets are unique', [
    'const before = stored.find((one) => one.id === id)?.expires;',
  ]),
  ...same('src/contract/rules/clients/client-secrets.ts', "''", "'mutated'", 'neither text is a time', [
    "const isChosen = expires && Date.parse(expires) !== Date.parse(before ?? '');",
  ]),
  ...same('src/contract/rules/clients/client-secrets.ts', "''", "'mutated'", 'neither text has a problem', [
    "const description = lineProblem(secret.description ?? '', longestClientTexts.secretDescription);",
  ]),
  ...same('src/contract/rules/clients/client-secrets.ts', "''", "'mutated'", 'neither text is a key', [
    "const key = parsePublicJwk(secret ?? '');",
  ]),
  ...same('src/contract/rules/clients/security-profile.ts', "''", "'mutated'", 'neither text is a key', [
    "const key = parsePublicJwk(secret ?? '');",
  ]),
  ...same('src/contract/rules/csv.ts', "''", 'undefined', 'a list joins undefined as an empty text', [
    "if (value === null || value === undefined) return '';",
  ]),
  ...same('src/contract/rules/nearest.ts', '0', '1', 'the index is within the row', [
    'const replaced = (row[column - 1] ?? 0) + costOf(one[line - 1], other[column - 1]);',
    'next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));',
    'return row[other.length] ?? 0;',
  ]),
  ...same('src/contract/rules/nearest.ts', "''", "'mutated'", 'the index is within the text', [
    "function costOf(one = '', other = ''): number {",
  ]),
  ...same('src/contract/rules/nearest.ts', '1', '2', 'a place behind the last one is never read', [
    'let row = Array.from({ length: other.length + 1 }, (_, index) => index);',
  ]),
  ...same('src/contract/rules/pages.ts', 'last === undefined', 'false', 'no path begins with an undefined folder', [
    'return last === undefined',
  ]),
  ...same(
    'src/contract/rules/pages.ts',
    'find',
    'findLast',
    'a folder has one page with a parameter, and a path one page',
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of source text
      ': (Object.keys(pages) as Path[]).find((known) => known.startsWith(`${folder}:`));',
      'const loadedPageAt = (path: string): LoadedPage | undefined => loadedPages.find((page) => page.path === pageAt(path));',
    ],
  ),
  ...same('src/contract/rules/scopes/access-rows.ts', "''", "'mutated'", 'a part has at least one scope', [
    "const subject = { is: 'part', reach, scope: leaves[0]?.scope.text ?? '' } as const;",
  ]),
  ...same('src/contract/rules/scopes/access-rows.ts', "''", "'mutated'", 'neither text is a kind of scope', [
    "const unknown = texts.filter((text) => !['resource', 'operation', 'refresh'].includes(parseScope(text)?.kind ?? ''));",
  ]),
  ...same('src/contract/rules/scopes/access-rows.ts', 'some', 'every', 'all or none were requested by name', [
    'const isNamed = ({ scopes }: AccessRow) => scopes.some((text) => named.has(text));',
  ]),
  ...same('src/contract/rules/scopes/access-summary.ts', 'find', 'findLast', 'each reach has one row of everything', [
    "const everything = all.find(({ subject }) => subject.is === 'everything');",
  ]),
  ...same(
    'src/contract/rules/scopes/scope-choice.ts',
    'this.companions.set(value, known);',
    ';',
    'a remembered result only saves time',
    ['this.companions.set(value, known);'],
  ),
  ...same(
    'src/contract/rules/scopes/scope-choice.ts',
    '!this.parsed.has(text)',
    'true',
    'a remembered scope only saves time',
    ['if (!this.parsed.has(text)) this.parsed.set(text, parseScope(text));'],
  ),
  ...same(
    'src/contract/rules/scopes/scope-choice.ts',
    '&&',
    '||',
    'scopes of two kinds have neither operation nor text in common',
    ["if (one.kind === 'operation' && other.kind === 'operation') {"],
  ),
  ...same('src/contract/rules/scopes/scope-choice.ts', '&&', '||', 'scopes that overlap are of one kind', [
    "if (one.kind === 'resource' && other.kind === 'resource') {",
  ]),
  ...same('src/contract/rules/scopes/scope-description.ts', "'*'", "''", 'a text that is split has at least one part', [
    "const [type = '*', category] = kind.split('/');",
  ]),
  ...same(
    'src/contract/rules/scopes/scope-description.ts',
    "''",
    "'mutated'",
    'launch without a context has its own description',
    ["const context = scope.context ?? '';"],
  ),
  ...same('src/contract/rules/scopes/scope-description.ts', '2', '3', 'only version 1 is printed in another way', [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of source text
    "printScope({ ...scope, version: 2, query: [['category', `${system}|${code}`]] }),",
  ]),
  ...same('src/contract/rules/scopes/scope-description.ts', 'find', 'findLast', 'the codes of a type are unique', [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of source text
    'return categories[scope.type]?.find(({ system, code }) => value === code || value === `${system}|${code}`);',
  ]),
  ...same('src/contract/rules/scopes/scope-description.ts', "''", "'mutated'", 'each text gets all of its values', [
    "return String(words).replace(/\\{\\{(\\w+)\\}\\}/g, (_, name: string) => values[name] ?? '');",
  ]),
  ...same('src/contract/rules/scopes/smart-scope.ts', "''", "'mutated'", 'these groups are part of every match', [
    "const [, subject, type = '', access = '', queryText] = match;",
    "const [, subject, type = '', name = ''] = match;",
  ]),
  ...same('src/contract/rules/scopes/smart-scope.ts', 'find', 'findLast', 'no two words stand for the same actions', [
    'const word = Object.keys(legacyActions).find((key) => legacyActions[key] === actions);',
  ]),
  ...same(
    'src/contract/rules/scopes/taken-back.ts',
    '/^(cud|cruds)$/',
    '/(cud|cruds)$/',
    'a scope has its letters in their order',
    ["return scope?.kind === 'resource' && /^(cud|cruds)$/.test(scope.actions) ? scope : undefined;"],
  ),
  ...same('src/contract/rules/scopes/taken-back.ts', '||', '&&', 'scopes of two kinds do not overlap', [
    "if (scope.kind !== 'resource' || taken.kind !== 'resource') return [];",
  ]),
  ...same('src/contract/rules/users/user-import.ts', "''", "'mutated'", 'neither text is a field', [
    "const [member = '', index] = (field ?? '').split('.');",
  ]),
  ...same('src/contract/rules/users/user-import.ts', '1', '2', 'a list has nothing at a negative index', [
    'return { column: header[place ?? -1] ?? null, messages: [...messages] };',
  ]),
  ...same('src/contract/rules/users/user-import.ts', 'find', 'findLast', 'no title or type is that of two', [
    'const is = importColumns.find((column) => names[column].includes(plain) && !taken.has(column));',
    'userType: createdUserTypes.find((known) => known.toLowerCase() === type.toLowerCase()) ?? type,',
  ]),
];
