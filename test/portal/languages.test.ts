import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { texts } from '../../client/texts.js';
import { ConfigError, loadConfig } from '../../src/platform/config/load-config.js';
import { Agent } from '../support/http/agent.js';
import { startPortal, type TestPortal } from '../support/portal/portal.js';

let folder: string;
let portal: TestPortal;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-languages-'));
  writeFileSync(join(folder, 'de.json'), JSON.stringify({ common: { save: 'Speichern' } }));
  writeFileSync(join(folder, 'ar.json'), JSON.stringify({ common: { save: 'حفظ' } }));
  writeFileSync(join(folder, 'broken.json'), JSON.stringify({ common: { save: 1 } }));
  portal = await startPortal({
    config: {
      languages: [
        { tag: 'de', file: join(folder, 'de.json'), direction: 'ltr' },
        { tag: 'ar', file: join(folder, 'ar.json'), direction: 'rtl' },
      ],
    },
  });
});

afterAll(async () => {
  await portal.close();
  rmSync(folder, { recursive: true });
});

const best = (wanted: string) => new Agent(portal.issuer).get(`/api/language?${new URLSearchParams({ wanted })}`);

describe('the language of the pages', () => {
  it.each([
    ['de-AT fr', 'de'],
    ['fr AR-eg de', 'ar'],
    ['fr en-GB de', 'en'],
    ['d d-e', 'en'],
    ['__proto__ constructor *', 'en'],
    ['', 'en'],
  ])('is, for the wanted languages %j, %s', async (wanted, tag) => {
    const answer = await best(wanted);
    expect([answer.status, answer.json().tag]).toEqual([200, tag]);
  });

  it('has its texts and its direction', async () => {
    expect((await best('ar')).json()).toEqual({ tag: 'ar', direction: 'rtl', texts: { common: { save: 'حفظ' } } });
  });

  it.each(['', '?wanted=de&wanted=ar', `?wanted=${'x'.repeat(2001)}`])(
    'is refused with 400 for the query %.20s',
    async (query) => {
      expect((await new Agent(portal.issuer).get(`/api/language${query}`)).status).toBe(400);
    },
  );

  it('is translated from a file that the portal gives', async () => {
    expect((await new Agent(portal.issuer).get('/texts.en.json')).json()).toEqual(texts);
  });

  it('stops the start when its file is invalid or two files are for one language', () => {
    const languages = [
      { tag: 'de', file: 'de.json' },
      { tag: 'DE', file: 'broken.json' },
      { tag: 'fr', file: 'missing.json' },
      { tag: 'en', file: 'de.json' },
    ];
    writeFileSync(join(folder, 'gatehouse.yaml'), JSON.stringify({ languages: languages.slice(0, 3) }));
    const problemsOf = () => {
      try {
        loadConfig({}, folder);
        return [];
      } catch (error) {
        return error instanceof ConfigError ? error.problems : [String(error)];
      }
    };
    expect(problemsOf()).toEqual([
      'languages.1.tag: another language has the same one',
      'languages.1.file: cannot be used, contains values that are not texts',
      expect.stringMatching(/^languages\.2\.file: cannot be used, ENOENT/),
    ]);
    writeFileSync(join(folder, 'gatehouse.yaml'), JSON.stringify({ languages: languages.slice(3) }));
    expect(problemsOf()).toEqual(['languages.0.tag: is there already']);
    writeFileSync(join(folder, 'gatehouse.yaml'), JSON.stringify({ languages: languages.slice(0, 1) }));
    expect(loadConfig({}, folder).languages).toEqual([{ tag: 'de', file: join(folder, 'de.json'), direction: 'ltr' }]);
  });
});
