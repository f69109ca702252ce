import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smartStyleUrl } from '../../src/oidc/domain/smart-style.js';
import { ClientFiles } from '../../src/portal/http/client-files.js';
import { Agent, type Answer } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';

let portal: TestPortal;
let agent: Agent;

const hostile = '</title></script><script>alert(1)</script>';
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

beforeAll(async () => {
  portal = await startPortal({ config: { branding: { organizationTitle: hostile, loginPageText: hostile } } });
  agent = new Agent(portal.issuer);
});

afterAll(() => portal.close());

function page(path: string): Promise<Answer> {
  return agent.get(path, { headers: browser });
}

describe('the pages', () => {
  it.each(['/', '/login?returnUrl=%2F', '/admin/dashboard', '/user/consent', '/no/such/page'])(
    'T-01 T-05 E-14 are served at %s with a policy that permits only their own scripts',
    async (path) => {
      const { status, headers, text } = await page(path);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        200,
        'text/html; charset=utf-8',
        'no-store',
      ]);
      const policy = String(headers['content-security-policy']);
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1];
      expect(policy.split('; ')).toEqual([
        "default-src 'none'",
        `script-src 'self' 'nonce-${nonce}'`,
        `style-src 'self' 'nonce-${nonce}'`,
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "object-src 'none'",
        "frame-ancestors 'none'",
        "form-action 'self'",
      ]);
      expect(text).toContain(`nonce="${nonce}"`);
      expect(text).not.toContain('__CSP_NONCE__');
      expect(headers).toMatchObject({
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    },
  );

  it.each(['/login', '/user/consent', '/admin/dashboard', '/error/404'])(
    'L-05 L-08 contain at %s no text of a deployer or an API call as a script',
    async (path) => {
      const { text, headers } = await page(path);
      expect(text).not.toContain('alert(1)</script>');
      const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1];
      const scripts = text.match(/<script[^>]*>/g) ?? [];
      expect(scripts.length).toBeGreaterThan(0);
      // Scripts have no inline content, which would have to be escaped.
      expect(text.match(/<script[^>]*>[^<]+/g)).toBeNull();
      expect(scripts.filter((tag) => !tag.includes(' src="/assets/') && !tag.includes(`nonce="${nonce}"`))).toEqual([]);
    },
  );

  it('L-08 receive their data as JSON that browsers do not run', async () => {
    const { headers, text } = await agent.get('/api/settings', { headers: browser });
    expect(text).toContain(JSON.stringify(hostile));
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
  });

  it('T-01 use each nonce once', async () => {
    const [one, other] = [await page('/login'), await page('/login')];
    expect(one.headers['content-security-policy']).not.toBe(other.headers['content-security-policy']);
  });

  describe('preload', () => {
    const returnUrl = '/connect/authorize/callback?client_id=app&ix=1';
    const flow = `/user/consent?${new URLSearchParams({ returnUrl })}`;
    const signedIn = { ...browser, cookie: 'gatehouse_session=any' };
    const linked = (text: string, kind: string): string[] =>
      [...text.matchAll(new RegExp(`<link rel="${kind}"[^>]*href="([^"]+)"`, 'g'))].map(([, href = '']) => href);
    const calls = (answer: Answer) => linked(answer.text, 'preload" as="fetch');

    it('their own scripts, and the style sheet of all pages, which exist', async () => {
      const { text } = await page(flow);
      const [scripts, sheets] = [linked(text, 'modulepreload'), linked(text, 'stylesheet')];
      expect(scripts.filter((file) => file.includes('/consent-page-'))).toHaveLength(1);
      expect(sheets).toHaveLength(1);
      for (const file of [...scripts, ...sheets]) expect((await agent.get(file)).status).toBe(200);
      expect(linked((await page('/login')).text, 'modulepreload').join()).not.toContain('/consent-page-');
    });

    it('the first API calls of a page for a signed-in user', async () => {
      expect(calls(await agent.get(flow, { headers: signedIn }))).toEqual([
        '/api/settings',
        '/api/session',
        `/api/consent?${new URLSearchParams({ returnUrl })}`,
        `/api/authorization?${new URLSearchParams({ returnUrl })}`,
      ]);
      expect(calls(await page(flow))).toEqual(['/api/settings', '/api/session']);
    });

    it.each([
      'https://evil.example/connect/authorize/callback',
      '//evil.example/connect/authorize/x',
      '"><script>',
      '',
    ])('no API call for the return URL %j', async (foreign) => {
      const answer = await agent.get(`/user/consent?${new URLSearchParams({ returnUrl: foreign })}`, {
        headers: signedIn,
      });
      expect(calls(answer)).toEqual(['/api/settings', '/api/session']);
      expect(answer.text).not.toContain('evil.example');
      expect(answer.text).not.toContain('"><script>');
    });

    it('T-01 no script from the return URL', async () => {
      const { text } = await agent.get(`/user/consent?returnUrl=${encodeURIComponent(`${returnUrl}"><script>x`)}`, {
        headers: signedIn,
      });
      expect(text).not.toContain('<script>x');
    });

    it('no API call on the error pages', async () => {
      for (const path of ['/error/404', '/no/such/page']) expect(calls(await page(path))).toEqual([]);
    });
  });

  it('T-05 have files with a hash in their names, which are cached for a year', async () => {
    const script = /src="(\/assets\/core-[^"]+\.js)"/.exec((await page('/')).text)?.[1] ?? '';
    const { status, headers } = await agent.get(script);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  it('have scripts that are compressed for browsers that accept it, and plain for others', async () => {
    const script = /src="(\/assets\/core-[^"]+\.js)"/.exec((await page('/')).text)?.[1] ?? '';
    const encodings = ['gzip, deflate, br', 'gzip', 'br;q=0, identity'];
    const answers = await Promise.all(
      encodings.map((encoding) => agent.get(script, { headers: { 'accept-encoding': encoding } })),
    );
    expect(answers.map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
    for (const { headers } of answers) {
      expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'content-type': 'text/javascript; charset=utf-8' });
    }
  });

  it.each([
    '/package.json',
    '/.git/config',
    '/.env',
    '/index.html',
    '/assets/',
    '/assets/missing.js',
    '/assets/index.js.map',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/..%2f..%2fpackage.json',
    '/api/nothing',
    '/federation/nothing',
    '/.well-known/nothing',
  ])('T-06 do not exist at %s, also for a browser', async (path) => {
    const { status, headers } = await page(path);
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      404,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(headers['x-powered-by']).toBeUndefined();
  });

  it('are not served to a client that accepts only JSON', async () => {
    expect((await agent.get('/login', { headers: { accept: 'application/json' } })).status).toBe(404);
  });

  it('have an icon, also at /favicon.ico', async () => {
    for (const path of ['/favicon.svg', '/favicon.ico']) {
      const { status, headers } = await agent.get(path);
      expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml']);
    }
  });
});

