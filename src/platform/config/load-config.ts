import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse, YAMLParseError } from 'yaml';
import { z } from 'zod';
import { counted } from '../../contract/messages/counted.js';
import { claimProblems } from '../../contract/rules/users/claims.js';
import { hasPasskeys } from '../../contract/rules/users/passkeys.js';
import { inEnglish } from '../language/translator.js';
import { brandProblems } from './brands.js';
import { type Config, configSchema, type IdentityProvider } from './config.js';
import { sentenceFor } from './config-sentences.js';
import { languageProblems } from './language.js';
import { representationProblems } from './representation.js';

/** The configuration is invalid; `problems` names every wrong key, one line each. */
export class ConfigError extends Error {
  constructor(readonly problems: string[]) {
    super(`The configuration has ${counted(problems.length, 'problem')}.`);
  }
}

const prefix = 'GATEHOUSE_';
/** Environment variables that are not configuration keys. */
const reserved = new Set([
  'GATEHOUSE_CONFIG',
  'GATEHOUSE_LOCK',
  'GATEHOUSE_BACKUP_PASSPHRASE',
  'GATEHOUSE_BACKUP_PASSPHRASE_FILE',
]);

/**
 * Reads `gatehouse.yaml` (or the file that `GATEHOUSE_CONFIG` names) and lays the environment over it:
 * `GATEHOUSE_SERVER__PORT=8080` sets `server.port`, `GATEHOUSE_KEYS__MASTER_KEY_FILE=/run/secrets/key` reads
 * `keys.masterKey` from a file, `DATABASE_URL` sets `database.url`. Throws {@link ConfigError} with all problems.
 */
export function loadConfig(env: NodeJS.ProcessEnv, folder: string): Config {
  const problems: string[] = [];
  const tree = readFile(env, folder, problems);
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (name === 'DATABASE_URL') setAt(tree, ['database', 'url'], value);
    else if (name.startsWith(prefix) && !reserved.has(name)) overlay(tree, name, value, problems);
  }
  nameIssuerByPort(tree);
  const parsed = configSchema.safeParse(tree, { error: sentenceFor });
  if (!parsed.success) problems.push(...parsed.error.issues.flatMap(describe));
  const { usable, refused } = usablePart(tree);
  const languages = usable.languages.map((one) => ({ ...one, file: resolve(folder, one.file) }));
  problems.push(...contradictions(usable, refused), ...languageProblems(languages));
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems);
  return { ...parsed.data, languages, dataDir: resolve(folder, parsed.data.dataDir) };
}

/**
 * Without an issuer, the portal is reached at its port of this machine: another one would lead every link and redirect
 * astray.
 */
function nameIssuerByPort(tree: Tree): void {
  const port = configSchema.shape.server.safeParse(tree.server).data?.port;
  if (port && (tree.server as Tree | undefined)?.issuer === undefined) {
    setAt(tree, ['server', 'issuer'], `http://localhost:${port}`);
  }
}

/** JSON schema of the configuration, for editors and for `docs/`. */
export function configJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' });
}

type Tree = { [key: string]: unknown };

function readFile(env: NodeJS.ProcessEnv, folder: string, problems: string[]): Tree {
  const named = env.GATEHOUSE_CONFIG;
  const file = resolve(folder, named ?? 'gatehouse.yaml');
  if (!existsSync(file)) {
    if (named) problems.push(`GATEHOUSE_CONFIG: there is no file ${file}`);
    return {};
  }
  try {
    const content: unknown = parse(readFileSync(file, 'utf8')) ?? {};
    if (typeof content === 'object' && content !== null && !Array.isArray(content)) return content as Tree;
    problems.push(`${file}: must hold sections such as "server:"`);
  } catch (error) {
    const where = error instanceof YAMLParseError && error.linePos ? ` (line ${error.linePos[0].line})` : '';
    problems.push(`${file}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}${where}`);
  }
  return {};
}

function overlay(tree: Tree, name: string, value: string, problems: string[]): void {
  const isFile = name.endsWith('_FILE');
  const path = name
    .slice(prefix.length, isFile ? -'_FILE'.length : undefined)
    .split('__')
    .map((part) => part.toLowerCase().replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()));
  if (isFile) {
    try {
      setAt(tree, path, readFileSync(value, 'utf8').trim());
    } catch {
      problems.push(`${name}: cannot read ${value}`);
    }
  } else {
    setAt(tree, path, scalar(value));
  }
}

/** Parses a value of the environment: `true`, `12` and `[a, b]` mean the same as in the file; a text stays a text. */
function scalar(value: string): unknown {
  if (!/^(true|false|\[.*\]|\{.*\})$/s.test(value)) return value;
  try {
    return parse(value);
  } catch {
    return value;
  }
}

function setAt(tree: Tree, path: string[], value: unknown): void {
  const last = path.at(-1);
  if (last === undefined) return;
  let at = tree;
  for (const key of path.slice(0, -1)) {
    const next = at[key];
    // List items are addressed by index: GATEHOUSE_IDENTITY_PROVIDERS__0__CLIENT_SECRET_FILE.
    at[key] = Array.isArray(next) ? [...next] : typeof next === 'object' && next !== null ? { ...next } : {};
    at = at[key] as Tree;
  }
  at[last] = value;
}

