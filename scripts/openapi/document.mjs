/** OpenAPI 3.1 of everything below `/api`. */
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { CommandFailed } from '../prepare.mjs';
import '../typescript.mjs';
import { areaOf, tags } from './areas.mjs';
import { addExamples } from './examples.mjs';
import { operationsOf } from './operations.mjs';
import { readSources } from './program.mjs';
import { closeRequests } from './requests.mjs';
import { Schemas } from './types.mjs';

const { problemKinds } = await import('../../src/platform/errors.ts');
const { managementScope } = await import('../../src/oidc/domain/access-tokens.ts');

const issuer = 'https://issuer.invalid';
const sessionCookie = 'session-cookie.invalid';

const introduction = `The calls of Gatehouse's own pages: the management API below \`/api/admin\`, and the calls of users and of the pages of a sign-in.

A browser is signed in by a cookie. A call that changes something carries JSON (\`Content-Type: application/json\`) where it has a body, and
a browser may send it from the portal's own pages only. A service has an access token instead: the client credentials grant for the scope
\`${managementScope}\`, at a client that is allowed to use the management API. The token is good for \`/api/admin\`, and not together with a session cookie.

Every refusal has the same body, \`ProblemBody\`: its \`message\` tells the user what to do, and \`errors\` name the fields that are wrong.
A member that may be left out may also be null, which means the same; a null of a client means the default. A method that an address does not
have is refused with 405, a call by another host name than the issuer's with 421, an address of more than 16 KB with 431 (of more than 32 KB, with
the headers, without a body).`;

/**
 * The document, and what it lacks; the server replaces {@link issuer} and {@link sessionCookie} by its own
 * (`src/portal/http/api-description.controller.ts`).
 */
export async function openApi(version) {
  const gaps = [];
  const sources = readSources();
  const schemas = new Schemas(sources.checker, await classesOf(sources.contract));
  const operations = operationsOf(sources);
  const paths = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    paths[operation.path][operation.method] = describe(operation, schemas, typeByName(sources));
    gaps.push(...gapsOf(operation));
  }
  schemas.schemaOf(typeByName(sources)('ProblemBody'));
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Gatehouse',
      version,
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: issuer }],
    tags,
    paths: sorted(paths),
    components: { schemas: sorted(schemas.components), responses: refusals(), securitySchemes },
  };
  closeRequests(document);
  addExamples(document);
  return { document, gaps };
}

/** The missing parts that a build accepts, and `npm run check` refuses. */
function gapsOf({ method, path, summary }) {
  return [
    ...(summary ? [] : [`${method} ${path} has no comment that says what the call does.`]),
    ...(areaOf(path) ? [] : [`${method} ${path} belongs to no area (scripts/openapi/areas.mjs).`]),
  ];
}

const securitySchemes = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: sessionCookie,
    description: 'The session of a user who has signed in.',
  },
  sessionSignature: {
    type: 'apiKey',
    in: 'cookie',
    name: `${sessionCookie}.sig`,
    description: 'The signature of the session cookie, which is set and sent together with it.',
  },
  service: {
    type: 'oauth2',
    description: 'An access token of a service, `Authorization: Bearer …`.',
    flows: {
      clientCredentials: {
        tokenUrl: `${issuer}/connect/token`,
        scopes: { [managementScope]: 'Everything that an administrator may do without being a person.' },
      },
    },
  },
};

function describe(operation, schemas, typeNamed) {
  const { id, method, path, access, summary, description, pathNames } = operation;
  if (!access) throw new CommandFailed(`${method} ${path} says nothing about its callers.`);
  const isAdmin = access.length > 0 && path.startsWith('/api/admin/');
  const callers = access.length === 0 ? 'Everyone, signed in or not.' : `${list(access)}.`;
  const parameters = [
    ...pathNames.map((name) => ({ name, in: 'path', required: true, schema: schemaOfPart(path, name) })),
    ...queryParameters(operation, schemas),
  ];
  return {
    operationId: id,
    ...(summary && { summary }),
    description: [description, `Callers: ${callers}`].filter(Boolean).join('\n\n'),
    tags: [areaOf(path) ?? 'Portal'],
    security: securityOf(access, isAdmin && !operation.isForPeople),
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: bodyOf(operation.body, schemas) }),
    ...(operation.takes && { requestBody: fileBody(operation.takes) }),
    responses: { ...answersOf(operation, schemas, typeNamed), ...refusalsOf(operation) },
  };
}

/** The ids of an installation are UUIDs; events of the audit record have numbers, and the other parts are not ids. */
function schemaOfPart(path, name) {
  if (path.startsWith('/api/admin/audit/')) return { type: 'string', pattern: '^[0-9]+$' };
  return { type: 'string', ...(/^(id|userId)$/.test(name) ? { format: 'uuid' } : { minLength: 1 }) };
}

function list(names) {
  const words = { Admin: 'administrators', RelatedPerson: 'representatives' };
  const plural = names.map((name) => words[name] ?? `${name.toLowerCase()}s`);
  const text = plural.length > 1 ? `${plural.slice(0, -1).join(', ')} and ${plural.at(-1)}` : plural[0];
  return text[0].toUpperCase() + text.slice(1);
}

function securityOf(access, isForServices) {
  if (access.length === 0) return [{}];
  return [{ session: [], sessionSignature: [] }, ...(isForServices ? [{ service: [managementScope] }] : [])];
}