describe('the icon of the branding', () => {
  it('replaces the product’s icon and cannot run scripts', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
    const favicon = { mimeType: 'image/svg+xml', base64: Buffer.from(svg).toString('base64') };
    const branded = await startPortal({ config: { branding: { favicon } } });
    try {
      const { headers, text } = await new Agent(branded.issuer).get('/favicon.svg');
      expect(text).toBe(svg);
      expect(headers).toMatchObject({
        'content-type': 'image/svg+xml',
        'content-security-policy': "default-src 'none'; sandbox",
      });
    } finally {
      await branded.close();
    }
  });
});

describe('the files of the client', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-client-'));
    mkdirSync(join(folder, 'assets/.hidden'), { recursive: true });
    for (const name of [
      'index.html',
      'robots.txt',
      '.env',
      'assets/a.js',
      'assets/a.js.br',
      'assets/a.js.gz',
      'assets/a.js.map',
      'assets/.hidden/b.js',
    ]) {
      writeFileSync(join(folder, name), name);
    }
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('are served with their compressed copies', () => {
    expect(new ClientFiles(folder).byAddress('/assets/a.js')).toEqual({
      path: join(folder, 'assets/a.js'),
      compressed: { br: join(folder, 'assets/a.js.br'), gzip: join(folder, 'assets/a.js.gz') },
    });
    expect(new ClientFiles(folder).byAddress('/robots.txt')).toEqual({
      path: join(folder, 'robots.txt'),
      compressed: {},
    });
  });

  it.each([
    '/index.html',
    '/.env',
    '/assets/a.js.br',
    '/assets/a.js.map',
    '/assets/.hidden/b.js',
    '/assets/../.env',
    '/assets',
  ])('T-06 do not include %s', (address) => {
    expect(new ClientFiles(folder).byAddress(address)).toBeUndefined();
  });

  it('may be missing', () => {
    expect(new ClientFiles(join(folder, 'nowhere')).byAddress('/robots.txt')).toBeUndefined();
  });
});

