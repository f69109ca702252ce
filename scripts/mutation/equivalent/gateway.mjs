import { same } from './same.mjs';

/** Of the domain of the gateway. */
export const inGateway = [
  ...same('src/gateway/domain/answers/bundle-pieces.ts', "''", "'mutated'", 'each value has a name before it', [
    "private name = '';",
  ]),
  ...same('src/gateway/domain/answers/bundle-pieces.ts', 'false', 'true', 'it is set where a piece begins', [
    'private isScalar = false;',
  ]),
  ...same('src/gateway/domain/answers/answer-types.ts', 'bytes.length === 0', 'false', 'an empty chunk adds no byte', [
    'if (bytes.length === 0) return undefined;',
  ]),
  ...same('src/gateway/domain/answers/attributed-answer.ts', 'false', 'true', 'reset sets it when a resource begins', [
    'private isBundle = false;',
    'private canBeBundle = false;',
  ]),
  ...same('src/gateway/domain/answers/attributed-answer.ts', '0', '1', 'what was before the first resource is taken', [
    'private heldBytes = 0;',
  ]),
  ...same('src/gateway/domain/answers/attribution.ts', "''", "'mutated'", 'neither text is a type', [
    'const [, type = \'\'] = /"resourceType"\\s*:\\s*"([A-Za-z]+)"/.exec(text) ?? [];',
  ]),
  ...same('src/gateway/domain/answers/attribution.ts', '||', '&&', 'what is not an object is left out later', [
    'return value === undefined || value === null ? [] : [value];',
  ]),
  ...same(
    'src/gateway/domain/answers/attribution.ts',
    'value === undefined || value === null',
    'false',
    'what is not an object is left out later',
    ['return value === undefined || value === null ? [] : [value];'],
  ),
  ...same('src/gateway/domain/answers/attribution.ts', 'rest > 0', 'true', 'a number below 0 counts like 0', [
    'if (rest > 0) this.again.set(key, rest - 1);',
  ]),
  ...same('src/gateway/domain/answers/attribution.ts', '>', '>=', 'a number below 0 counts like 0', [
    'if (rest > 0) this.again.set(key, rest - 1);',
  ]),
  ...same(
    'src/gateway/domain/answers/bundle-links.ts',
    'at < 0',
    'false',
    'it takes longer: the whole text is followed',
    ['if (at < 0) return text;'],
  ),
  ...same('src/gateway/domain/answers/bundle-links.ts', '<', '<=', 'a Bundle does not begin with the name', [
    'if (at < 0) return text;',
  ]),
  ...same('src/gateway/domain/answers/bundle-links.ts', '0', '1', 'a Bundle does not begin with the name', [
    'if (at < 0) return text;',
  ]),
  ...same('src/gateway/domain/answers/bundle-links.ts', '+', '-', 'it takes longer: the whole text is followed', [
    "const isOnlyName = Array.isArray(link) && !text.includes(linkName, at + 1) && !text.includes('\\\\u00');",
  ]),
  ...same('src/gateway/domain/answers/bundle-links.ts', '1', '2', 'the name is longer', [
    "const isOnlyName = Array.isArray(link) && !text.includes(linkName, at + 1) && !text.includes('\\\\u00');",
  ]),
  ...same(
    'src/gateway/domain/answers/bundle-links.ts',
    "'\\\\u00'",
    "''",
    'it takes longer: the whole text is followed',
    ["const isOnlyName = Array.isArray(link) && !text.includes(linkName, at + 1) && !text.includes('\\\\u00');"],
  ),
  ...same(
    'src/gateway/domain/answers/bundle-links.ts',
    '!isOnlyName',
    'true',
    'it takes longer: the whole text is followed',
    ['if (!isOnlyName) return withRewrittenLinks(text, links);'],
  ),
  ...same(
    'src/gateway/domain/answers/bundle-links.ts',
    'true',
    'false',
    'it takes longer: the whole text is followed',
    ['const scanner = new LinkScanner(links, true);'],
  ),
  ...same(
    'src/gateway/domain/answers/bundle-links.ts',
    '\'"link"\'',
    "''",
    'it takes longer: the whole text is followed',
    ['const linkName = \'"link"\';'],
  ),
  ...same(
    'src/gateway/domain/answers/bundle-links.ts',
    'this.once',
    'false',
    'it takes longer: the whole text is followed',
    ['if (this.once) break;'],
  ),
  ...same('src/gateway/domain/answers/json-scanner.ts', '0', '1', 'read sets it', ['at = 0;']),
  ...same('src/gateway/domain/answers/json-scanner.ts', "''", "'mutated'", 'read replaces it', ["private bytes = '';"]),
  ...same('src/gateway/domain/answers/json-scanner.ts', "''", "'mutated'", 'the index is within the text', [
    "const event = this.step(this.bytes[found] ?? '');",
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
    "if (interaction === 'operation' || operation === 'docref') assertOperationParameters(operation ?? '', parameters);",
  ]),
  ...same(
    'src/gateway/domain/patient-compartment.ts',
    "'no-patient'",
    "''",
    'only the other two results are looked for',
    ["return named === undefined || named.type === 'Patient' ? 'unknown' : 'no-patient';"],
  ),
  ...same(
    'src/gateway/domain/patient-compartment.ts',
    "!reference.includes('Patient/')",
    'false',
    'it takes longer: no expression finds a patient',
    ["if (!reference.includes('Patient/')) return undefined;"],
  ),
  ...same(
    'src/gateway/domain/patient-compartment.ts',
    "'Patient/'",
    "''",
    'it takes longer: no expression finds a patient',
    ["if (!reference.includes('Patient/')) return undefined;"],
  ),
  ...same('src/gateway/domain/patient-compartment.ts', "''", "'mutated'", 'a text that is split has a first part', [
    "const [parameter = '', modifier] = name.split(':');",
  ]),
  ...same(
    'src/gateway/domain/patient-compartment.ts',
    'plain !== undefined',
    'false',
    'it takes longer: the loop finds it',
    ['if (plain !== undefined) return plain;'],
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
  ...same('src/gateway/domain/search-parameters.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    ".find((name) => !known.includes(name.split(':')[0] ?? ''));",
  ]),
  ...same('src/gateway/domain/search-parameters.ts', "''", "'mutated'", 'this group is part of every match', [
    "const [, base = '', modifier] = match;",
  ]),
  ...same('src/gateway/domain/search-parameters.ts', 'find', 'findLast', 'a second one has been refused', [
    "const format = parameters.find(([name]) => name === '_format')?.[1];",
  ]),
  ...same('src/gateway/domain/step-up.ts', 'toLowerCase', 'toUpperCase', 'both codes are in the same case', [
    "const codeOf = (token: string): string => token.slice(token.lastIndexOf('|') + 1).toLowerCase();",
  ]),
  ...same('src/gateway/domain/token-permissions.ts', "''", "'mutated'", 'a text that is split has at least one part', [
    "const [type = '', ...rest] = url.slice(base.length + 1).split('/');",
  ]),
];
