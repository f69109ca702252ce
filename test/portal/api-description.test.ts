import { randomUUID } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { getMetadataStorage } from 'class-validator';
import { openApi } from '../../scripts/openapi/document.mjs';
import { portable } from '../../scripts/openapi/limits.mjs';
import type { Access } from '../../src/platform/http/access.js';
import { Agent } from '../support/http/agent.js';
import { addressOf, routesOf } from '../support/http/routes.js';
import { startAdminPortal } from '../support/portal/admin-portal.js';
import type { TestPortal } from '../support/portal/portal.js';
import { people } from '../support/users/people.js';

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: { name: string; in: string; schema: Schema; example?: unknown }[];
  requestBody?: { required: boolean; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: Schema; example?: unknown }> }>;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: unknown;
  [limit: string]: unknown;
}

let portal: TestPortal;
let document: { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };
let operations: [line: string, operation: Operation][];
let gaps: string[];
let admin: Agent;

beforeAll(async () => {
  portal = await startAdminPortal();
  const described = await openApi('1.2.3');
  gaps = described.gaps;
  document = described.document as unknown as typeof document;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation]),
  );
  admin = new Agent(portal.issuer);
  const { email: username, password } = people.admin;
  expect((await admin.post('/api/session/login', { username, password })).status).toBe(200);
});

afterAll(() => portal.close());

/** Routes below `/api` as the description writes them. */
const routes = () =>
  routesOf(portal)
    .filter(({ path }) => path.startsWith('/api/'))
    .map((route) => ({
      ...route,
      line: `${route.method.toLowerCase()} ${addressOf({ path: route.path.replace(/:(\w+)/g, '{$1}') }, () => '')}`,
    }));

const ofLine = (line: string) => {
  const found = operations.find(([known]) => known === line)?.[1];
  if (!found) throw new Error(`There is no ${line}`);
  return found;
};

