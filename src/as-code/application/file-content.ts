import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { type ValidationError, validate } from 'class-validator';
import { ClientRequest } from '../../contract/clients/clients.js';
import { TagForm } from '../../contract/clients/tags.js';
import type { FieldProblem } from '../../contract/messages/message.js';
import { ProposeRelationshipRequest } from '../../contract/representation.js';
import { defaultClientForm } from '../../contract/rules/clients/client-fields.js';
import { nearest } from '../../contract/rules/nearest.js';
import { ChangeUserRequest } from '../../contract/users/users.js';
import { inEnglish } from '../../platform/language/translator.js';
import { fieldProblems } from '../../platform/values/field-problems.js';
import type { UserName, UserRole } from '../../users/application/users-by-file.js';
import { type FileProblem, FileProblems, type Path } from '../domain/file-problems.js';
import { FileDocument } from './file-document.js';
import { referenced } from './secret-references.js';

export interface Entry<T> {
  path: Path;
  value: T;
}

export interface FileClient {
  request: ClientRequest;
  tags: string[];
}

export interface FileUser {
  name: UserName;
  role: UserRole;
}

const megabyte = 1_000_000;
const largestFile = 8 * megabyte;
const sections = ['tags', 'tenants', 'disclaimers', 'clients', 'users', 'relationships'] as const;
type Section = (typeof sections)[number];

const clientKeys = ['clientId', ...Object.keys(defaultClientForm()).filter((key) => key !== 'clientId')];
const secretKeys = ['id', 'secretType', 'secret', 'secretUrl', 'description', 'expires'];
const relationshipKeys = [
  ...['email', 'name', 'tenant', 'patient', 'basis', 'level', 'relation', 'start', 'end', 'relatedPerson', 'note'],
];
const tenantKeys = ['id', 'name', 'baseUrl'];
const disclaimerKeys = ['id', 'description', 'html', 'tenant', 'clients', 'everyLogin'];

type Members = Record<string, unknown>;

/**
 * A file that was read: well-formed entries, and the problems of the others. A section that is undefined says nothing.
 */
export class FileContent {
  readonly problems: FileProblem[] = [];
  /** Members of clients whose values have another type. */
  private readonly illTyped = new Set<string>();
  tags: Entry<TagForm>[] | undefined;
  clients: Entry<FileClient>[] | undefined;
  users: Entry<FileUser>[] | undefined;
  relationships: Entry<ProposeRelationshipRequest>[] | undefined;
  /** As the configuration of the portal has them. */
  tenants: Entry<Members>[] | undefined;
  disclaimers: Entry<Members>[] | undefined;

  private constructor(
    readonly file: string,
    private readonly document: FileDocument,
  ) {}

  /** Throws {@link FileProblems} for a file that is not YAML; what else is wrong is collected in `problems`. */
  static async read(file: string): Promise<FileContent> {
    const content = new FileContent(file, FileDocument.parse(file, await textOf(file)));
    await content.readAll();
    return content;
  }

  add(path: Path, text: string, options?: { atKey: boolean }): void {
    this.problems.push(this.document.problem(path, text, options));
  }

  addAll(path: Path, problems: readonly FieldProblem[]): void {
    for (const { field, messages } of problems) {
      // A wrong type of value is not also a missing one.
      const top = [...path, field?.split('.')[0]].join('.');
      if (field !== undefined && this.illTyped.has(top)) continue;
      const at = [...path, ...(field === undefined ? [] : field.split('.').map(stepOf))];
      const last = at.at(-1);
      // Rules see lists without their blank texts.
      if (typeof last === 'number') at[at.length - 1] = this.document.placeOfText(at.slice(0, -1), last);
      for (const one of messages) this.add(at, inEnglish(one));
    }
  }

  refuse(): void {
    if (this.problems.length > 0) throw new FileProblems(this.file, this.problems);
  }

  private async readAll(): Promise<void> {
    const top = this.members([], this.document.value, ['version', ...sections]);
    if (!top) return;
    if (top.version !== 1) this.add(['version'], 'The version of the file must be 1.');
    this.tags = await this.entries(top, 'tags', (path, item) => this.tag(path, item));
    this.clients = await this.entries(top, 'clients', (path, item) => this.client(path, item));
    this.users = await this.entries(top, 'users', (path, item) => this.user(path, item));
    this.relationships = await this.entries(top, 'relationships', (path, item) => this.relationship(path, item));
    this.tenants = await this.entries(top, 'tenants', (path, item) => this.configured(path, item, tenantKeys));
    this.disclaimers = await this.entries(top, 'disclaimers', (path, item) =>
      this.configured(path, item, disclaimerKeys),
    );
  }

  private async entries<T>(
    top: Members,
    section: Section,
    read: (path: Path, item: unknown) => T | undefined | Promise<T | undefined>,
  ): Promise<Entry<T>[] | undefined> {
    if (!(section in top)) return undefined;
    const items = top[section];
    if (!Array.isArray(items)) {
      this.add([section], 'This must be a list; [] is an empty one.');
      return undefined;
    }
    const entries: Entry<T>[] = [];
    for (const [index, item] of items.entries()) {
      const path = [section, index];
      const value = await read(path, item);
      if (value !== undefined) entries.push({ path, value });
    }
    return entries;
  }

  private tag(path: Path, item: unknown): Promise<TagForm | undefined> {
    return this.valid(TagForm, path, this.members(path, item, ['value', 'color']));
  }