function queryParameters({ query, queryNames }, schemas) {
  const single = queryNames.map(({ name, isOptional }) => ({
    name,
    in: 'query',
    required: !isOptional,
    schema: { type: 'string' },
  }));
  if (!query) return single;
  const ownClass = schemas.classOf(query.symbol);
  const defaults = new ownClass();
  const { properties, required = [] } = schemas.schemaOfQuery(query);
  const members = Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description && { description }),
    ...(required.includes(name) ? { required: true } : {}),
    schema: { ...schema, ...(defaults[name] !== undefined && { default: defaults[name] }) },
  }));
  return [...single, ...members];
}

function bodyOf(type, schemas) {
  const isList = schemas.checker.isArrayType(type);
  const schema = schemas.schemaOf(type);
  // The limit of `listOfTexts` in src/platform/http/validation.ts.
  const { required = [] } = isList ? { required: ['a list'] } : schemas.resolve(schema);
  return {
    // No body is an object without members.
    required: required.length > 0,
    content: { 'application/json': { schema: isList ? { ...schema, maxItems: 500 } : schema } },
  };
}

/** A body that is a file. */
function fileBody(mediaType) {
  return { required: true, content: { [mediaType]: { schema: { type: 'string', format: 'binary' } } } };
}

function answersOf({ status, answer, answers, path }, schemas, typeNamed) {
  if (answers.length > 0) return filesOf(answers, schemas, typeNamed);
  const parts = answer.isUnion() ? answer.types : [answer];
  const isNothing = ({ flags }) => flags & (ts.TypeFlags.Void | ts.TypeFlags.Undefined);
  const content = parts.some((one) => !isNothing(one)) && { 'application/json': { schema: schemas.schemaOf(answer) } };
  if (content && !parts.some(isNothing)) return { [status]: { description: 'The answer.', content } };
  const done = { [status]: { description: 'Done; without a body.' } };
  if (!content && status !== 204 && status !== 200)
    throw new CommandFailed(`${path} answers ${status} without a body.`);
  return content ? { ...done, 200: { description: 'The answer.', content } } : done;
}

/** Answers that a handler writes by itself; of some calls the query decides between several media types. */
function filesOf(answers, schemas, typeNamed) {
  const found = {};
  for (const { status, mediaType, type } of answers) {
    if (!mediaType) {
      found[status] = { description: 'Not modified.' };
      continue;
    }
    found[status] ??= { description: 'The file.', content: {} };
    const isJson = /[/+]json$/.test(mediaType);
    const schema = type ? schemas.schemaOf(typeNamed(type)) : { type: isJson ? 'object' : 'string' };
    found[status].content[mediaType] = { schema };
  }
  return found;
}

function refusalsOf({ access, body, method, pathNames, query, queryNames, isOptional, refusals: own }) {
  const isChange = method !== 'get';
  const statuses = new Set([
    400,
    ...(access.length > 0 ? [401, 403] : []),
    ...(isChange ? [403, 413, 415] : []),
    ...(pathNames.length > 0 || isOptional ? [404] : []),
    ...(query || queryNames.length > 0 ? [431] : []),
    ...own,
    503,
  ]);
  if (body) statuses.add(415);
  return Object.fromEntries(
    [...statuses].sort().map((status) => [status, { $ref: `#/components/responses/${status}` }]),
  );
}

const reasons = {
  400: 'The request is malformed, or members of it are wrong.',
  401: 'The caller is not signed in, or the token is not valid.',
  403: 'The caller may not do this, or another site has sent the request.',
  404: 'It does not exist.',
  409: 'It was changed meanwhile, or is in a state in which this cannot be done.',
  413: 'The body has more than 256 KB.',
  415: 'The body is not JSON in UTF-8.',
  429: 'There were too many attempts; `Retry-After` says when the next one makes sense.',
  431: 'The address has more than 16 KB.',
  503: 'The database or another system cannot be reached.',
};

const titles = Object.fromEntries(Object.values(problemKinds).map(({ status, title }) => [status, title]));

/** A refusal, as components of which operations name those that they can answer with. */
function refusals() {
  return Object.fromEntries(
    Object.entries(reasons).map(([status, description]) => [
      status,
      {
        description,
        ...(['429', '503'].includes(status) && {
          headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } },
        }),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/ProblemBody' },
            example: exampleOfRefusal(titles[status] ?? titles[413], description),
          },
        },
      },
    ]),
  );
}

function exampleOfRefusal(title, message) {
  return {
    errors: [{ messages: [message] }],
    title,
    statusMessage: title,
    message,
    codes: [{ code: 'request-invalid' }],
  };
}

/** The classes of the contract by their declarations. */
async function classesOf(files) {
  const modules = new Map();
  for (const { fileName } of files) modules.set(fileName, await import(pathToFileURL(fileName).href));
  return (symbol) => {
    const declaration = symbol?.declarations?.find(ts.isClassDeclaration);
    return declaration && modules.get(declaration.getSourceFile().fileName)?.[symbol.name];
  };
}

function typeByName({ checker, contract }) {
  return (name) => {
    for (const file of contract) {
      const declaration = file.statements.find((one) => one.name?.text === name);
      if (declaration) return checker.getTypeAtLocation(declaration.name);
    }
    throw new CommandFailed(`The contract has no type ${name}.`);
  };
}

function sorted(entries) {
  return Object.fromEntries(Object.entries(entries).sort(([one], [other]) => (one < other ? -1 : 1)));
}