const resolved = ({ $ref, ...schema }: Schema): Schema =>
  $ref ? (document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

const hasSame = (schema: object, limits: object) =>
  Object.entries(limits).every(([name, limit]) => (schema as Record<string, unknown>)[name] === limit);

/** The keywords of a schema for the rules of class-validator, by the name of the rule. */
const said: Record<string, (schema: Schema, argument: unknown) => boolean> = {
  // A rule of the form may permit less than validation.
  maxLength: ({ maxLength }, argument) => Number(maxLength) <= Number(argument),
  min: ({ minimum }, argument) => minimum === argument,
  max: ({ maximum }, argument) => maximum === argument,
  arrayMaxSize: ({ maxItems }, argument) => Number(maxItems) <= Number(argument),
  arrayMinSize: ({ minItems }, argument) => minItems === argument,
  matches: ({ pattern }, argument) => pattern === portable((argument as RegExp).source),
  isIn: ({ enum: values = [] }, argument) =>
    JSON.stringify(values.filter((one) => one !== null && one !== '').sort()) ===
    JSON.stringify([...(argument as unknown[])].sort()),
  ruleLimits: (schema, argument) => {
    const { items = {}, enum: values, ...limits } = argument as Schema;
    return (
      hasSame(schema, limits) && hasSame(schema.items ?? {}, items) && (!values || said.isIn?.(schema, values) === true)
    );
  },
};

/** The limits of a class that its schema does not have. */
function missingLimits(ownClass: object, members: Record<string, Schema>): string[] {
  return getMetadataStorage()
    .getTargetValidationMetadatas(ownClass as never, '', false, false)
    .flatMap(({ name = '', propertyName, constraints, each }) => {
      const member = resolved(members[propertyName] ?? {});
      const schema = each ? resolved(member.items ?? {}) : member;
      // A text with limits that may also be empty has them in an alternative.
      const [other = {}] = schema.anyOf ?? [];
      const isThere = !(name in said) || [schema, other].some((one) => said[name]?.(one, constraints[0]));
      return isThere ? [] : [`${propertyName}: ${name}`];
    });
}

const isPrintable = (code: number) => !(code < 32 || (code >= 127 && code < 160));

/** Bodies like the example: with null in the place of one optional member, and without that member. */
function nullsIn(schema: Schema, example: unknown): [withNull: unknown, without: unknown][] {
  const { properties = {} } = resolved(schema);
  return Object.entries(properties).flatMap(([name, member]): [unknown, unknown][] => {
    const { [name]: own, ...others } = example as Record<string, unknown>;
    const inner = (member.anyOf ?? [member]).find(({ $ref }) => $ref) ?? {};
    const within = resolved(inner).properties
      ? nullsIn(inner, own ?? {}).map(([one, other]): [unknown, unknown] => [
          { ...others, [name]: one },
          { ...others, [name]: other },
        ])
      : [];
    const isNullable = [member.type, ...(member.anyOf ?? []).map(({ type }) => type)].flat().includes('null');
    return isNullable ? [[{ ...others, [name]: null }, others], ...within] : within;
  });
}

describe('The description of the API', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(document).toMatchObject({ openapi: '3.1.1', info: { version: '1.2.3' } });
  });

  it('has every route below /api, and no other', () => {
    expect(routes().length).toBeGreaterThan(100);
    expect(operations.map(([line]) => line).sort()).toEqual(
      routes()
        .map(({ line }) => line)
        .sort(),
    );
  });

  it('says of each call what it does, and gives it a subject and a name of its own', () => {
    expect(gaps).toEqual([]);
    const subjects = new Set((document as unknown as { tags: { name: string }[] }).tags.map(({ name }) => name));
    for (const [line, { summary, tags }] of operations) {
      expect([line, summary.length > 10, tags.length, tags.every((tag) => subjects.has(tag))]).toEqual([
        line,
        true,
        1,
        true,
      ]);
    }
    const names = operations.map(([, { operationId }]) => operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('names the callers that each route admits', () => {
    const words = {
      Admin: /administrators/i,
      Patient: /patients/i,
      Practitioner: /practitioners/i,
      RelatedPerson: /representatives/i,
    };
    for (const { line, access } of routes()) {
      const { security, description } = ofLine(line);
      if ((access as Access).to === 'everyone') {
        expect([line, security]).toEqual([line, [{}]]);
        continue;
      }
      const types = access?.to === 'user-types' ? access.types : [];
      const callers = /Callers: (.*)\./.exec(description)?.[1] ?? '';
      const named = Object.entries(words).flatMap(([type, word]) => (word.test(callers) ? [type] : []));
      expect([line, named.sort()]).toEqual([line, [...types].sort()]);
      expect([line, security[0]]).toEqual([line, { session: [], sessionSignature: [] }]);
    }
  });

  it('says that services may make the calls of administrators, apart from those that need a person', () => {
    const ofServices = operations.filter(([, { security }]) => security.some((one) => 'service' in one));
    expect(ofServices.length).toBeGreaterThan(40);
    expect(ofServices.filter(([line]) => !line.includes(' /api/admin/'))).toEqual([]);
    const ofPeople = operations.filter(
      ([line, { security }]) => line.includes(' /api/admin/') && !security.some((one) => 'service' in one),
    );
    expect(ofPeople.map(([line]) => line).sort()).toEqual([
      'get /api/admin/launch-trial/{id}',
      'get /api/admin/requests/{id}/files/{file}',
      'get /api/admin/step-up',
      'post /api/admin/adminmanagement/create-initial',
      'post /api/admin/client/{id}/trial',
      'post /api/admin/launch-trial/{id}/answer',
      'post /api/admin/requests/{id}/decision',
      'post /api/admin/requests/{id}/error',
      'post /api/admin/user/{id}/invitation-link',
      'post /api/admin/user/{id}/reset-second-factor',
      'put /api/admin/presence',
    ]);
  });

  it('has the limits of every class that validates a body or a query', () => {
    let classes = 0;
    for (const { line, body, query } of routes()) {
      const { requestBody, parameters = [] } = ofLine(line);
      if (body && body !== Array) {
        const schema = resolved(requestBody?.content['application/json']?.schema ?? {});
        expect([line, schema.additionalProperties, missingLimits(body, schema.properties ?? {})]).toEqual([
          line,
          false,
          [],
        ]);
        classes += 1;
      }
      if (query && query !== String && query !== Object) {
        const members = Object.fromEntries(parameters.map(({ name, schema }) => [name, schema]));
        expect([line, missingLimits(query, members)]).toEqual([line, []]);
        classes += 1;
      }
    }
    expect(classes).toBeGreaterThan(50);
  });

  it.each([
    ['post /api/session/login', 'username', { type: 'string', minLength: 1, maxLength: 254 }],
    ['put /api/admin/client/bulk/{id}', 'ids', { maxItems: 1000, items: { type: 'string', format: 'uuid' } }],
    ['put /api/admin/client/bulk/{id}', 'expected', { type: ['integer', 'null'], minimum: 1 }],
    ['post /api/admin/client', 'accessTokenType', { enum: ['Jwt', 'Reference', null] }],
    ['post /api/admin/client', 'redirectUris', { maxItems: 100, items: { maxLength: 400 } }],
    ['post /api/admin/configuration/tag', 'value', { maxLength: 20, pattern: '\\S' }],
    ['post /api/admin/user', 'userType', { enum: ['Patient', 'Practitioner'] }],
  ])('of %s says the limits of %s', (line, member, limits) => {
    const schema = resolved(ofLine(line).requestBody?.content['application/json']?.schema ?? {});
    expect(resolved(schema.properties?.[member] ?? {})).toMatchObject(limits);
  });

  it.each([
    ['get /api/admin/user', 'pageSize', { enum: [5, 10, 25, 50, 100], default: 5 }],
    ['get /api/admin/client', 'page', { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 }],
    ['get /api/admin/audit', 'administrators', { enum: ['true', ''] }],
    ['get /api/admin/audit', 'accountId', { maxLength: 500 }],
    ['get /api/user/access-log/export', 'format', { enum: ['csv', 'fhir'] }],
  ])('of %s says the limits of the parameter %s', (line, name, limits) => {
    expect(ofLine(line).parameters?.find((one) => one.name === name)?.schema).toMatchObject(limits);
  });

  it('has patterns that other languages read as JavaScript does', () => {
    const patterns = JSON.stringify(document).match(/"pattern":"(?:[^"\\\\]|\\\\.)*"/g) ?? [];
    expect(patterns.length).toBeGreaterThan(30);
    expect(patterns.filter((one) => /\\\\p\{|\\\\0/.test(one))).toEqual([]);
    const text = new RegExp(portable(/^[^\p{Cc}\p{Surrogate}]*$/u.source), 'u');
    for (let code = 0; code < 0xd800; code += 1)
      expect([code, text.test(String.fromCharCode(code))]).toEqual([code, isPrintable(code)]);
  });

  it('says that a call may be without a body only if none of its members is needed', async () => {
    const ofBodies = operations.filter(([, { requestBody }]) => requestBody);
    const without = ofBodies.filter(([, { requestBody }]) => requestBody?.required === false);
    expect(without.length).toBeGreaterThan(5);
    for (const [line, { requestBody }] of ofBodies) {
      const json = requestBody?.content['application/json'];
      const { required = [], type } = resolved(json?.schema ?? {});
      const isNeeded = !json || type === 'array' || (required as string[]).length > 0;
      expect([line, requestBody?.required]).toEqual([line, isNeeded]);
    }
  });

  it('has an example of each body, parameter and answer in JSON, and all of them fit their schemas', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, 'api');
    const fits = (schema: Schema, example: unknown) =>
      ajv.validate(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')), example);
    let examples = 0;
    for (const [line, { parameters = [], requestBody, responses }] of operations) {
      const media = [requestBody ?? {}, ...Object.values(responses)].flatMap(({ content = {} }) =>
        Object.entries(content).filter(([type]) => /[/+]json$/.test(type)),
      );
      for (const [, { schema, example }] of media) {
        expect([line, example !== undefined, fits(schema, example), ajv.errorsText()]).toEqual([
          line,
          true,
          true,
          'No errors',
        ]);
        examples += 1;
      }
      for (const { name, schema, example } of parameters.filter((one) => one.example !== undefined)) {
        expect([line, name, fits(schema, example)]).toEqual([line, name, true]);
      }
    }
    expect(examples).toBeGreaterThan(100);
  });

  it.each(['post /api/admin/client', 'post /api/admin/configuration/tag', 'post /api/admin/client/export'])(
    'has an example that the portal accepts for %s',
    async (line) => {
      const { example } = ofLine(line).requestBody?.content['application/json'] ?? {};
      const answer = await admin.post(line.split(' ')[1] ?? '', example);
      expect([answer.status < 300, answer.status < 300 ? '' : answer.text]).toEqual([true, '']);
    },
  );
});