  private async client(path: Path, item: unknown): Promise<FileClient | undefined> {
    const members = this.members(path, item, clientKeys);
    if (!members) return undefined;
    const { clientTags, clientSecrets, clientClaims, ...rest } = members;
    const tags = this.texts([...path, 'clientTags'], clientTags);
    const secrets = this.secrets([...path, 'clientSecrets'], clientSecrets);
    const claims = this.claims([...path, 'clientClaims'], clientClaims);
    const request = plainToInstance(ClientRequest, {
      ...rest,
      ...(clientSecrets !== undefined && { clientSecrets: secrets }),
      ...(clientClaims !== undefined && { clientClaims: claims }),
    });
    for (const { property } of await this.typeErrors(path, request)) {
      this.illTyped.add([...path, property].join('.'));
      delete request[property as keyof ClientRequest];
    }
    return tags && { request, tags };
  }

  /** A shared secret is never written in the file itself. */
  private secrets(path: Path, list: unknown): unknown {
    if (!Array.isArray(list)) return list;
    return list.map((item, index) => {
      const at = [...path, index];
      const members = this.members(at, item, secretKeys);
      if (typeof members?.secret !== 'string') return members ?? {};
      const found = referenced(members.secret, this.file);
      if (found && 'value' in found) return { ...members, secret: found.value };
      if (found) this.add([...at, 'secret'], found.problem);
      else if (members.secretType !== 'JWK') {
        this.add(
          [...at, 'secret'],
          'Name the secret by env:NAME or file:PATH; its value does not belong in this file.',
        );
      }
      return members;
    });
  }

  private claims(path: Path, list: unknown): unknown {
    if (!Array.isArray(list)) return list;
    return list.map((item, index) => this.members([...path, index], item, ['name', 'value']) ?? {});
  }

  private async user(path: Path, item: unknown): Promise<FileUser | undefined> {
    const members = this.members(path, item, ['email', 'issuer', 'subject', 'userType', 'claims']);
    if (!members) return undefined;
    const { email, issuer, subject, userType, claims = [] } = members;
    const asked = { fullName: 'any', userType, claims: this.claims([...path, 'claims'], claims) };
    const role = await this.valid(ChangeUserRequest, path, asked);
    const isLocal = typeof email === 'string' && issuer === undefined && subject === undefined;
    const isExternal = email === undefined && typeof issuer === 'string' && typeof subject === 'string';
    if (!isLocal && !isExternal) {
      this.add(path, 'Name the user by email, or by issuer and subject if the account belongs to another provider.');
      return undefined;
    }
    const name = isLocal ? { email } : { issuer: String(issuer), subject: String(subject) };
    return role && { name, role: { userType: role.userType, claims: role.claims } };
  }

  private async relationship(path: Path, item: unknown): Promise<ProposeRelationshipRequest | undefined> {
    const members = this.members(path, item, relationshipKeys);
    if (!members) return undefined;
    const { name: fullName, ...rest } = members;
    return this.valid(ProposeRelationshipRequest, path, { ...rest, ...(fullName !== undefined && { fullName }) });
  }

  private configured(path: Path, item: unknown, keys: readonly string[]): Members | undefined {
    const members = this.members(path, item, keys);
    if (members && typeof members.id !== 'string') {
      this.add([...path, 'id'], 'This field is required');
      return undefined;
    }
    return members;
  }

  private texts(path: Path, list: unknown): string[] | undefined {
    if (list === undefined) return [];
    if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
    this.add(path, 'This must be a list of texts.');
    return undefined;
  }

  /** The members with known keys; names the others. */
  private members(path: Path, item: unknown, known: readonly string[]): Members | undefined {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      this.add(path, `This must have members, such as ${known[0]}.`);
      return undefined;
    }
    for (const key of Object.keys(item).filter((one) => !known.includes(one))) {
      const meant = nearest(key, known);
      const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
      this.add([...path, key], `There is no such key.${hint}`, { atKey: true });
    }
    return Object.fromEntries(Object.entries(item).filter(([key]) => known.includes(key)));
  }

  /** The types and sizes that the admin API asks for. */
  private async valid<T extends object>(
    contract: ClassConstructor<T>,
    path: Path,
    members: Members | undefined,
  ): Promise<T | undefined> {
    if (!members) return undefined;
    const request = plainToInstance(contract, members);
    return (await this.typeErrors(path, request)).length > 0 ? undefined : request;
  }

  private async typeErrors(path: Path, request: object): Promise<ValidationError[]> {
    const errors = await validate(request, { whitelist: true, forbidNonWhitelisted: true });
    this.addAll(path, fieldProblems(errors));
    return errors;
  }
}

async function textOf(file: string): Promise<string> {
  const refused = (text: string) => new FileProblems(file, [{ position: { line: 1, column: 1 }, path: [], text }]);
  const content = await beginningOf(file).catch((error: Error) => {
    throw refused(`The file cannot be read: ${error.message}.`);
  });
  if (content.length > largestFile) throw refused(`The file is larger than ${largestFile / megabyte} MB.`);
  // In UTF-16 every other byte is zero, which UTF-8 also permits.
  if (!isUtf8(content) || content.includes(0)) throw refused('The file is not UTF-8.');
  return new TextDecoder().decode(content);
}

/** One byte more than a file may have: a pipe or a device does not say how much it has. */
async function beginningOf(file: string): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of createReadStream(file, { end: largestFile })) parts.push(part);
  return Buffer.concat(parts);
}

function stepOf(step: string): string | number {
  return /^\d+$/.test(step) ? Number(step) : step;
}