describe('the SMART style for apps', () => {
  it('is readable without a token from any origin, and cached under an address that changes with it', async () => {
    const { status, headers, json } = await agent.get(new URL(smartStyleUrl(portal.config)).pathname);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(json()).toMatchObject({ color_highlight: '#0A6375', dim_font_size: '16px' });

    const { config } = portal;
    const branded = { ...config, branding: { ...config.branding, accentColor: '#7A1F5C' } };
    expect(smartStyleUrl(branded)).not.toBe(smartStyleUrl(config));
    expect((await agent.get(new URL(smartStyleUrl(branded)).pathname)).status).toBe(404);
  });
});

describe('the health and metrics endpoints', () => {
  it('report the process live and ready', async () => {
    expect((await agent.get('/health/live')).json()).toEqual({ status: 'live' });
    const ready = await agent.get('/health/ready');
    expect([ready.status, ready.json()]).toEqual([
      200,
      { status: 'ready', database: true, migrations: true, clock: true },
    ]);
  });

  it('are answered on a connection that the portal keeps for longer than a proxy does', async () => {
    const { headers } = await fetch(`http://127.0.0.1:${portal.ports[0]}/health/live`);
    expect(Number(headers.get('keep-alive')?.replace('timeout=', ''))).toBeGreaterThan(120);
  });

  it('report live but not ready while a migration is missing', async () => {
    await portal.query("UPDATE migrations SET name = name || '_' WHERE name LIKE 'Users%'");
    const ready = await agent.get('/health/ready');
    expect([ready.status, ready.json()]).toEqual([
      503,
      { status: 'unready', database: true, migrations: false, clock: true },
    ]);
    expect((await agent.get('/health/live')).status).toBe(200);
    await portal.query("UPDATE migrations SET name = rtrim(name, '_') WHERE name LIKE 'Users%'");
  });

  it('answer metrics to this machine, and not to requests through a proxy', async () => {
    const own = await agent.get('/metrics');
    expect([own.status, own.text.includes('process_cpu_user_seconds_total')]).toEqual([200, true]);
    expect((await agent.get('/metrics', { headers: { 'x-forwarded-for': '127.0.0.1' } })).status).toBe(404);
  });

  it('count in the metrics the due jobs of each kind, their age and their failures', async () => {
    await portal.query(`INSERT INTO job (kind, payload, created_at, due_at)
      VALUES ('mail', '{}', now() - interval '1 hour', now()), ('mail', '{}', now(), now() + interval '1 hour')`);
    const metrics = async () => (await agent.get('/metrics')).text;
    expect(await metrics()).toMatch(/^gatehouse_jobs_due\{kind="mail"\} 1$/m);
    expect(await metrics()).toMatch(/^gatehouse_jobs_oldest_age_seconds\{kind="mail"\} 36\d\d\./m);
    expect(await metrics()).toMatch(/^gatehouse_job_failures_total\{kind="backchannel-logout"\} 0$/m);
    await portal.query('ALTER TABLE job RENAME TO job_gone');
    expect(await metrics()).not.toContain('gatehouse_jobs_due{');
    expect(await metrics()).toMatch(/^gatehouse_job_failures_total\{kind="backchannel-logout"\} 0$/m);
    await portal.query('ALTER TABLE job_gone RENAME TO job');
    await portal.query('DELETE FROM job');
    expect(await metrics()).toMatch(/^gatehouse_jobs_due\{kind="backchannel-logout"\} 0$/m);
  });
});
