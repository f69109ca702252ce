import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startSmallGateway } from './small-gateway/listen.js';
import { sound } from './small-gateway/mutants/mutants.js';
import { tokenOf } from './small-gateway/tokens.js';

const scope = 'patient/*.cruds';
const a = tokenOf('ann', scope);
const b = tokenOf('ben', scope);

let gateway: Awaited<ReturnType<typeof startSmallGateway>>;
let folder: string;
const servers: Server[] = [];

beforeAll(async () => {
  gateway = await startSmallGateway(sound);
  folder = await mkdtemp(join(tmpdir(), 'enforcement-kit-'));
});

afterAll(async () => {
  gateway.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true });
});

/** Runs the command with tokens from standard input. */
function kit(
  args: string[],
  tokens: object | string = { a, b },
  environment: Record<string, string> = {},
  signal: NodeJS.Signals = 'SIGINT',
  isDue = () => false,
): Promise<{ code: number; text: string }> {
  const command = resolve('kit/bin/gatehouse-enforcement-kit.js');
  return new Promise((done) => {
    const env = { PATH: process.env.PATH, ...environment };
    const child = execFile(process.execPath, [command, ...args], { env }, (error, stdout, stderr) => {
      clearInterval(timer);
      done({ code: error ? Number(error.code) : 0, text: stdout + stderr });
    });
    const timer = setInterval(() => {
      if (!isDue()) return;
      clearInterval(timer);
      child.kill(signal);
    }, 5);
    child.stdin?.end(typeof tokens === 'string' ? tokens : JSON.stringify(tokens));
  });
}

const fast = ['--rate', '100000', '--minutes', '0', '--tokens', '-'];

