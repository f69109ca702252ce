import { same } from './same.mjs';

/** Of the domains of all other modules. */
export const inModules = [
  ...same('src/activity/domain/launch-views.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "return key.split('\\n')[0] ?? '';",
  ]),
  ...same('src/activity/domain/launch-views.ts', 'indexOf', 'lastIndexOf', 'the codes of the catalogue are unique', [
    '(a, b) => a.at - b.at || Number(isEnd(a)) - Number(isEnd(b)) || codes.indexOf(a.code) - codes.indexOf(b.code),',
    '.sort((a, b) => a.last - b.last || placeCodes.indexOf(a.code) - placeCodes.indexOf(b.code))',
  ]),
  ...same('src/activity/domain/launch-views.ts', 'find', 'findLast', 'the keys of the entries are unique', [
    'const decided = left ?? stored.find(({ key }) => key === launch.cause);',
  ]),
  ...same('src/as-code/domain/plan-text.ts', 'indexOf', 'lastIndexOf', 'either of two equal texts is taken away', [
    'const index = left.indexOf(text);',
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
  ...same('src/audit/domain/access-export.ts', '1', '2', 'a list has nothing at a negative index', [
    'const kinds = seen?.[patients?.indexOf(patient) ?? -1];',
  ]),
  ...same('src/audit/domain/access-export.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "target: isAlone ? target : (target.split('?')[0] ?? ''),",
  ]),
  ...same('src/audit/domain/access-export.ts', 'indexOf', 'lastIndexOf', 'an event names a patient once', [
    'const kinds = seen?.[patients?.indexOf(patient) ?? -1];',
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
  ...same('src/clients/domain/secret-rotation.ts', '<', '<=', 'two equal times are the same end', [
    'return expiresAt && expiresAt < end ? expiresAt : end;',
  ]),
  ...same('src/helpdesk/domain/sign-in-obstacles.ts', "'open'", "''", 'a row that does not apply is left out', [
    "[invitation !== undefined, invitationCodes[invitation?.state ?? 'open'], invitation?.until],",
  ]),
  ...same('src/oidc/domain/address-difference.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "const [address = ''] = text.split(/[?#]/);",
  ]),
  ...same('src/oidc/domain/address-difference.ts', 'find', 'findLast', 'the bases that are found are equal texts', [
    'const slashed = urls.find((url) => url === bare);',
  ]),
  ...same('src/oidc/domain/launch.ts', "''", "'mutated'", 'neither text is a type that is left out', [
    "const others = references.filter((reference) => !['patient', 'encounter'].includes(typeOf(reference) ?? ''));",
  ]),
  ...same('src/oidc/domain/scope-request.ts', "''", "'mutated'", 'neither text is a scope with a meaning', [
    "const texts = splitScopes(text ?? '');",
  ]),
  ...same(
    'src/oidc/domain/scope-narrowing.ts',
    "scope.kind === 'resource' || scope.kind === 'operation'",
    'true',
    'scopes of other kinds have no subject',
    ["return scope.kind === 'resource' || scope.kind === 'operation' ? scope.subject : undefined;"],
  ),
  ...same('src/representation/domain/ages.ts', '!format', 'true', 'a format is kept to save time', ['if (!format) {']),
  ...same('src/representation/domain/ages.ts', 'formats.set(timeZone, format);', ';', 'a format is kept to save time', [
    'formats.set(timeZone, format);',
  ]),
  ...same('src/representation/domain/ages.ts', "''", "'mutated'", 'neither text is a date', [
    "const [, year, month, day] = /^(\\d{4})(?:-(\\d{2})(?:-(\\d{2}))?)?$/.exec(date ?? '') ?? [];",
  ]),
  ...same('src/representation/domain/compiled-level.ts', 'known', 'false', 'a level is kept to save time', [
    'if (known) return known;',
  ]),
  ...same(
    'src/representation/domain/compiled-level.ts',
    'compiled.set(rule, level);',
    ';',
    'a level is kept to save time',
    ['compiled.set(rule, level);'],
  ),
  ...same(
    'src/representation/domain/private-kinds.ts',
    'bare.set(level, known);',
    ';',
    'a level is kept to save time',
    ['bare.set(level, known);'],
  ),
  ...same('src/representation/domain/attachments.ts', "'contentType'", "''", 'a text has no attachments', [
    "([name, value]) => name !== 'contained' && !(type === 'Binary' && name === 'contentType') && isIn(name, value),",
  ]),
  ...same(
    'src/oidc/domain/scope-narrowing.ts',
    'granted.length === parts.length',
    'false',
    'what has lost nothing is copied, with the same content',
    ['if (granted.length === parts.length) return narrowed;'],
  ),
  ...same('src/oidc/domain/scope-spelling.ts', "''", "'mutated'", 'these groups are part of every match', [
    "const [, subjectText = '', typeText = '', ...rest] = match;",
  ]),
  ...same(
    'src/oidc/domain/scope-spelling.ts',
    'subject === undefined',
    'false',
    'undefined is not a subject of a scope',
    ['if (subject === undefined) return undefined;'],
  ),
  ...same(
    'src/oidc/domain/scope-spelling.ts',
    'access === undefined',
    'false',
    'undefined is not an access of a scope',
    [
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of source text
      'return access === undefined ? undefined : `${subject}/${type}.${access}${query}`;',
    ],
  ),
  ...same('src/oidc/domain/steps.ts', 'indexOf', 'lastIndexOf', 'the names of the steps are unique', [
    'const later = order.slice(order.indexOf(current) + 1).filter((name) => this.registered.has(name));',
  ]),
  ...same(
    'src/passkeys/domain/passkey.ts',
    '/\\p{Surrogate}$/u',
    '/\\p{Surrogate}/u',
    'a name has no other half of a character',
    ["const beginning = name.slice(0, passkeyNameLength - ending.length).replace(/\\p{Surrogate}$/u, '');"],
  ),
  ...same('src/presence/domain/openings.ts', 'oldest !== undefined', 'true', 'no key is undefined', [
    'if (oldest !== undefined) this.forget(oldest);',
  ]),
  ...same('src/readiness/domain/fhir-rules.ts', '0', '1', 'neither number is a status', [
    'const open = servers.filter(({ statusWithoutCredentials: status = 0 }) => status >= 200 && status < 300);',
  ]),
  ...same('src/readiness/domain/fhir-rules.ts', '0', '1', 'a second is not a difference', [
    'const offsetOf = ({ clockOffset = 0 }: ServerProbe) => Math.abs(clockOffset);',
  ]),
  ...same('src/readiness/domain/finding.ts', '>=', '>', 'a whole unit is the same amount in the next smaller one', [
    'const unit = [day, hour, minute].find((size) => seconds >= (size === day ? 2 * day : size)) ?? 1;',
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
  ...same('src/users/domain/password-policy.ts', '0', '1', 'a name of one character is too short', [
    "[containsName(password, email.slice(0, Math.max(0, email.lastIndexOf('@')))), passwordHoldsEmail],",
  ]),
  ...same('src/users/domain/password-policy.ts', 'indexOf', 'lastIndexOf', 'a row has each character once', [
    'const start = row.indexOf(word.charAt(0));',
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