describe('An optional member of a body', () => {
  it('may be null, which is answered as if it was left out', async () => {
    let members = 0;
    for (const [line, { requestBody }] of operations) {
      const { schema = {}, example } = requestBody?.content['application/json'] ?? {};
      // Its null means the default of the setting.
      if (!example || schema.$ref?.endsWith('/ClientRequest')) continue;
      for (const [withNull, without] of nullsIn(schema, example)) {
        const [method = '', path = ''] = line.split(' ');
        const call = (body: unknown) =>
          new Agent(portal.issuer).send(path.replace(/\{\w+\}/g, randomUUID()), {
            method: method.toUpperCase(),
            headers: { cookie: [...admin.cookies].map((pair) => pair.join('=')).join('; ') },
            body: body as object,
          });
        const [answer, expected] = [await call(withNull), await call(without)];
        expect([line, withNull, answer.status, answer.status < 500]).toEqual([line, withNull, expected.status, true]);
        members += 1;
      }
    }
    expect(members).toBeGreaterThan(40);
  });
});

/** The description in the file that `npm run build` has written. */
describe('GET /api/openapi.json', () => {
  const address = '/api/openapi.json';

  it('describes this portal to everyone: its issuer, and the name of its cookie', async () => {
    const answer = await new Agent(portal.issuer).get(address);
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(answer.json()).toMatchObject({
      openapi: '3.1.1',
      servers: [{ url: portal.issuer }],
      components: {
        securitySchemes: {
          session: { name: 'gatehouse_session' },
          sessionSignature: { name: 'gatehouse_session.sig' },
          service: { flows: { clientCredentials: { tokenUrl: `${portal.issuer}/connect/token` } } },
        },
      },
    });
    expect(answer.text).not.toContain('.invalid');
    expect((await admin.get(address)).text).toBe(answer.text);
  });

  it('names the cookies by which a user who has signed in may call', async () => {
    const { securitySchemes } = (await admin.get(address)).json<{
      components: { securitySchemes: Record<string, { name: string }> };
    }>().components;
    const cookie = (...schemes: string[]) =>
      schemes
        .map((scheme) => securitySchemes[scheme]?.name ?? '')
        .map((name) => `${name}=${admin.cookies.get(name)}`)
        .join('; ');
    const call = async (sent: string) =>
      (await new Agent(portal.issuer).get('/api/admin/user', { headers: { cookie: sent } })).status;
    expect(await call(cookie('session', 'sessionSignature'))).toBe(200);
    expect(await call(cookie('session'))).toBe(401);
  });

  it('is asked for again without its body while it is the same', async () => {
    const browser = new Agent(portal.issuer);
    const { etag = '', 'cache-control': caching } = (await browser.get(address)).headers;
    expect([etag.length > 20, caching]).toEqual([true, 'public, no-cache']);
    const again = await browser.get(address, { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await browser.get(address, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  it('is sent with gzip to a caller that accepts it, under a tag of its own', async () => {
    const plain = await new Agent(portal.issuer).get(address);
    const answer = await fetch(portal.issuer + address, { headers: { 'accept-encoding': 'gzip' } });
    expect([answer.headers.get('content-encoding'), answer.headers.get('vary')]).toEqual(['gzip', 'Accept-Encoding']);
    expect(answer.headers.get('etag')).not.toBe(plain.headers.etag);
    expect(await answer.text()).toBe(plain.text);
  });
});
