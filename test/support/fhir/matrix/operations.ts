import type { App, AppRequest } from './app.js';
import type { View } from './view.js';

const input = (...parameter: object[]) => ({ resourceType: 'Parameters', ...(parameter.length > 0 && { parameter }) });

/** Asked for by GET and by POST, which has the same answer. */
function operation(
  name: string,
  path: string,
  parameters: readonly [string, string][],
  expected: (view: View) => string,
): AppRequest[] {
  const query = new URLSearchParams(parameters.map(([one, value]): [string, string] => [one, value])).toString();
  const body = input(...parameters.map(([one, value]) => ({ name: one, valueString: value })));
  return [
    { name: `${name} by GET`, ask: (app) => app.get(path + (query && `?${query}`)), expected },
    { name: `${name} by POST`, ask: async (app) => app.told(await app.send('POST', path, body)), expected },
  ];
}

const records: AppRequest[] = [
  ...operation('$everything', '/Patient/a/$everything', [], (view) => view.record('a')),
  ...operation('$everything of another patient', '/Patient/b/$everything', [], (view) => view.record('b')),
  ...operation('$everything of some types', '/Patient/a/$everything', [['_type', 'Observation,Patient']], (view) =>
    view.record('a', 'Observation', 'Patient'),
  ),
  ...operation('$everything of a type without a scope', '/Patient/a/$everything', [['_type', 'Condition']], (view) =>
    view.may('Condition', 's') ? view.record('a', 'Condition') : '403',
  ),
  {
    name: 'all pages of $everything',
    ask: (app) => app.walk('/Patient/a/$everything?_count=5'),
    expected: (view) => view.record('a'),
  },
  ...operation('the last results', '/Observation/$lastn', [['patient', 'a']], (view) =>
    view.search('Observation', ({ id }) => id.startsWith('a-')),
  ),
  ...['a', 'b'].flatMap((of) =>
    operation(`the documents of patient ${of}`, '/DocumentReference/$docref', [['patient', of]], (view) =>
      view.search('DocumentReference', ({ id }) => id === `${of}-doc`),
    ),
  ),
  ...operation('an operation without a scope', '/ValueSet/$lookup', [['code', 'x']], () => '403'),
  ...operation('an operation that the server lacks', '/Patient/$nonsense', [], () => '404'),
  {
    name: 'GraphQL',
    ask: (app) => app.get('/$graphql?query=x'),
    expected: () => '403',
  },
];

/** An export begins for tokens of a system that permit reading everything (Bulk Data Access 2.0). */
const mayExport = ({ kind }: View) => kind === 'everything';

async function begun(app: App, path: string, init: RequestInit = {}): Promise<Response> {
  return app.fetch(path, { ...init, headers: { prefer: 'respond-async', accept: 'application/fhir+json' } });
}

async function exported(app: App): Promise<string> {
  const response = await begun(app, '/$export');
  await app.checkedText(response);
  if (response.status !== 202) return String(response.status);
  const job = response.headers.get('content-location') ?? '';
  const progress = await app.fetch(job);
  await app.checkedText(progress);
  const done = await app.fetch(job);
  const { output = [], error = [] } = JSON.parse(await app.checkedText(done)) as Record<string, { url: string }[]>;
  const files: string[] = [];
  for (const { url } of output) {
    const file = await app.fetch(url, { headers: { accept: 'application/fhir+ndjson' } });
    const text = await app.checkedText(file);
    files.push(`${file.status} ${file.headers.get('content-type')} ${text.trim().split('\n').length}`);
  }
  const ended = await app.fetch(job, { method: 'DELETE' });
  return [
    response.status,
    progress.status,
    progress.headers.get('x-progress'),
    done.status,
    ...files,
    error.length,
    ended.status,
  ].join(', ');
}

const exports: AppRequest[] = [
  {
    name: 'an export with its files',
    ask: exported,
    expected: (view) => {
      const file = (lines: number) => `200 application/fhir+ndjson ${lines}`;
      return mayExport(view) ? `202, 202, 50 %, 200, ${file(2)}, ${file(14)}, ${file(1)}, 0, 202` : '403';
    },
  },
  {
    name: 'an export of a group',
    ask: async (app) => `${(await begun(app, '/Group/ward/$export')).status}`,
    expected: (view) => (mayExport(view) ? '202' : '403'),
  },
  {
    name: 'an export of all patients by POST',
    ask: async (app) => `${(await begun(app, '/Patient/$export', { method: 'POST' })).status}`,
    expected: (view) => (mayExport(view) ? '202' : '403'),
  },
];

export const operations: readonly AppRequest[] = [...records, ...exports];