function describe(issue: z.core.$ZodIssue): string[] {
  const at = issue.path.join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${[at, key].filter(Boolean).join('.')}: there is no such key`);
  }
  return [`${at || 'configuration'}: ${issue.message}`];
}

type Sections = z.infer<typeof configSchema>;
type Refused = ReadonlySet<string>;

/**
 * The sections without an error of their own, so that contradictions are found in the same run, and the names of the
 * others.
 */
function usablePart(tree: Tree): { usable: Sections; refused: Refused } {
  const sections = Object.entries(configSchema.shape);
  const refused = new Set(
    sections.filter(([key, section]) => !section.safeParse(tree[key]).success).map(([key]) => key),
  );
  const usable = Object.keys(configSchema.shape).filter((key) => !refused.has(key));
  return { usable: configSchema.parse(Object.fromEntries(usable.map((key) => [key, tree[key]]))), refused };
}

/** A refused section has its defaults here, so a key of it is not missing. */
function contradictions(config: Sections, refused: Refused): string[] {
  const problems: string[] = [];
  const { protocol, hostname } = new URL(config.server.issuer);
  if (protocol === 'http:' && !isLoopback(hostname)) {
    problems.push('server.issuer: must be https, http is for localhost only');
  }
  if (config.server.management?.port === config.server.port) {
    problems.push('server.management.port: must be another port than server.port');
  }
  if (config.database.url && !config.keys.masterKey && !refused.has('keys')) {
    problems.push('keys.masterKey: is required with a database of your own (32 random bytes as base64url or hex)');
  }
  if (config.email.smtp && !config.email.from) problems.push('email.from: is required with a mail server');
  if (config.account.adminsNeed === 'passkey') {
    if (config.account.passkeys === 'off') {
      problems.push('account.adminsNeed: cannot be passkey while account.passkeys is off');
    }
    if (!hasPasskeys(hostname)) {
      problems.push('account.adminsNeed: cannot be passkey while server.issuer has an IP address in place of a name');
    }
  }
  problems.push(...providerProblems(config.identityProviders));
  if (
    config.gateway.enabled &&
    /^\/(api|connect|federation|admin|user|assets|health|metrics)(\/|$)/.test(config.gateway.path)
  ) {
    problems.push("gateway.path: is one of the portal's own paths");
  }
  problems.push(...brandProblems(config.brands, config.fhir.tenants));
  problems.push(...tenantProblems(config.fhir), ...disclaimerProblems(config, refused));
  if (![...refused].some((name) => /^(representation|fhir|gateway|locale)$/.test(name))) {
    problems.push(...representationProblems(config));
  }
  return problems;
}

function providerProblems(providers: IdentityProvider[]): string[] {
  return providers.flatMap(({ scheme, authority, copyClaims }, index) => {
    const at = `identityProviders.${index}`;
    const { protocol, hostname } = new URL(authority);
    const names = copyClaims.map(({ claim, as = claim }) => ({ name: as, value: 'any' }));
    return [
      ...(providers.findIndex((other) => other.scheme === scheme) < index
        ? [`${at}.scheme: another provider has the same one`]
        : []),
      ...(protocol === 'http:' && !isLoopback(hostname)
        ? [`${at}.authority: must be https, http is for localhost only`]
        : []),
      ...claimProblems(names, { fhirUserType: '', field: `${at}.copyClaims` }).map(
        ({ field, messages }) => `${field}: ${messages.map(inEnglish).join(' ')}`,
      ),
    ];
  });
}

/** Problems of the tenants: tokens of one tenant must not be valid for another. */
function tenantProblems({ baseUrl, aliases, tenants }: Config['fhir']): string[] {
  const servers = [{ baseUrl, aliases }, ...tenants].map((server) => ({
    base: server.baseUrl?.replace(/\/+$/, ''),
    aliases: server.aliases.map((url) => url.replace(/\/+$/, '')),
  }));
  const bases = servers.map(({ base }) => base);
  const isOfOther = (url: string, own: number) =>
    servers.some(({ base, aliases }, index) => index !== own && (base === url || aliases.includes(url)));
  const sharing = servers.map(({ aliases }, index) => aliases.some((url) => isOfOther(url, index)));
  const shared = 'one is a name of the server of another tenant, or of fhir.baseUrl';
  return [
    ...(sharing[0] ? ['fhir.aliases: one is a name of the server of a tenant'] : []),
    ...tenants.flatMap(({ id }, index) => [
      ...(tenants.findIndex((tenant) => tenant.id === id) < index
        ? [`fhir.tenants.${index}.id: another tenant has the same one`]
        : []),
      ...(bases.indexOf(bases[index + 1]) <= index
        ? [`fhir.tenants.${index}.baseUrl: is the server of another tenant, or fhir.baseUrl`]
        : []),
      ...(sharing[index + 1] ? [`fhir.tenants.${index}.aliases: ${shared}`] : []),
    ]),
  ];
}

function disclaimerProblems({ disclaimers, fhir: { tenants } }: Sections, refused: Refused): string[] {
  return disclaimers.flatMap(({ id, tenant }, index) => [
    ...(disclaimers.findIndex((other) => other.id === id) < index
      ? [`disclaimers.${index}.id: another disclaimer has the same one`]
      : []),
    ...(tenant !== undefined && !refused.has('fhir') && !tenants.some((one) => one.id === tenant)
      ? [`disclaimers.${index}.tenant: is not a tenant of fhir.tenants`]
      : []),
  ]);
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
