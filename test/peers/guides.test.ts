import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { demoAccounts } from '../../demo/demo-accounts.js';
import { startFhirServer } from '../../demo/fhir-server/server.js';
import { formOfTemplate } from '../../src/contract/rules/clients/client-templates.js';
import { type StaticApp, startStaticApp } from '../support/apps/static-app.js';
import { useBrowser } from '../support/browser/browser.js';
import { expectConsent, expectLogin } from '../support/browser/pages.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';
import { until } from '../support/until.js';

const browser = useBrowser();
const [, patient] = demoAccounts();
const issuerOfGuides = 'http://localhost:3000';
const appOfGuide = 'http://localhost:8000/';
const guides = ['back-end-service', 'coming-from-others', 'ehr-launch', 'first-app', 'hapi', 'security-officer'];
const files: Parameters<typeof startStaticApp>[0] = {};

let fhirServer: Awaited<ReturnType<typeof startFhirServer>>;
let app: StaticApp;
let portal: TestPortal;
let folder: string;
let publicKey: string;

const allTexts = (texts: unknown): unknown[] =>
  typeof texts === 'object' && texts !== null ? Object.values(texts).flatMap(allTexts) : [texts];

/** The code of a guide in `language`, in its order. */
async function codeOf(guide: string, language: string): Promise<string[]> {
  const text = await readFile(`docs/guides/${guide}.md`, 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, code = '']) => code);
}

const inFolder = (file: string) =>
  promisify(execFile)(process.execPath, [file], {
    cwd: folder,
    env: { ...process.env, ISSUER: portal?.issuer ?? '', NODE_OPTIONS: '' },
  });

beforeAll(async () => {
  // Below the project, so that the code finds its packages.
  folder = await mkdtemp(join(process.cwd(), 'node_modules', '.guides-'));
  const [makeKey = '', service = ''] = await codeOf('back-end-service', 'js');
  await writeFile(join(folder, 'make-key.mjs'), makeKey);
  await writeFile(join(folder, 'service.mjs'), service);
  publicKey = (await inFolder('make-key.mjs')).stdout.trim();
  fhirServer = await startFhirServer({ port: 0 });
  app = await startStaticApp(files);
  portal = await startPortal({
    config: {
      fhir: { baseUrl: fhirServer.url },
      users: demoAccounts(),
      clients: [
        {
          ...formOfTemplate('patient-app'),
          clientId: 'my-first-app',
          clientName: 'My first app',
          redirectUris: [`${app.url}/`],
        },
        {
          ...formOfTemplate('backend-service'),
          clientId: 'nightly-report',
          clientName: 'Nightly report',
          clientSecrets: [{ secretType: 'JWK', secret: publicKey, description: 'of the guide' }],
        },
      ],
    },
  });
});

afterAll(async () => {
  await portal?.close();
  await app?.close();
  await fhirServer?.close();
  await rm(folder, { recursive: true, force: true });
});

describe('The guides are true as they stand', () => {
  it('first-app: the page signs a patient in and shows the blood pressure', async () => {
    const [page = ''] = await codeOf('first-app', 'html');
    const library = /https:\/\/cdn\.jsdelivr\.net\/npm\/fhirclient@([\d.]+)\/(build\/[\w.-]+)/.exec(page);
    const { resolve } = createRequire(import.meta.url);
    const installed = resolve('fhirclient/package.json');
    expect(library?.[1]).toBe(JSON.parse(await readFile(installed, 'utf8')).version);
    files['/fhir-client.js'] = {
      type: 'text/javascript',
      body: await readFile(join(installed, '..', library?.[2] ?? '')),
    };
    files['/'] = {
      type: 'text/html',
      body: page
        .replace(library?.[0] ?? '', '/fhir-client.js')
        .replaceAll(issuerOfGuides, portal.issuer)
        .replaceAll(appOfGuide, `${app.url}/`),
    };
    const opened = await browser.open();
    await opened.goto(app.url);
    await (await expectLogin(opened)).signIn(patient as NonNullable<typeof patient>);
    await (await expectConsent(opened, 'My first app')).accept.click();
    await opened.waitForURL(`${app.url}/**`);
    const family = patient?.fullName.split(' ').at(-1);
    await until(async () =>
      new RegExp(`^${family}: [\\d.]+ / [\\d.]+$`).test((await opened.locator('#result').textContent()) ?? ''),
    );
  });

  it('back-end-service: the service proves itself with its key, and reads', async () => {
    const { stdout } = await inFolder('service.mjs');
    expect(stdout.trim().split('\n')).toEqual(Array.from({ length: 5 }, () => expect.stringMatching(/^Patient \S+$/)));
  });

  it('each name of a page, button or field in a guide is one of the pages', async () => {
    const texts = await (await fetch(`${portal.issuer}/texts.en.json`)).json();
    const known = new Set<unknown>(allTexts(texts));
    const unknown: string[] = [];
    // A line may end within a name.
    for (const guide of guides)
      for (const [, name = ''] of (await readFile(`docs/guides/${guide}.md`, 'utf8')).matchAll(
        /(?<!\*)\*([A-Z][^*]+)\*(?!\*)/g,
      ))
        if (!known.has(name.replaceAll('\n', ' '))) unknown.push(`${guide}: ${name}`);
    expect(unknown).toEqual([]);
  });

  it('no guide leads to a document or a heading that does not exist', async () => {
    const linked = [...guides.map((name) => `docs/guides/${name}.md`), 'docs/llms.txt', 'README.md'];
    const dead: string[] = [];
    for (const file of linked) {
      for (const [, link = ''] of (await readFile(file, 'utf8')).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
        const [path = '', heading] = link.split('#');
        const target = path ? join(file, '..', path) : file;
        const text = await readFile(target, 'utf8').catch((error) => (error.code === 'EISDIR' ? '' : undefined));
        const headings = [...(text ?? '').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
          title
            .toLowerCase()
            .replace(/[^\w\s-]/g, '')
            .replaceAll(' ', '-'),
        );
        if (text === undefined || (heading && !headings.includes(heading))) dead.push(`${file}: ${link}`);
      }
    }
    expect(dead).toEqual([]);
  });
});