async function serve(
  answer: (url: string, count: number) => { status: number; body: string; type?: string } | undefined,
) {
  let count = 0;
  const server = createServer((request, response) => {
    count += 1;
    const answered = answer(request.url ?? '', count);
    if (!answered) return request.socket.destroy();
    response
      .writeHead(answered.status, { 'Content-Type': answered.type ?? 'application/fhir+json' })
      .end(answered.body);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/fhir`;
}

describe('The command says in a sentence why it cannot run, and ends with 2', () => {
  it.each<[what: string, args: string[], tokens: object | string, sentence: RegExp]>([
    ['no address', [], { a, b }, /--url is missing/],
    ['an address that is none', ['--url', 'fhir'], { a, b }, /--url takes an address/],
    ['a password in the address', ['--url', 'https://u:secret@h/fhir'], { a, b }, /credentials are no arguments/],
    ['an unknown option', ['--url', 'https://h', '--token', 'secret'], { a, b }, /Tokens are never arguments/],
    ['a token as argument', ['--url', 'https://h', 'secret'], { a, b }, /Tokens are never arguments/],
    ['tokens that are not JSON', ['--url', 'http://127.0.0.1:1', ...fast], 'secret', /The tokens are not JSON/],
    ['one token', ['--url', 'http://127.0.0.1:1', ...fast], { a }, /The token of B is missing/],
    ['one token twice', ['--url', 'http://127.0.0.1:1', ...fast], { a, b: a }, /A and B have the same token/],
    [
      'a token with a line break',
      ['--url', 'http://127.0.0.1:1', ...fast],
      { a: 'sec ret', b },
      /characters that no token has/,
    ],
    [
      'an expired token',
      ['--url', 'http://127.0.0.1:1', ...fast],
      { a: tokenOf('ann', scope, { exp: 1_700_000_000 }), b },
      /The token of A has expired at 2023/,
    ],
    ['nothing at the address', ['--url', 'http://127.0.0.1:1/fhir', ...fast], { a, b }, /connection was refused/],
    ['an unknown family', ['--url', 'http://127.0.0.1:1', '--only', 'x', ...fast], { a, b }, /no family x/],
  ])('%s', async (_what, args, tokens, sentence) => {
    const { code, text } = await kit(args, tokens);
    expect(text).toMatch(sentence);
    expect(text).not.toContain('secret');
    expect(code).toBe(2);
  });

  it('no FHIR server', async () => {
    const page = await serve(() => ({ status: 200, body: '<html></html>', type: 'text/html' }));
    const { code, text } = await kit(['--url', page, ...fast]);
    expect([code, text]).toEqual([
      2,
      expect.stringMatching(/There is no FHIR server at .* answered 200 \(text\/html\)/),
    ]);
  });

  it('two tokens of one patient, and a token for another base', async () => {
    const same = await kit(['--url', gateway.base, ...fast], { a, b: tokenOf('ann', 'patient/*.rs') });
    expect([same.code, same.text]).toEqual([2, expect.stringContaining('A and B are one patient')]);
    const [head = '', body = ''] = tokenOf('ann', scope, { aud: 'https://elsewhere.example/fhir' }).split('.');
    const foreign = await kit(['--url', gateway.base, ...fast], { a: `${head}.${body}.x`, b });
    expect(foreign.code).toBe(2);
    expect(foreign.text).toContain('The token is for https://elsewhere.example/fhir, and the base is');
  });

  it('a record without data', async () => {
    const none = await serve((url) => {
      if (url.endsWith('/metadata')) {
        const resource = ['Patient', 'Observation'].map((type) => ({ type, searchParam: [{ name: 'patient' }] }));
        const statement = {
          resourceType: 'CapabilityStatement',
          fhirVersion: '4.0.1',
          rest: [{ mode: 'server', resource }],
        };
        return { status: 200, body: JSON.stringify(statement) };
      }
      const [, id] = /Patient\/(\w+)$/.exec(url) ?? [];
      const resource = id ? { resourceType: 'Patient', id } : { resourceType: 'Bundle', type: 'searchset', total: 0 };
      return { status: 200, body: JSON.stringify(resource) };
    });
    const { code, text } = await kit(['--url', none, ...fast]);
    expect([code, text]).toEqual([2, expect.stringContaining("B's record has no data")]);
  });

  it('a server that dies on the way, with a report of what was tried until then', async () => {
    const dying = await startSmallGateway(sound);
    let left = 250;
    const handle = dying.gateway.handle.bind(dying.gateway);
    dying.gateway.handle = (...request) => {
      left -= 1;
      if (left === 0) dying.close();
      return handle(...request);
    };
    const file = join(folder, 'partial.json');
    const { code, text } = await kit(['--url', dying.base, '--json', file, ...fast]);
    expect([code, text]).toEqual([
      2,
      expect.stringMatching(/(?:connection was refused|stopped answering)[\s\S]*not complete/),
    ]);
    const { results } = JSON.parse(await readFile(file, 'utf8')) as { results: unknown[] };
    expect(results.length).toBeGreaterThan(3);
  });

  it('a server whose certificate is not trusted, unless its authority is given', async () => {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=127.0.0.1'];
    const files = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', certificate];
    execFileSync('openssl', [...made, ...files], { stdio: 'ignore' });
    const behind = new URL(gateway.base);
    const proxy = createSecureServer(
      { key: readFileSync(key), cert: readFileSync(certificate) },
      (request, response) => {
        const { method, url: path, headers } = request;
        const sent = httpRequest({ host: behind.hostname, port: behind.port, method, path, headers }, (answer) => {
          response.writeHead(answer.statusCode ?? 0, answer.headers);
          answer.pipe(response);
        });
        request.pipe(sent);
      },
    );
    await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
    servers.push(proxy);
    const base = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}/fhir`;
    const untrusted = await kit(['--url', base, ...fast]);
    expect([untrusted.code, untrusted.text]).toEqual([2, expect.stringContaining('is not trusted (DEPTH_ZERO')]);
    const trusted = await kit(['--url', base, '--only', 'graphql', '--ca', certificate, ...fast]);
    expect([trusted.code, trusted.text]).toEqual([0, expect.stringContaining('0 ways found something')]);
    const lost = await kit(['--url', base, '--ca', join(folder, 'none.pem'), ...fast]);
    expect([lost.code, lost.text]).toEqual([2, expect.stringContaining('ENOENT')]);
  });

  it('a token that ends during the run', async () => {
    const ending = await startSmallGateway(sound);
    let left = 300;
    const handle = ending.gateway.handle.bind(ending.gateway);
    ending.gateway.handle = (...request) => {
      left -= 1;
      return left > 0 || request[1] === 'metadata' ? handle(...request) : { status: 401, body: {} };
    };
    const file = join(folder, 'ended.json');
    const { code, text } = await kit(['--url', ending.base, '--json', file, '--only', 'reads', ...fast]);
    ending.close();
    expect([code, text]).toEqual([2, expect.stringContaining('does not accept the token of A any more')]);
    expect(text).toContain('The report is not complete.');
    const { results } = JSON.parse(await readFile(file, 'utf8')) as { results: { reason?: string }[] };
    expect(results.at(-1)?.reason).toBe('the run ended before all of it was tried');
  });

  it('a report that cannot be written, before anything is tried', async () => {
    const { code, text } = await kit(['--url', gateway.base, '--json', join(folder, 'none', 'report.json'), ...fast]);
    expect([code, text]).toEqual([2, expect.stringContaining('cannot be written (ENOENT)')]);
    expect(text).not.toContain('Reading the CapabilityStatement');
  });

  it('--write without the typed host', async () => {
    const { code, text } = await kit(['--url', gateway.base, '--write', ...fast]);
    expect([code, text]).toEqual([2, expect.stringContaining('--write asks for the host')]);
    const other = await kit(['--url', gateway.base, '--write', ...fast], { a, b }, { KIT_WRITE_HOST: 'other.example' });
    expect([other.code, other.text]).toEqual([2, expect.stringContaining('nothing was done')]);
  });
});

