/**
 * Changes that no test can notice, because the changed code does the same. Each with its reason; `text` is the whole line without
 * its indentation, so that an entry goes with its line.
 *
 * @type {{ file: string, text: string, before: string, after: string, why: string }[]}
 */
export const equivalentMutants = [
  ...same('src/contract/rules/csv.ts', "''", 'undefined', 'a list joins undefined as an empty text', [
    "if (value === null || value === undefined) return '';",
  ]),
  ...same('src/activity/domain/launch-views.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "return key.split('\\n')[0] ?? '';",
  ]),
  ...same('src/activity/domain/launch-views.ts', 'indexOf', 'lastIndexOf', 'the codes of the catalogue are unique', [
    '(a, b) => a.at - b.at || Number(isEnd(a)) - Number(isEnd(b)) || codes.indexOf(a.code) - codes.indexOf(b.code),',
  ]),
  ...same('src/activity/domain/launch-views.ts', 'find', 'findLast', 'the keys of the entries are unique', [
    'const decision = end ?? known.find(({ key }) => key === launch.cause);',
  ]),
  ...same('src/audit/domain/audit-views.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "return [...new Set((answered.length > 0 ? answered : asked).map((kind) => kind.split('/')[0] ?? ''))];",
  ]),
  ...same('src/audit/domain/days.ts', '2', '3', 'eight hours before a midnight are the same day as twelve', [
    'last = this.beginOf(new Date(last.getTime() - dayMs / 2));',
  ]),
  ...same('src/audit/domain/days.ts', 'find', 'findLast', 'only the text between the parts is there more than once', [
    'const at = (name: Intl.DateTimeFormatPartTypes) => Number(parts.find(({ type }) => type === name)?.value);',
  ]),
  ...same('src/audit/domain/days.ts', 'error instanceof RangeError', 'true', 'no text causes another error', [
    'if (error instanceof RangeError) return undefined;',
  ]),
  ...same('src/audit/domain/days.ts', 'throw error;', ';', 'no text causes another error', ['throw error;']),
  ...same('src/audit/domain/own-part.ts', '1', '2', 'a list has nothing at a negative index', [
    'const kinds = seen?.[patients?.indexOf(patient) ?? -1];',
  ]),
  ...same('src/audit/domain/own-part.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "target: isAlone ? target : (target.split('?')[0] ?? ''),",
  ]),
  ...same('src/contract/rules/acr.ts', 'indexOf', 'lastIndexOf', 'the list has each level once', [
    'return acrValues.indexOf(acr as Acr) >= acrValues.indexOf(needed);',
  ]),
  ...same('src/contract/rules/clients/client-form.ts', 'find', 'findLast', 'the names of groups are unique', [
    'const membersOf = (name: string) => resourceTypeGroups.find((group) => group.name === name)?.resourceTypes ?? [name];',
  ]),
  ...same('src/contract/rules/clients/security-profile.ts', "''", "'mutated'", 'neither text is a key', [
    "const key = parsePublicJwk(secret ?? '');",
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
      'const users = loadedPages.find((page) => page.path === pageAt(path))?.users;',
    ],
  ),
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
  ...same('src/contract/rules/scopes/scope-description.ts', "'*'", "''", 'a text that is split has at least one part', [
    "const [type = '*', category] = kind.split('/');",
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
  ...same('src/helpdesk/domain/sign-in-obstacles.ts', "'open'", "''", 'a row that does not apply is left out', [
    "[invitation !== undefined, invitationCodes[invitation?.state ?? 'open'], invitation?.until],",
  ]),
  ...same('src/gateway/domain/answers/attribution.ts', "''", "'mutated'", 'neither text is a type', [
    'const [, type = \'\'] = /"resourceType"\\s*:\\s*"([A-Za-z]+)"/.exec(text) ?? [];',
  ]),
  ...same('src/gateway/domain/answers/attribution.ts', '||', '&&', 'what is no object is left out later', [
    'return value === undefined || value === null ? [] : [value];',
  ]),
  ...same(
    'src/gateway/domain/answers/attribution.ts',
    'value === undefined || value === null',
    'false',
    'what is no object is left out later',
    ['return value === undefined || value === null ? [] : [value];'],
  ),
  ...same('src/gateway/domain/answers/attributed-answer.ts', 'false', 'true', 'reset sets it when a resource begins', [
    'private isBundle = false;',
    'private canBeBundle = false;',
  ]),
  ...same('src/gateway/domain/answers/attributed-answer.ts', '0', '1', 'what was before the first resource is taken', [
    'private heldBytes = 0;',
  ]),
  ...same('src/presence/domain/openings.ts', 'oldest !== undefined', 'true', 'no key is undefined', [
    'if (oldest !== undefined) this.known.delete(oldest);',
  ]),
  ...same('src/users/domain/password-policy.ts', '0', '1', 'a name of one character is too short', [
    "[containsName(password, email.slice(0, Math.max(0, email.lastIndexOf('@')))), passwordHoldsEmail],",
  ]),
  ...same('src/users/domain/password-policy.ts', 'indexOf', 'lastIndexOf', 'a row has each character once', [
    'const start = row.indexOf(word.charAt(0));',
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
  ...same('src/audit/domain/own-part.ts', 'indexOf', 'lastIndexOf', 'an event names a patient once', [
    'const kinds = seen?.[patients?.indexOf(patient) ?? -1];',
  ]),
  ...same('src/as-code/domain/plan-text.ts', 'indexOf', 'lastIndexOf', 'either of two equal texts is taken away', [
    'const index = left.indexOf(text);',
  ]),
  ...same('src/readiness/domain/finding.ts', '>=', '>', 'a whole unit is the same amount in the next smaller one', [
    'const unit = [day, hour, minute].find((size) => seconds >= (size === day ? 2 * day : size)) ?? 1;',
  ]),
  ...same('src/readiness/domain/fhir-rules.ts', '0', '1', 'neither number is a status', [
    'const open = servers.filter(({ statusWithoutCredentials: status = 0 }) => status >= 200 && status < 300);',
  ]),
  ...same('src/readiness/domain/fhir-rules.ts', '0', '1', 'a second is no difference', [
    'const offsetOf = ({ clockOffset = 0 }: ServerProbe) => Math.abs(clockOffset);',
  ]),
  ...same('src/clients/domain/secret-rotation.ts', '<', '<=', 'two equal times are the same end', [
    'return expiresAt && expiresAt < end ? expiresAt : end;',
  ]),
  ...same('src/oidc/domain/address-difference.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "const [address = ''] = text.split(/[?#]/);",
  ]),
  ...same('src/oidc/domain/address-difference.ts', 'find', 'findLast', 'the bases that are found are equal texts', [
    'const slashed = urls.find((url) => url === bare);',
  ]),
  ...same('src/oidc/domain/scope-spelling.ts', "''", "'mutated'", 'these groups are part of every match', [
    "const [, subjectText = '', typeText = '', ...rest] = match;",
  ]),
  ...same('src/oidc/domain/scope-spelling.ts', 'subject === undefined', 'false', 'undefined is no subject of a scope', [
    'if (subject === undefined) return undefined;',
  ]),
  ...same('src/oidc/domain/scope-spelling.ts', 'access === undefined', 'false', 'undefined is no access of a scope', [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of source text
    'return access === undefined ? undefined : `${subject}/${type}.${access}${query}`;',
  ]),
  ...same('src/oidc/domain/scope-spelling.ts', 'find', 'findLast', 'no two words differ only in their case', [
    'return known.find((word) => word.toLowerCase() === lower) ?? nearest(text, known);',
  ]),
  ...same('src/clients/domain/client-secret.ts', "''", "'mutated'", 'neither text is a key', [
    "const parsed = form.secretType === 'JWK' && !form.secretUrl ? parsePublicJwk(form.secret ?? '') : undefined;",
  ]),
  ...same('src/clients/domain/client-secret.ts', "''", "'mutated'", 'the next line replaces the hash', [
    "const changed = ClientSecret.create(form, { id: this.id, position, hash: () => '' });",
  ]),
  ...same('src/clients/domain/client-secret.ts', "''", 'undefined', 'the next line replaces the hash', [
    "const changed = ClientSecret.create(form, { id: this.id, position, hash: () => '' });",
  ]),
  ...same('src/clients/domain/client.ts', "'create'", "''", 'the rules know only edit and all other modes', [
    "refuse(problemsOf(form, 'create', [], context));",
  ]),
  ...same('src/clients/domain/client.ts', "'set-type'", "''", 'the rules know only edit and all other modes', [
    "refuse(problemsOf(form, this.clientType === 'Invalid' ? 'set-type' : 'edit', this.secrets, context));",
  ]),
  ...same('src/clients/domain/client.ts', 'find', 'findLast', 'the ids of stored secrets are unique', [
    'const stored = this.secrets.find(({ id }) => id === form.id)?.form();',
    'const secret = stored.find((candidate) => candidate.id === id);',
    'const existing = stored.find(({ id }) => id === secret.id);',
  ]),
  ...same('src/clients/domain/client.ts', "''", "'mutated'", 'neither text is a time', [
    "const end = Date.parse(expires ?? '');",
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
    'NaN is no day before the limit either',
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
    'return categories[scope.type]?.find(({ system, code }) => first[1] === code || first[1] === `${system}|${code}`);',
  ]),
  ...same('src/contract/rules/scopes/scope-description.ts', "''", "'mutated'", 'a scope has at least one action', [
    "const last = all.pop() ?? '';",
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
  ...same('src/gateway/domain/answers/answer-types.ts', 'bytes.length === 0', 'false', 'an empty chunk adds no byte', [
    'if (bytes.length === 0) return;',
  ]),
  ...same('src/gateway/domain/bundle-request.ts', "''", "'mutated'", 'all other names have been refused', [
    "headers[conditions[name] ?? ''] = value;",
  ]),
  ...same('src/gateway/domain/condition.ts', "''", "'mutated'", 'only interactions of the table have a condition', [
    "const levels = [...(needed[interaction] ?? '')].map((action) => token.level(type, action));",
  ]),
  ...same(
    'src/gateway/domain/fhir-request.ts',
    'error instanceof Refusal',
    'true',
    'classify throws nothing but refusals',
    ['if (error instanceof Refusal) return undefined;'],
  ),
  ...same('src/gateway/domain/fhir-request.ts', 'throw error;', ';', 'classify throws nothing but refusals', [
    'throw error;',
  ]),
  ...same('src/gateway/domain/fhir-request.ts', "''", "'mutated'", 'the address of an operation names it', [
    "if (interaction === 'operation') assertOperationParameters(operation ?? '', parameters);",
  ]),
  ...same('src/gateway/domain/answers/json-scanner.ts', '0', '1', 'read sets it', ['at = 0;']),
  ...same('src/gateway/domain/answers/json-scanner.ts', "''", "'mutated'", 'read replaces it', ["private bytes = '';"]),
  ...same('src/gateway/domain/answers/json-scanner.ts', "''", "'mutated'", 'the index is within the text', [
    "const event = this.step(this.bytes[found] ?? '');",
  ]),
  ...same('src/gateway/domain/patient-compartment.ts', "''", "'mutated'", 'neither text is a reference', [
    "return typeof reference === 'string' ? unversioned(reference, serverBase) : '';",
  ]),
  ...same(
    'src/gateway/domain/patient-compartment.ts',
    "'no-patient'",
    "''",
    'only the other two results are looked for',
    [
      "return typeof type === 'string' && type !== 'Patient' ? 'no-patient' : 'unknown';",
      "return type === undefined || type === 'Patient' ? 'unknown' : 'no-patient';",
    ],
  ),
  ...same('src/gateway/domain/related-types.ts', '&&', '||', 'a match has both groups', [
    'if (referring !== undefined && rest !== undefined)',
  ]),
  ...same('src/gateway/domain/request-headers.ts', "''", "'mutated'", 'neither text names a protocol', [
    "if (/websocket/i.test(headers.upgrade ?? ''))",
  ]),
  ...same('src/gateway/domain/request-headers.ts', "''", "'mutated'", 'neither text is a preference', [
    "const wish = (headers.prefer ?? '')",
  ]),
  ...same('src/gateway/domain/request-headers.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());",
  ]),
  ...same('src/gateway/domain/step-up.ts', 'toLowerCase', 'toUpperCase', 'both codes are in the same case', [
    "const codeOf = (token: string): string => token.slice(token.lastIndexOf('|') + 1).toLowerCase();",
  ]),
  ...same('src/gateway/domain/token-permissions.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "const [type = '', ...rest] = url.slice(base.length + 1).split('/');",
  ]),
  ...same('src/gateway/domain/search-parameters.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    ".find((name) => !known.includes(name.split(':')[0] ?? ''));",
  ]),
  ...same('src/gateway/domain/search-parameters.ts', "''", "'mutated'", 'this group is part of every match', [
    "const [, base = '', modifier] = match;",
  ]),
  ...same('src/gateway/domain/search-parameters.ts', 'find', 'findLast', 'a second one has been refused', [
    "const format = parameters.find(([name]) => name === '_format')?.[1];",
  ]),
  ...same('src/oidc/domain/launch.ts', "''", "'mutated'", 'neither text is a type that is left out', [
    "const others = references.filter((reference) => !['patient', 'encounter'].includes(typeOf(reference) ?? ''));",
  ]),
  ...same('src/oidc/domain/scope-request.ts', "''", "'mutated'", 'neither text is a scope with a meaning', [
    "const texts = splitScopes(text ?? '');",
  ]),
  ...same(
    'src/oidc/domain/scope-request.ts',
    "scope.kind === 'resource' || scope.kind === 'operation'",
    'true',
    'scopes of other kinds have no subject',
    ["return scope.kind === 'resource' || scope.kind === 'operation' ? scope.subject : undefined;"],
  ),
  ...same('src/oidc/domain/steps.ts', 'indexOf', 'lastIndexOf', 'the names of the steps are unique', [
    'const later = order.slice(order.indexOf(current) + 1).filter((name) => this.registered.has(name));',
  ]),
  ...same('src/readiness/domain/mail-rules.ts', 'lastIndexOf', 'indexOf', 'the address of a sender has one @', [
    "const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();",
  ]),
  ...same('src/readiness/domain/mail-rules.ts', "''", "'mutated'", 'a sorted list of two has two', [
    "const [shorter = '', longer = ''] = [one, other].sort((a, b) => a.length - b.length);",
  ]),
  ...same('src/session/domain/external-claims.ts', 'find', 'findLast', 'at most one of the texts is a record', [
    'return [text, ...below].find((record) =>',
  ]),
  ...same('src/users/domain/password-policy.ts', "''", "'mutated'", 'the expression matches every text', [
    "const [, before = '', core = '', after = ''] = /^([^\\p{L}]*)(.*?)([^\\p{L}]*)$/su.exec(text) ?? [];",
  ]),
  ...same(
    'src/users/domain/password-policy.ts',
    '/^([^\\p{L}]*)(.*?)([^\\p{L}]*)$/su',
    '/([^\\p{L}]*)(.*?)([^\\p{L}]*)$/su',
    'the first match begins at the start of the text anyway',
    ["const [, before = '', core = '', after = ''] = /^([^\\p{L}]*)(.*?)([^\\p{L}]*)$/su.exec(text) ?? [];"],
  ),
  ...same('src/users/domain/user.ts', "''", "'mutated'", 'neither text is an e-mail address', [
    "const address = email?.trim() ?? '';",
  ]),
];

function same(file, before, after, why, texts) {
  return texts.map((text) => ({ file, text, before, after, why }));
}