describe.each(['SIGINT', 'SIGTERM'] as const)('The command, ended by %s', (signal) => {
  it('removes what it made, and reports what it tried until then', async () => {
    const before = gateway.gateway.store.current.size;
    const file = join(folder, `${signal}.json`);
    const args = [
      '--url',
      gateway.base,
      '--write',
      '--only',
      'changes',
      '--json',
      file,
      '--tokens',
      '-',
      '--rate',
      '60',
    ];
    const done = kit(
      [...args, '--minutes', '0'],
      { a, b },
      { KIT_WRITE_HOST: new URL(gateway.base).host },
      signal,
      () => {
        return gateway.gateway.store.current.size > before + 4;
      },
    );
    const { code, text } = await done;
    expect([code, text]).toEqual([2, expect.stringContaining('The run was interrupted.')]);
    expect(gateway.gateway.store.current.size).toBe(before);
    const { results, left } = JSON.parse(await readFile(file, 'utf8')) as { results: unknown[]; left: string[] };
    expect([results.length > 0, left]).toEqual([true, []]);
  });
});

describe('The command', () => {
  it('ends with 0 on a sound server, takes tokens from the environment, and writes reports without ids', async () => {
    const files = ['json', 'junit', 'html'].map((kind) => join(folder, `report.${kind}`));
    const reports = ['--json', '--junit', '--html'].flatMap((option, at) => [option, files[at] ?? '']);
    const args = ['--url', gateway.base, '--rate', '100000', '--only', 'reads,published', ...reports];
    const { code, text } = await kit(args, '', { TOKEN_A: a, TOKEN_B: b });
    expect([code, text]).toEqual([0, expect.stringContaining('0 ways found something')]);
  });

  it('ends with 1 on findings, which name no id, value or token unless asked to', async () => {
    const open = await startSmallGateway({ name: 'open', sees: () => true });
    try {
      const file = join(folder, 'found.html');
      const args = ['--url', open.base, '--only', 'reads,searches', '--html', file, ...fast];
      const { code, text } = await kit(args);
      const page = await readFile(file, 'utf8');
      expect([code, text]).toEqual([1, expect.stringContaining('A resource of another record is read by its id')]);
      for (const secret of ['observation-ben', 'Familyben', 'mrn-number-of-ben', a, b]) {
        expect([secret, text.includes(secret), page.includes(secret)]).toEqual([secret, false, false]);
      }
      expect(text).toContain('$TOKEN_A');
      const shown = await kit([...args, '--ids']);
      expect(shown.text).toContain('observation-ben-1');
    } finally {
      open.close();
    }
  });

  it('leaves a server as it was after changes', async () => {
    const before = gateway.gateway.store.current.size;
    const { code, text } = await kit(
      ['--url', gateway.base, '--only', 'changes', '--write', ...fast],
      { a, b },
      {
        KIT_WRITE_HOST: new URL(gateway.base).host,
      },
    );
    expect([code, text]).toEqual([0, expect.stringContaining('0 ways found something')]);
    expect(gateway.gateway.store.current.size).toBe(before);
  });

  it('reads a file of tokens', async () => {
    const file = join(folder, 'tokens.json');
    await writeFile(file, JSON.stringify({ a: { access_token: a, scope, patient: 'ann' }, b: { token: b } }));
    const { code } = await kit(['--url', gateway.base, '--tokens', file, '--rate', '100000', '--only', 'graphql']);
    expect(code).toBe(0);
  });
});
